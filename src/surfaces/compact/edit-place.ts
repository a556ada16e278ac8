// Where an Edit lands and how that is told: the cascade, or an insertion before a line.
import type { Seen } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import type { Landed } from "../../edit/ladder/index.ts";
import { insertAtLine } from "../../edit/replace/replace.ts";
import type { Splice } from "../../edit/text/splice.ts";
import type { Current } from "../../kernel/change/plan.ts";
import { deadlineOf } from "../../kernel/progress.ts";
import { runInWorker } from "../../kernel/run-in-worker.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { refuse } from "../../words/index.ts";
import { linesBetween } from "../../words/plural.ts";
import { changesSince } from "../shared/change.ts";
import { legibleDiff } from "../shared/legible.ts";
import type { EditInput } from "./tools/edit.ts";

/** In a file that is not as the caller was shown it, only text that is still there to the letter may be replaced. */
export async function placed(
  session: Session,
  file: Current,
  request: EditInput,
  call: CallOptions,
): Promise<{ readonly splices: readonly Splice[]; readonly landed?: Landed }> {
  const { raw: path } = file;
  if (file.version === null) throw refuse("file_missing", { path, action: "edit" });
  const outdated = file.proven ? undefined : await session.ledger.get(file.path);
  if (request.insert_at_line !== undefined) {
    if (outdated !== undefined) throw await stale(session, file, outdated, call, "Its line numbers may have moved.");
    return { splices: insertAtLine(file.text.body, request.insert_at_line, request.new_string) };
  }
  const landed = await lookedFor(file, request, outdated !== undefined, deadlineOf(session, call));
  if (landed !== undefined && (outdated === undefined || isExact(landed))) return { splices: landed.splices, landed };
  const why = landed === undefined ? "old_string is no longer in it." : "old_string is no longer in it to the letter.";
  throw await stale(session, file, outdated!, call, why);
}

/** Undefined: not there, in a file of which the caller knows another version. */
async function lookedFor(
  file: Current,
  request: EditInput,
  outdated: boolean,
  deadline: Deadline,
): Promise<Landed | undefined> {
  const { old_string: oldText, new_string: newText } = request;
  const { body } = file.text;
  const options = {
    fuzzyThreshold: request.fuzzy_threshold,
    maxSuggestions: request.max_suggestions,
    replaceAll: request.replace_all,
    seen: file.proven,
  };
  try {
    return await runInWorker("ladder", [body, oldText, newText, options], deadline);
  } catch (error) {
    if (outdated && error instanceof Refusal && error.kind === "old_text_not_found") return undefined;
    throw error;
  }
}

async function stale(session: Session, file: Current, seen: Seen, call: CallOptions, why: string): Promise<Refusal> {
  const details = await changesSince(session, file, seen, call);
  return new Refusal("stale_file", `${printable(file.raw)} has changed since you read it. ${why}`, {
    path: file.raw,
    next: "Read the file again and re-apply your edit.",
    details,
  });
}

export function refuseMixedModes({ old_string, insert_at_line }: EditInput): void {
  if (old_string === "" && insert_at_line === undefined) {
    throw refuse("old_text_empty", {});
  }
  if (old_string === "" || insert_at_line === undefined) return;
  throw new Refusal("invalid_input", "`old_string` and `insert_at_line` cannot be given together.", {
    next: "Leave one of them out.",
  });
}

/** Whatever its line endings, the text was there to the letter. */
function isExact({ strategy }: Landed): boolean {
  return strategy === "exact" || strategy === "line_endings";
}

export function howFound(landed: Landed | undefined) {
  if (landed === undefined) return { operation: "insert" as const };
  const { strategy, similarity, matchedText, occurrences } = landed;
  return {
    operation: "replace" as const,
    ...(occurrences > 1 && { occurrences }),
    ...(strategy !== "exact" && { strategy, matched_text: legibleDiff(matchedText) }),
    ...(similarity !== undefined && { similarity }),
  };
}

export function inexactNote(landed: Landed | undefined): string[] {
  if (landed === undefined || isExact(landed)) return [];
  const { strategy, similarity, startLine, endLine, occurrences } = landed;
  const alike = similarity === undefined ? "" : ` (${Math.floor(similarity * 100)}% similar)`;
  const at = `${occurrences > 1 ? `${occurrences} times, first ` : ""}at ${linesBetween(startLine, endLine)}`;
  return [`old_string did not match to the letter; it was found ${at} by ${strategy}${alike}. Check the diff.`];
}
