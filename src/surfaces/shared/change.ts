// The one way of all dialects to change a file, and what its caller is told: what was not as it had been shown, what was
// overwritten unseen, and damage.
import type { Seen } from "../../core/backend.ts";
import { type Failure, Refusal, reworded } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { versionOf } from "../../core/version.ts";
import type { ExactEdit } from "../../edit/replace/replace.ts";
import { noteOthers } from "../../kernel/change/external.ts";
import type { Current, Next } from "../../kernel/change/plan.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import { followMoves, sinceVersion } from "../../kernel/change/stale.ts";
import { deadlineOf } from "../../kernel/progress.ts";
import { neverShown } from "../../kernel/read/seen.ts";
import { runInWorker } from "../../kernel/run-in-worker.ts";
import type { CallOptions, ChangeOptions, Session, Target } from "../../kernel/session.ts";
import { decode, encodeWhole } from "../../kernel/text/text.ts";
import { overwritten } from "../../words/change.ts";
import type { ToolContext } from "../tool.ts";
import { damageIn } from "./damage.ts";
import { legible } from "./legible.ts";

/** What becomes of a file, and what is to be told of it unless it stays as it is. */
interface Edited {
  readonly next: Next;
  readonly notes?: readonly string[];
}

/** `linted`: a linter tells what does not parse. */
export async function changeFile(
  { session, call, warn }: ToolContext,
  target: Target,
  edit: (file: Current) => Edited | Promise<Edited>,
  { linted = false, ...options }: ChangeOptions & { readonly linted?: boolean } = {},
): Promise<ChangedFile> {
  let notes: readonly string[] = [];
  const { files, warnings } = await session.change(
    [target],
    async ([current]) => {
      const edited = await edit(current!);
      notes = edited.notes ?? [];
      return [edited.next];
    },
    { ...call, ...options },
  );
  const file = files[0]!;
  const told = file.before === file.after ? [] : notes;
  warn(...warnings.map((each) => legible(each, target.path)), ...told, ...(await damageIn(session, files, { linted })));
  return file;
}

/** Exact edits, all matched on the file as it is. */
export function replacedIn(session: Session, file: Current, edits: readonly ExactEdit[], call: CallOptions) {
  return runInWorker("replaceEdits", [file.text.body, edits], deadlineOf(session, call));
}

/** For a text that replaces a whole file without a proof: what of the old one the session never saw. */
export async function overwriteNotes(session: Session, current: Current, seen: Seen | undefined): Promise<string[]> {
  const { version, raw, rebasing } = current;
  if (seen === undefined || rebasing) return [];
  const name = printable(raw);
  if (version === null) {
    const { movedTo } = await followMoves(session, current.path);
    const was = movedTo === undefined ? "moved or deleted" : `moved to ${printable(movedTo)}`;
    return [`${name} was ${was} since you read it, and is there again now.`];
  }
  if (seen.sha !== version.sha) return [overwritten(name, "newer")];
  const ranges = neverShown(seen);
  return ranges.length === 0 ? [] : [overwritten(name, ranges)];
}

/** Runs an edit; where its text is not found in a file that has changed since it was read, the refusal tells what changed. */
export async function tellingChanges<T>(
  session: Session,
  file: Current,
  call: CallOptions,
  edit: () => T | Promise<T>,
): Promise<T> {
  try {
    return await edit();
  } catch (error) {
    const missed = error instanceof Refusal && MISSES.has(error.kind) ? error : undefined;
    const seen = missed === undefined || file.proven ? undefined : await session.ledger.get(file.path);
    if (missed === undefined || seen === undefined) throw error;
    const { kind, suggestedAction, details } = missed.failure;
    const again = "The file has changed since you read it: read it again and re-apply your edit.";
    throw reworded(missed, {
      path: file.raw,
      next: kind === "anchor_stale" ? (suggestedAction ?? again) : again,
      details: { ...details, ...(await changesSince(session, file, seen, call)) },
    });
  }
}

/** The diff from what was seen, the versions, and who changed it, as far as they are known. */
export async function changesSince(
  session: Session,
  file: Current,
  { sha }: Pick<Seen, "sha">,
  call: CallOptions,
): Promise<Record<string, unknown>> {
  await noteOthers(session.workspace, file.path, session.author(call), "a moment");
  const since = await sinceVersion(session, sha, { path: file.path, raw: file.raw, current: file.version });
  return { ...since, changedSinceRead: true };
}

const MISSES: ReadonlySet<Failure["kind"]> = new Set(["old_text_not_found", "multiple_matches", "anchor_stale"]);

/** Text keeps the encoding and line endings of the file it replaces; bytes that are no text are replaced as a whole. */
export function wholeText(file: Current, content: string, encoding?: string): Required<Edited> {
  const next = { body: content, ...(encoding !== undefined && { encoding }) };
  if (file.version === null) return { next, notes: [] };
  const name = printable(file.raw);
  try {
    const before = file.text.encoding;
    const after = encoding === undefined ? before : decode(encodeWhole(null, "", encoding), { encoding }).encoding;
    return { next, notes: before === after ? [] : [`${name} was ${before} and is ${after} now.`] };
  } catch (error) {
    if (!(error instanceof Refusal) || !["binary_file", "not_text"].includes(error.kind)) throw error;
    const version = versionOf(encodeWhole(null, content, encoding), file.version.mode);
    return { next: { version }, notes: [`${name} held no text before; all of it was replaced.`] };
  }
}
