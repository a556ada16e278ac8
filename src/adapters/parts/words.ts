// Refusals in words for models whose tools are not those of a surface: nothing in them names a tool or a sha256.
import type { Refusal } from "../../core/failure.ts";
import { type Dialect, type Rows, worded } from "../../surfaces/refusal.ts";

/** `Look`: what these tools call it to be shown a file. */
export function plainWords(Look: "View" | "Read"): Dialect {
  const again = { next: `${Look} it again, and make your change to what is there now.` };
  const rows: Rows = {
    // Of a read: other tools count lines in other ways, and say so themselves.
    line_out_of_range: ({ details: { lines } }) =>
      typeof lines === "number"
        ? { next: lines === 0 ? "It is empty." : `Ask for lines from 1 to ${lines}.` }
        : undefined,
    empty_old_text: () => (Look === "View" ? { why: "old_str is empty." } : undefined),
    unread_file: () => ({ next: `${Look} it first, then call again.` }),
    stale_file: () => again,
    old_text_not_found: ({ details }) => (details.changedSinceRead ? { nextInText: again.next } : undefined),
    unseen_content: () => ({ next: `${Look} the rest of it first, then call again.` }),
    multiple_matches: () => ({ next: "Add lines before or after it that only the right place has." }),
    already_exists: () => ({ next: "Choose another name." }),
    not_found: () => ({ next: "Check the path; list the directory to see what is there." }),
  };
  return { rows, common: {} };
}

/** What did not happen, why, the one next action, and what has changed since. */
export function refusalText(refusal: Refusal, refused: string): string {
  return worded(refusal, plainWords("Read"), { tool: { name: "", effect: "write", refused }, offered: [] }).text;
}
