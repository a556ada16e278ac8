// From what an edit function returns to the changes that a backend commits.
import type { Change, LineRange, Path, Resolved, Seen, Version } from "../../core/backend.ts";
import { LINK_MODE } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { parentOf, withoutDotDot } from "../../core/paths.ts";
import { bytesOf, sizeOf, versionOfLarge } from "../../core/version.ts";
import type { Merge } from "../../edit/diff/merge.ts";
import { countLines } from "../../edit/text/lines.ts";
import { toLf } from "../../edit/text/source.ts";
import { applySplices, type Splice } from "../../edit/text/splice.ts";
import type { Action } from "../policy/policy.ts";
import { formatRanges, neverShown } from "../read/seen.ts";
import { runInWorker } from "../run-in-worker.ts";
import {
  decode,
  type EolStyle,
  encodeSplices,
  encodeWhole,
  readsAsItself,
  type Text,
  withEolOf,
} from "../text/text.ts";
import { conflictsOf } from "./conflicts.ts";
import { staleAction } from "./stale.ts";

/** A target as it is now, under the lock. */
export interface Current {
  /** Where it is. */
  readonly path: Path;
  /** As the caller wrote it. */
  readonly raw: string;
  /** Its bytes; null when there is no file. */
  readonly version: Version | null;
  /** The caller has seen exactly these bytes. */
  readonly proven: boolean;
  /** The proof named an older version: this is that one, and the edit is merged into the newest. */
  readonly rebasing: boolean;
  /** Decoded on first use; refuses binary files, and `not_found` when absent. */
  readonly text: Text;
}

/** What shall become of a target: spliced text, a whole new text, exact bytes, null = deleted, undefined = left alone. */
export type Next =
  | {
      /** Parts of the text to replace. */
      readonly splices: readonly Splice[];
    }
  | {
      /** A whole new text. */
      readonly body: string;
      /** How it is written; as the file is, when left out. */
      readonly encoding?: string;
      /** Permission bits; those of the file when left out. */
      readonly mode?: number;
    }
  | {
      /** Exact bytes. */
      readonly version: Version;
      /** Where the file comes from, if it is moved. */
      readonly movedFrom?: Path;
    }
  | null
  | undefined;

export interface Planned {
  readonly current: Current;
  readonly after: Version | null;
  readonly splices?: readonly Splice[];
  readonly movedFrom?: Path;
  /** What the new bytes read as, where that is certain without reading them. */
  readonly body?: string;
  readonly warnings: readonly string[];
}

export function currentOf(
  at: Resolved,
  raw: string,
  version: Version | null,
  known: { readonly proven: boolean; readonly rebasing: boolean; readonly encoding?: string | undefined },
): Current {
  const { proven, rebasing, encoding } = known;
  let text: Text | undefined;
  return {
    path: at.path,
    raw,
    version,
    proven,
    rebasing,
    get text() {
      if (version === null)
        throw new Refusal("not_found", `${raw} does not exist.`, { path: raw, next: "Check the path." });
      text ??= decode(version.parts, { path: raw, ...(encoding !== undefined && { encoding }) });
      return text;
    },
  };
}

interface PlanOptions {
  /** As the edit was made: `current`, or the version that a stale proof named, for the three-way merge. */
  readonly named: Current;
  /** The same edit made to `current` itself, where it fits there. */
  readonly direct: Next;
  readonly maxBytes: number;
  readonly action: Action;
  readonly deadline: Deadline;
}

export async function plan(
  current: Current,
  next: Exclude<Next, undefined>,
  { named, direct, maxBytes, action, deadline }: PlanOptions,
): Promise<Planned> {
  const isMergeable = next !== null && !("version" in next);
  if (current.rebasing && !isMergeable) {
    throw new Refusal("stale_file", `${current.raw} has changed since the version you named.`, {
      path: current.raw,
      next: staleAction(action),
    });
  }
  if (next === null) return { current, after: null, warnings: [] };
  if ("version" in next) {
    const { version, movedFrom } = next;
    if (movedFrom === undefined) within(version.parts, current, maxBytes);
    if (movedFrom === undefined) return { current, after: version, warnings: [] };
    return { current, after: version, warnings: linkWarnings(version, movedFrom, current.path), movedFrom };
  }
  const mode = current.version?.mode;
  if ("splices" in next) {
    const splices = current.rebasing ? await rebased(current, named, [next, direct], deadline) : next.splices;
    const parts = within(encodeSplices(current.text, splices), current, maxBytes);
    const after = await versionOfLarge(parts, mode);
    return { current, after, splices, warnings: [] };
  }
  const before = current.version === null ? null : current.text;
  const given = before === null ? next.body : await withEndingsOf(before, next.body, deadline);
  const body = current.rebasing ? (await merged(current, named, given, deadline)).text : given;
  const parts = within(encodeWhole(before, body, next.encoding), current, maxBytes);
  const after = await versionOfLarge(parts, next.mode ?? mode);
  const isUtf8 = before === null || (before.encoding === "utf-8" && !before.bom);
  const isPlain = isUtf8 && next.encoding === undefined && readsAsItself(body);
  const warnings = given === next.body ? [] : [`${current.raw}: ${KEPT_ENDINGS[before!.eol]}.`];
  return { current, after, warnings, ...(isPlain && { body }) };
}

const KEPT_ENDINGS: Readonly<Partial<Record<EolStyle, string>>> = {
  crlf: "line endings kept as CRLF",
  lf: "line endings kept as LF",
  mixed: "each line kept its own line ending, CRLF or LF",
};

/** A text with LF only takes on the line endings of the file: over mixed ones, each line that of the line it replaces. */
async function withEndingsOf(text: Text, body: string, deadline: Deadline): Promise<string> {
  if (text.eol !== "mixed" || body.includes("\r")) return withEolOf(text, body);
  if (toLf(text.body) === body) return text.body;
  const edits = [{ oldText: text.body, newText: body }];
  return applySplices(text.body, (await runInWorker("replaceEdits", [text.body, edits], deadline)).splices);
}

/** A relative link keeps its text in its new place, and so may lead elsewhere from there. */
export function linkWarnings(version: Version, from: string, to: string): readonly string[] {
  const target = version.mode === LINK_MODE ? Buffer.from(bytesOf(version)).toString() : "/";
  const [before, now] = [from, to].map((path) =>
    withoutDotDot(`${parentOf(path)}/${target}`.split("/").filter((name) => name !== "" && name !== ".")),
  );
  if (target.startsWith("/") || before === now) return [];
  return [`${to} is a relative link: it now leads to ${now}, no longer to ${before}.`];
}

/** A file that is too large already may still shrink. */
function within(parts: readonly Uint8Array[], { raw, version }: Current, maxBytes: number): readonly Uint8Array[] {
  const size = sizeOf(parts);
  if (size <= Math.max(maxBytes, version?.size ?? 0)) return parts;
  throw new Refusal("file_too_large", `${raw} would have ${size} bytes; the limit is ${maxBytes}.`, {
    path: raw,
    next: "Write less, or several files in place of one.",
    details: { size, maxBytes },
  });
}

/** What a caller that has seen only a part of a file is about to overwrite. */
export function unseenRanges(planned: Planned, seen: Seen | undefined): readonly LineRange[] {
  const { version } = planned.current;
  if (version === null || planned.splices !== undefined || planned.after === null) return [];
  if (seen === undefined || seen.sha !== version.sha)
    return version.size === 0 ? [] : [{ from: 1, to: linesOf(planned.current) }];
  return neverShown(seen);
}

function linesOf(current: Current): number {
  try {
    return countLines(current.text.body);
  } catch (error) {
    if (error instanceof Refusal) return 1;
    throw error;
  }
}

export function unseenMessage(raw: string, ranges: readonly LineRange[]): string {
  const one = ranges.length === 1 && ranges[0]!.from === ranges[0]!.to;
  const lines = one ? `line ${formatRanges(ranges)} was` : `lines ${formatRanges(ranges)} were`;
  return `${raw} was overwritten as a whole although its ${lines} never shown to this session.`;
}

/** For a whole text in place of a version that the session has not read, though it has read an older one. */
export function newerMessage(raw: string): string {
  return `${raw} had changed since it was read; that newer content was overwritten and is kept in the history.`;
}

export function changeOf(planned: Planned, proof: string, createParents: boolean | undefined): Change {
  const before = planned.current.version;
  return {
    path: planned.current.path,
    from: before?.sha ?? null,
    ...(before !== null && { before }),
    to: planned.after,
    proof,
    ...(planned.movedFrom !== undefined && { movedFrom: planned.movedFrom }),
    ...(createParents && { createParents }),
  };
}

export function isChange(planned: Planned): boolean {
  const before = planned.current.version;
  if (planned.movedFrom !== undefined) return true;
  return before?.sha !== planned.after?.sha || (planned.after?.mode ?? before?.mode) !== before?.mode;
}

/** `mine`: what the caller makes of the version that it named. The splices are on the current text. */
/** Where the edit also fits the newer version by itself, it must be in the same places: a merge does not follow text that moved. */
async function rebased(
  current: Current,
  named: Current,
  [next, direct]: readonly [{ readonly splices: readonly Splice[] }, Next],
  deadline: Deadline,
): Promise<readonly Splice[]> {
  const mine = applySplices(named.text.body, next.splices);
  const { splices } = await merged(current, named, mine, deadline, true);
  const fitting = direct && "splices" in direct ? direct.splices : splices;
  if (splices.every(({ start, end }) => fitting.some((each) => each.start <= end && start <= each.end))) return splices;
  throw new Refusal("merge_conflict", `The text that you change has moved in ${current.raw} since that version.`, {
    path: current.raw,
    next: "Read the file again and make your change to what is there now.",
  });
}

async function merged(
  current: Current,
  named: Current,
  mine: string,
  deadline: Deadline,
  mayTouch = false,
): Promise<Extract<Merge, { ok: true }>> {
  const { raw: path } = current;
  const result = await runInWorker("merge3", [named.text.body, current.text.body, mine, mayTouch], deadline);
  if (result.ok) return result;
  throw new Refusal("merge_conflict", `${path} has changed in the same lines that you changed.`, {
    path,
    next: "Read the file again and make your change to what is there now.",
    details: { conflicts: conflictsOf(result) },
  });
}
