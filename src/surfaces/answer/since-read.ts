// What a caller is told about a file that is not, or not all of it, as it was shown to the session.
import type { Seen } from "../../core/backend.ts";
import { type Failure, Refusal, reworded } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { noteOthers } from "../../kernel/change/external.ts";
import type { Current } from "../../kernel/change/plan.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import { sinceVersion } from "../../kernel/change/stale.ts";
import { neverShown } from "../../kernel/read/seen.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { overwritten } from "../../words/change.ts";

/** For a text that replaces a whole file without a proof: what of the old one the session never saw. */
export function overwriteNotes({ version, raw, rebasing }: Current, seen: Seen | undefined): string[] {
  if (seen === undefined || rebasing) return [];
  const name = printable(raw);
  if (version === null) return [`${name} was moved or deleted since you read it, and is there again now.`];
  if (seen.sha !== version.sha) return [overwritten(name, "newer")];
  const ranges = neverShown(seen);
  return ranges.length === 0 ? [] : [overwritten(name, ranges)];
}

/** Nothing is to be said of what was overwritten where a write left every byte as it was. */
export function toldOf(file: ChangedFile | undefined, notes: readonly string[]): readonly string[] {
  return file?.before === file?.after ? [] : notes;
}

/** What a whole new text changes in the form of the old one: a byte order mark that it brings along. */
export function formNotes(file: Current, body: string): string[] {
  if (file.version === null || !body.startsWith("\uFEFF")) return [];
  const { raw, text } = file;
  if (text.bom || !text.encoding.startsWith("utf-")) return [];
  return [`${printable(raw)} had no byte order mark and has one now.`];
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
