// Where an Edit lands and how that is told: the cascade, or an insertion before a line.
import type { Seen } from "../../backends/backend.ts";
import { insertAtLine } from "../../edit/insert.ts";
import { type Landed, ladder } from "../../edit/ladder.ts";
import type { Splice } from "../../edit/splice.ts";
import type { Current } from "../../kernel/change.ts";
import { Refusal } from "../../kernel/failure.ts";
import { refusalFor } from "../../kernel/repair.ts";
import type { Session } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text.ts";
import type { EditInput } from "./edit.ts";

/** In a file that is not as the caller was shown it, only text that is still there to the letter may be replaced. */
export async function placed(
  session: Session,
  file: Current,
  request: EditInput,
): Promise<{ readonly splices: readonly Splice[]; readonly landed?: Landed }> {
  const { raw: path } = file;
  if (file.version === null) {
    throw new Refusal("not_found", `${path} does not exist.`, {
      path,
      next: "Find it with Glob, or create it with Write.",
    });
  }
  const outdated = file.proven ? undefined : await session.ledger.get(file.path);
  if (request.insert_at_line !== undefined) {
    if (outdated !== undefined) throw await stale(session, file, outdated, "Its line numbers may have moved.");
    return { splices: insertAtLine(file.text.body, request.insert_at_line, request.new_string) };
  }
  const landed = ladder(file.text.body, request.old_string, request.new_string, {
    fuzzyThreshold: request.fuzzy_threshold,
    maxSuggestions: request.max_suggestions,
    replaceAll: request.replace_all,
    seen: file.proven,
  });
  if (outdated === undefined || isExact(landed)) return { splices: landed.splices, landed };
  throw await stale(session, file, outdated, "old_string is no longer in it to the letter.");
}

async function stale(session: Session, file: Current, { sha }: Seen, why: string): Promise<Refusal> {
  const verdict = { ok: false, kind: "stale_file", expected: sha } as const;
  const { failure } = await refusalFor(session, verdict, {
    path: file.path,
    raw: file.raw,
    current: file.version,
  });
  return new Refusal("stale_file", `${failure.message} ${why}`, {
    path: file.raw,
    next: "Read the file again and re-apply your edit.",
    ...(failure.details !== undefined && { details: failure.details }),
  });
}

export function refuseMixedModes({ old_string, insert_at_line }: EditInput): void {
  if (old_string === "" && insert_at_line === undefined) {
    throw new Refusal("empty_old_text", "The required parameter `old_string` is missing or empty.", {
      next: "Give the exact text to replace.",
    });
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
    ...(strategy !== "exact" && { strategy, matched_text: displayable(matchedText) }),
    ...(similarity !== undefined && { similarity }),
  };
}

export function inexactNote(landed: Landed | undefined): string[] {
  if (landed === undefined || isExact(landed)) return [];
  const { strategy, similarity, startLine, endLine } = landed;
  const alike = similarity === undefined ? "" : ` (${Math.floor(similarity * 100)}% similar)`;
  return [
    `old_string did not match to the letter; it was found at lines ${startLine}-${endLine} by ${strategy}${alike}. Check the diff.`,
  ];
}
