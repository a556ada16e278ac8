// Arguments that no file could make right.

import { Refusal } from "../../core/failure.ts";
import { diffLines } from "../diff/diff.ts";
import { kindOfPlaceholder, omissionPlaceholders } from "../text/omission.ts";
import type { Source } from "../text/source.ts";
import { quote } from "../text/visible.ts";
import type { Wanted } from "./place.ts";

export function refuseBadArguments(oldText: string, newText: string): void {
  if (oldText === "") {
    throw new Refusal("empty_old_text", "The old text is empty: an edit replaces text that the file has.", {
      next: "Give the text to replace, or insert at a line number.",
    });
  }
  if (oldText !== newText) return;
  throw new Refusal("no_change", "Old and new text are the same.", {
    next: "Give the new text with the change in it.",
  });
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
  const swallowing = doubtfulForLines(source, oldText, newText);
  if (swallowing) throw refusal(newText.split("\n")[swallowing - 1]!.trim(), swallowing);
}

function refusal(text: string, line: number): Refusal {
  return new Refusal(
    "omission_placeholder",
    `Line ${line} of the new text, ${quote(text)}, stands for text that was left out; it would replace that text.`,
    { next: "Write the lines out, or edit only the lines that change.", details: { line, placeholder: text } },
  );
}

// A bare `...` is a statement in Python, "unchanged" a comment: where they take the place of several lines, an omission.
const LEAST_SWALLOWED = 3;

/** The line of new text that takes the place of several lines and may stand for them. */
function doubtfulForLines(source: Source, oldText: string, newText: string): number | undefined {
  const newLines = newText.split("\n");
  const kinds = newLines.map(kindOfPlaceholder);
  if (!kinds.some((kind) => kind === "bare" || kind === "soft")) return undefined;
  const oldLines = oldText.split("\n");
  const known = new Set(oldLines.map((line) => line.trim()));
  const isBare = (line: string) => kindOfPlaceholder(line) === "bare";
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(oldLines, newLines)) {
    if (aEnd - aStart < LEAST_SWALLOWED) continue;
    const fewer = aEnd - aStart - (bEnd - bStart) >= LEAST_SWALLOWED;
    for (let at = bStart; at < bEnd; at++) {
      if (kinds[at] === "soft" && !known.has(newLines[at]!.trim())) return at + 1;
      if (kinds[at] === "bare" && fewer && !oldLines.some(isBare) && !source.lines.some(({ text }) => isBare(text))) {
        return at + 1;
      }
    }
  }
  return undefined;
}
