// Refusals in words for models whose tools are not those of a surface: nothing in them names a tool or a sha256.
import type { Failure, FailureKind, Refusal } from "../../core/failure.ts";
import { withNext } from "../../surfaces/answer/last-resort.ts";
import { legibleFailure } from "../../surfaces/answer/legible.ts";
import { inWords } from "../../surfaces/call.ts";

/** `Look`: what these tools call it to be shown a file. */
export function plainFailure(given: Failure, Look: "View" | "Read"): Failure {
  const failure = withNext(legibleFailure(given));
  const next = nextFor(failure, Look);
  const message = failure.message.replace(/\b(old|new)_string\b/g, Look === "View" ? "$1_str" : "$&");
  return { ...failure, message, ...(next !== undefined && { suggestedAction: next }) };
}

/** What did not happen, why, the one next action, and what has changed since. */
export function refusalText({ failure }: Refusal, refused: string): string {
  return inWords(plainFailure(failure, "Read"), refused);
}

function nextFor({ kind, details }: Failure, Look: string): string | undefined {
  // Of a read: other tools count lines in other ways, and say so themselves.
  if (kind === "line_out_of_range" && typeof details?.lines === "number")
    return details.lines === 0 ? "It is empty." : `Ask for lines from 1 to ${details.lines}.`;
  const again = `${Look} it again, and make your change to what is there now.`;
  if (details?.changedSinceRead === true) return again;
  const next: Partial<Record<FailureKind, string>> = {
    unread_file: `${Look} it first, then call again.`,
    stale_file: again,
    unseen_content: `${Look} the rest of it first, then call again.`,
    multiple_matches: "Add lines before or after it that only the right place has.",
    already_exists: "Choose another name.",
    not_found: "Check the path; list the directory to see what is there.",
  };
  return next[kind];
}
