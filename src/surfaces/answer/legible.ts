// Messages, refusals and diffs as they may be shown: nothing in them moves a cursor, reorders the text around it or begins a line.
import type { Failure } from "../../core/failure.ts";
import { printableLines, printableMessage, withPrintableNames } from "../../core/printable.ts";
import { withoutCr } from "../../edit/text/lines.ts";
import { displayable } from "../../kernel/text/text.ts";

/** A message that may quote names and lines of files. `path` is one that it may name, in any spelling. */
export function legible(message: string, path = ""): string {
  return printableMessage(withNamesOf(path, message));
}

/** A line that a search found, to look at and not to edit: its line end is left out, and nothing in it moves a cursor. */
export function foundLine(line: string): string {
  return legibleDiff(withoutCr(line));
}

/** A refusal whose words can be printed; `path` stays as it is, for programs. */
export function legibleFailure(failure: Failure, path = failure.path): Failure {
  const { suggestedAction, details } = failure;
  return {
    ...failure,
    message: legible(failure.message, path),
    ...(suggestedAction !== undefined && { suggestedAction: legible(suggestedAction, path) }),
    ...(typeof details?.diff === "string" && {
      details: { ...details, diff: legibleDiff(details.diff, path) },
    }),
  };
}

/** A diff: its lines are as the file has them, but for bytes that are no text, and what a terminal would obey. */
export function legibleDiff(diff: string, path = ""): string {
  return printableLines(withNamesOf(path, diff));
}

function withNamesOf(path: string, text: string): string {
  return withPrintableNames(displayable(text), [path], displayable);
}
