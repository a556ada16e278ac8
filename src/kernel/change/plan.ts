// Runs the edit of a change, and plans what each file becomes from what it returns.
import { LINK_MODE, type Path, type Resolved, type Version } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { ifRefused, Refusal } from "../../core/failure.ts";
import { parentOf, withoutDotDot } from "../../core/paths.ts";
import type { MergeConflict } from "../../core/refusal-details.ts";
import { bytesOf, sizeOf, versionOfLarge } from "../../core/version.ts";
import type { Merge } from "../../edit/diff/merge.ts";
import { toLf } from "../../edit/text/source.ts";
import { applySplices, type Splice } from "../../edit/text/splice.ts";
import { CHANGE_WARNINGS } from "../../words/change.ts";
import { knowing, refuse } from "../../words/index.ts";
import type { Action } from "../policy/policy.ts";
import { runInWorker } from "../run-in-worker.ts";
import { decode, encodeSplices, encodeWhole, type Text, withEolOf, withoutSecondMark } from "../text/text.ts";
import type { Admitted } from "./admit.ts";
import type { Change } from "./change.ts";
import { noteOthers } from "./external.ts";
import { refusalFor, sinceVersion } from "./stale.ts";

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

/** Return { splices }, { body } or { version }; null deletes the file, undefined leaves it alone. */
export type Next =
  | {
      /** Parts of the text to replace. */
      readonly splices: readonly Splice[];
      /** Added to `Seen.repeated`. */
      readonly repeated?: readonly string[];
    }
  | {
      /** A whole new text. */
      readonly body: string;
      /** How it is written; as the file is, when left out. */
      readonly encoding?: string;
      /** Permission bits; those of the file when left out. */
      readonly mode?: number;
      /** Added to `Seen.repeated`. */
      readonly repeated?: readonly string[];
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
  readonly repeated?: readonly string[] | undefined;
  readonly movedFrom?: Path;
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
      if (version === null) throw refuse("file_missing", { path: raw, action: "edit" });
      text ??= decode(version.parts, { path: raw, encoding });
      return text;
    },
  };
}

/** A target that the edit does something with. */
export interface Step extends Admitted {
  readonly planned: Planned;
}

/** Runs the edit. If it refuses, the refusal also says what happened to the file since the caller saw it. */
export async function edited(change: Change, files: readonly Admitted[]): Promise<Step[]> {
  try {
    return await planned(change, files);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw await explained(change, files, error);
  }
}

async function planned(change: Change, files: readonly Admitted[]): Promise<Step[]> {
  const { session, edit, options, deadline } = change;
  const targets = files.map(asNamed);
  const isMerged = files.some(({ base }) => base !== undefined);
  const direct = isMerged ? await directly(change, files).catch(ifRefused([])) : [];
  const nexts = await deadline.race(edit(targets));
  // History may bring back a file that is larger than the limit is now.
  const isBack = options.of !== undefined || files.every(({ place }) => place.target.action === "restore");
  const maxBytes = isBack ? Number.POSITIVE_INFINITY : session.workspace.policy.maxFileBytes;
  const steps: Step[] = [];
  for (const [i, file] of files.entries()) {
    const next = nexts[i];
    if (next === undefined) continue;
    await checkVersion(next, targets);
    const { action } = file.place.target;
    const how = { named: targets[i]!, direct: direct[i], maxBytes, action, deadline };
    steps.push({ ...file, planned: await plan(file.current, next, how) });
  }
  return steps;
}

/** The edit, made to the files as they are now. */
async function directly({ edit, deadline }: Change, files: readonly Admitted[]): Promise<readonly Next[]> {
  return deadline.race(edit(files.map(({ current }) => current)));
}

/** The version that the edit is made to: the one that a stale proof named, where it is merged into the newest. */
function asNamed({ current, base, place: { at, target } }: Admitted): Current {
  const { raw, rebasing } = current;
  return base === undefined ? current : currentOf(at, raw, base, { proven: true, rebasing, encoding: target.encoding });
}

async function explained({ session, options }: Change, files: readonly Admitted[], error: Refusal): Promise<Refusal> {
  const { path } = error.failure;
  const about = files.find(({ current, base }) => (path === undefined ? base : current.raw === path));
  if (about === undefined) return error;
  const { base, seen, place } = about;
  const { path: at, raw, version: current } = about.current;
  const { action, proof } = place.target;
  const isKnown = seen !== undefined && (proof.by !== "waived" || action === "edit");
  if (error.kind === "not_found" && current === null && isKnown) {
    await noteOthers(session.workspace, at, session.author(options), "a moment");
    return refusalFor(session, { ok: false, kind: "not_found" }, { path: at, raw, current, action, seen: true });
  }
  if (base === undefined) return error;
  return knowing(error, { since: await sinceVersion(session, base.sha, { path: at, raw, current }) });
}

/** The history finds bytes by their sha256: a wrong one would lose them. */
async function checkVersion(next: Next, targets: readonly Current[]): Promise<void> {
  if (!next || !("version" in next)) return;
  const { version } = next;
  if (targets.some((each) => each.version?.parts === version.parts && each.version.sha === version.sha)) return;
  const { sha, size } = await versionOfLarge(version.parts);
  if (sha !== version.sha || size !== version.size) throw refuse("invalid_argument", { argument: "version" });
}

interface PlanOptions {
  /** The version that the edit was made to: `current`, or the one that a stale proof named. */
  readonly named: Current;
  /** The same edit made to `current`, where it fits. */
  readonly direct: Next;
  readonly maxBytes: number;
  readonly action: Action;
  readonly deadline: Deadline;
}

async function plan(
  current: Current,
  next: Exclude<Next, undefined>,
  { named, direct, maxBytes, action, deadline }: PlanOptions,
): Promise<Planned> {
  const isMergeable = next !== null && !("version" in next);
  if (current.rebasing && !isMergeable) throw refuse("not_mergeable", { path: current.raw, action });
  if (next === null) return { current, after: null, warnings: [] };
  if ("version" in next) {
    const { version, movedFrom } = next;
    if (movedFrom === undefined) within(version.parts, current, maxBytes);
    if (movedFrom === undefined) return { current, after: version, warnings: [] };
    return { current, after: version, warnings: linkWarnings(version, movedFrom, current.path), movedFrom };
  }
  const mode = current.version?.mode;
  const { repeated } = next;
  if ("splices" in next) {
    const given = current.rebasing ? await rebased(current, named, [next, direct], deadline) : next.splices;
    const splices = given.map((each) => withoutSecondMark(current.text, each));
    const after = await versionOfLarge(within(encodeSplices(current.text, splices), current, maxBytes), mode);
    return { current, after, splices, repeated, warnings: [] };
  }
  const before = current.version === null ? null : current.text;
  const given = before === null ? next.body : await withEndingsOf(before, next.body, deadline);
  const body = current.rebasing ? (await merged(current, named, given, deadline)).text : given;
  const parts = within(encodeWhole(before, body, next.encoding), current, maxBytes);
  const after = await versionOfLarge(parts, next.mode ?? mode);
  const warnings = given === next.body ? [] : [CHANGE_WARNINGS.line_ends_kept(current.raw, before!.eol)];
  return { current, after, repeated, warnings };
}

/** A text with LF only takes on the file's line endings: in a mixed file, each line that of the line it replaces. */
async function withEndingsOf(text: Text, body: string, deadline: Deadline): Promise<string> {
  if (text.eol !== "mixed" || body.includes("\r")) return withEolOf(text, body);
  if (toLf(text.body) === body) return text.body;
  const edits = [{ oldText: text.body, newText: body }];
  return applySplices(text.body, (await runInWorker("replaceEdits", [text.body, edits], deadline)).splices);
}

/** A relative link keeps its text when it moves, and may then lead elsewhere. */
export function linkWarnings(version: Version, from: string, to: string): readonly string[] {
  const target = version.mode === LINK_MODE ? Buffer.from(bytesOf(version)).toString() : "/";
  const [before, now] = [from, to].map((path) =>
    withoutDotDot(`${parentOf(path)}/${target}`.split("/").filter((name) => name !== "" && name !== ".")),
  );
  if (target.startsWith("/") || before === now) return [];
  return [CHANGE_WARNINGS.link_leads_elsewhere(to, before!, now!)];
}

/** A file that is too large may still shrink. */
function within(parts: readonly Uint8Array[], { raw, version }: Current, maxBytes: number): readonly Uint8Array[] {
  const size = sizeOf(parts);
  if (size > Math.max(maxBytes, version?.size ?? 0)) throw refuse("result_too_large", { path: raw, size, maxBytes });
  return parts;
}

export function isChange(planned: Planned): boolean {
  const before = planned.current.version;
  if (planned.movedFrom !== undefined) return true;
  return before?.sha !== planned.after?.sha || (planned.after?.mode ?? before?.mode) !== before?.mode;
}

/** The edit as splices of the current text. Where it also fits there directly, both must be in the same places: a merge does not follow text that moved. */
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
  throw refuse("text_moved", { path: current.raw });
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
  throw refuse("same_lines_changed", { path, conflicts: conflictsOf(result) });
}

/** For a refusal of a merge with `ours` the file as it is now and `theirs` what the change wanted. */
export function conflictsOf({ conflicts }: Extract<Merge, { readonly ok: false }>): readonly MergeConflict[] {
  return conflicts.map(({ oursStart, oursEnd, base, ours, theirs }) => ({
    startLine: oursStart + 1,
    endLine: oursEnd,
    inBase: base,
    inFile: ours,
    wanted: theirs,
  }));
}
