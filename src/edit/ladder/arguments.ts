// Arguments that no file could make right.

import { Refusal } from "../../kernel/failure.ts";
import { diffLines } from "../diff.ts";
import { kindOfPlaceholder, omissionPlaceholders } from "../omission.ts";
import { newToLf, type Source, toLf } from "../source.ts";
import { quote } from "../visible.ts";
import type { Wanted } from "./place.ts";

export function refuseBadArguments(oldText: string, newText: string): void {
  if (oldText === "") {
    throw new Refusal("empty_old_text", "The old text is empty: an edit replaces text that the file has.", {
      next: "Give the text to replace, or insert at a line number.",
    });
  }
  if (toLf(oldText) !== newToLf(newText)) return;
  throw new Refusal(
    "no_change",
    oldText === newText
      ? "Old and new text are the same."
      : "Old and new text differ in line endings only, and every line keeps its own.",
    { next: "Give the new text with the change in it." },
  );
}

/** "... rest unchanged ..." in new text would be written as it stands, in place of what it stands for. */
export function refuseNewPlaceholders(source: Source, { oldText, newText }: Wanted): void {
  const known = new Map<string, number>();
  for (const { text } of omissionPlaceholders(oldText)) known.set(text, (known.get(text) ?? 0) + 1);
  for (const { text, line } of omissionPlaceholders(newText)) {
    const left = known.get(text) ?? 0;
    if (left === 0) throw refusal(text, line);
    known.set(text, left - 1);
  }
  const swallowed = bareDotsForLines(source, oldText, newText);
  if (swallowed) throw refusal("...", swallowed);
}

function refusal(text: string, line: number): Refusal {
  return new Refusal(
    "omission_placeholder",
    `Line ${line} of the new text, ${quote(text)}, stands for text that was left out; it would replace that text.`,
    { next: "Write the lines out, or edit only the lines that change.", details: { line, placeholder: text } },
  );
}

// A bare `...` is a statement in Python: only where it would swallow several lines is it taken for an omission.
const MOST_SWALLOWED = 3;

/** The line of a bare `...` in new text that takes the place of several lines, in a file that has none itself. */
function bareDotsForLines(source: Source, oldText: string, newText: string): number | undefined {
  if (!newText.includes("...") && !newText.includes("…")) return undefined;
  const oldLines = oldText.split("\n");
  const newLines = newText.split("\n");
  const isBare = (line: string) => kindOfPlaceholder(line) === "bare";
  if (!newLines.some(isBare) || oldLines.some(isBare)) return undefined;
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(oldLines, newLines)) {
    const at = newLines.slice(bStart, bEnd).findIndex(isBare);
    if (
      at !== -1 &&
      aEnd - aStart - (bEnd - bStart) >= MOST_SWALLOWED &&
      !source.lines.some(({ text }) => isBare(text))
    ) {
      return bStart + at + 1;
    }
  }
  return undefined;
}
