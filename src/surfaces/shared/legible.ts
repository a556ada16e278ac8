// Messages, refusals and diffs as they may be shown: nothing in them moves a cursor, reorders the text around it or begins a line.
import type { Failure } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { printableLines, printableMessage, withPrintableNames } from "../../core/printable.ts";
import { cutDiff } from "../../edit/diff/unified.ts";
import { withoutCr } from "../../edit/text/lines.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
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

/** What a change did, as every answer shows it: a few kilobytes, and where it was cut, how to see the rest. */
export function shownDiff({ diff, path, after }: Pick<ChangedFile, "diff" | "path" | "after">): string {
  const { text, truncated } = cutDiff(legibleDiff(diff.text, path), LIMITS.staleDiffBytes);
  const rest = after === null ? "its last version is kept" : "read the file for its lines as they are now";
  return truncated ? `${text}…(cut; ${rest})\n` : text;
}

function withNamesOf(path: string, text: string): string {
  return withPrintableNames(displayable(text), [path], displayable);
}
