// Which version a caller means: the text its session was shown, and the version it names as `expected_file_version`. The
// anchors of a file that others changed since are refused, with what the next call needs to be right.
import type { Path, Seen, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { type AnchorEditOptions, type AnchorOperation, fileVersion } from "../../edit/anchors/index.ts";
import { cutLine } from "../../edit/diff/unified.ts";
import { noteOthers } from "../../kernel/change/external.ts";
import type { Current } from "../../kernel/change/plan.ts";
import { remembering } from "../../kernel/change/remember.ts";
import { knownVersion, refusalFor } from "../../kernel/change/stale.ts";
import { deadlineOf } from "../../kernel/progress.ts";
import { isLarge, runInWorker } from "../../kernel/run-in-worker.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { decode } from "../../kernel/text/text.ts";
import { FILL_EMPTY, READ_AGAIN } from "../../words/anchors.ts";
import { changesSince } from "../shared/change.ts";
import { rememberShown } from "./shown.ts";

/** What the session was shown of a file. */
export interface SeenText extends Pick<Seen, "sha" | "shown" | "repeated"> {
  /** Undefined when the bytes are not kept any more. */
  readonly text: string | undefined;
  readonly fileVersion: string;
}

export async function seenText(session: Session, path: Path): Promise<SeenText | undefined> {
  const seen = await session.ledger.get(path);
  if (seen === undefined) return undefined;
  const text = textOf(await knownVersion(session, path, seen.sha));
  return { ...seen, text, fileVersion: text === undefined ? `fv_${seen.sha.slice(0, 8)}` : fileVersion(text) };
}

/** The same, unless that is the file as it still is. */
export async function seenBefore(session: Session, file: Current): Promise<SeenText | undefined> {
  const seen = await session.ledger.get(file.path);
  return seen?.sha === file.version?.sha ? undefined : seenText(session, file.path);
}

/** What the session knows of the file. `named`: the caller says that its anchors are of this very version. */
export async function knownLines(session: Session, path: Path, named: boolean): Promise<AnchorEditOptions> {
  const seen = await session.ledger.get(path);
  // Numbers that this session was not given count only where the caller says of which version they are.
  if (seen === undefined) return named ? {} : { numbered: [] };
  const { shown, numbered = [], repeated } = seen;
  const older = seen.since === "older";
  return { shown, numbered, repeated, older };
}

/** Refuses unless the file is the version that the caller expects, and tells what happened to it. */
export async function requireVersion(
  session: Session,
  file: Current,
  expected: string | undefined,
  call: CallOptions,
): Promise<void> {
  if (expected === undefined || file.version === null) return;
  const actual = fileVersion(file.text.body);
  if (actual === expected) return;
  throw await changedSince(session, file, { expected, actual }, call);
}

async function changedSince(
  session: Session,
  file: Current,
  { expected, actual }: { readonly expected: string; readonly actual: string },
  call: CallOptions,
): Promise<Refusal> {
  await noteOthers(session.workspace, file.path, session.author(call), "a moment");
  const before = await seenBefore(session, file);
  const isSeen = before?.fileVersion === expected;
  const stale = { ok: false, kind: "stale_file", expected: isSeen ? before.sha : expected } as const;
  const repair = await refusalFor(session, stale, { path: file.path, raw: file.raw, current: file.version });
  const { expectedSha256: _, ...details } = repair.failure.details ?? {};
  // Who has not been shown all that changed must not be able to say that it has.
  const isShown = details.currentSha256 !== undefined;
  const now = isShown ? `it is ${actual} now` : "it is another one now";
  return new Refusal("stale_file", `${repair.failure.message} You expect ${expected}; ${now}.`, {
    path: file.raw,
    next: READ_AGAIN,
    details: {
      expected_file_version: expected,
      ...(isShown && { file_version: actual }),
      ...(isSeen && { expectedSha256: before.sha }),
      ...details,
    },
  });
}

function textOf(version: Version | null): string | undefined {
  if (version === null) return undefined;
  try {
    return decode(version.parts).body;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const GO_ON = "Go on with the anchors below, a repeated line by its ctx; for cut and other lines read the file again.";

/** Of the version that the session was shown last no anchor is followed through the changes of others. */
export async function changedByOthers(
  session: Session,
  file: Current,
  { operations, earlier }: { readonly operations: readonly AnchorOperation[]; readonly earlier: SeenText },
  call: CallOptions,
): Promise<Refusal> {
  const { body } = file.text;
  const fresh = await runInWorker("freshAnchors", [body, operations, earlier], deadlineOf(session, call));
  const lines = fresh.lines.map((line) => cutLine(line, LIMITS.staleDiffBytes));
  // A line that is cut does not count as shown: what others changed may be in the rest of it.
  const cut = lines.filter((line, n) => line !== fresh.lines[n]).map((line) => Number.parseInt(line, 10));
  const { shown, missing } = { ...fresh, shown: fresh.shown.filter((number) => !cut.includes(number)) };
  const changes = await changesSince(session, file, earlier, call);
  const details = {
    ...changes,
    error_family: "anchor_stale",
    suggested_action: "re-read_file",
    ...(changes.currentSha256 !== undefined && { file_version: fileVersion(body) }),
    ...(missing.length > 0 && { missingHashes: missing }),
    ...(lines.length > 0 && { fresh_anchors: lines }),
  };
  // The next call may go on from the lines that the refusal shows. Of large files only from those.
  if (shown.length > 0 || body === "") {
    const answer = { after: body, shown, earlier: { ...earlier, ...(isLarge(body.length) && { text: undefined }) } };
    const standing = { path: file.path, sha: file.version!.sha };
    for (const warning of await remembering(() => rememberShown(session, standing, answer))) call.warn?.(warning);
  }
  const none = missing.length === 0 ? "" : `: no line of it has the hash ${missing.join(" or ")} now`;
  return new Refusal("anchor_stale", `The file has changed since these anchors were read${none}.`, {
    path: file.raw,
    next: body === "" ? FILL_EMPTY : shown.length > 0 ? GO_ON : READ_AGAIN,
    details,
  });
}
