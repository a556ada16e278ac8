// Refuses too many places, too long a result, and new text that leaves text out.

import { CALL_LIMITS } from "../../core/limits.ts";
import type { LineSpan } from "../../core/refusal-details.ts";
import { refuse } from "../../words/index.ts";
import { diffLines } from "../diff/diff.ts";
import { kindOfPlaceholder, omissionPlaceholders } from "../text/omission.ts";
import type { Source } from "../text/source.ts";
import type { Wanted } from "./place.ts";

/** Maximum number of places that a refusal lists. */
export const MAX_RANGES = 100;

/** The 1-based range of `count` lines from line index `first` on. */
export function lineRange(first: number, count: number): LineSpan {
  return { startLine: first + 1, endLine: first + count };
}

export function refuseTooMany(places: number): void {
  const limit = CALL_LIMITS.replacements;
  if (places > limit) throw refuse("old_text_in_too_many_places", { limit });
}

/** Asked before the result is made: many places times a long text can exceed the longest string. */
export function refuseTooLong(length: number): void {
  if (length > MAX_TEXT) throw refuse("edit_result_too_long", { length, longest: MAX_TEXT });
}

const MAX_TEXT = 2 ** 28;

/** Refuses placeholders such as "... rest unchanged ...": they would replace the text that they stand for. */
export function refuseNewPlaceholders(source: Source, { oldText, newText }: Wanted): void {
  const known = new Map<string, number>();
  for (const { text } of omissionPlaceholders(oldText)) known.set(text, (known.get(text) ?? 0) + 1);
  for (const { text, line } of omissionPlaceholders(newText)) {
    const left = known.get(text) ?? 0;
    if (left === 0) throw refuse("new_text_has_placeholder", { line, placeholder: text });
    known.set(text, left - 1);
  }
  const line = doubtfulForLines(source, oldText, newText);
  if (line) throw refuse("new_text_has_placeholder", { line, placeholder: newText.split("\n")[line - 1]!.trim() });
}

// A bare `...` may be Python, "unchanged" a comment. In the place of this many lines they are omissions.
const MIN_SWALLOWED = 3;

/** Finds a line of new text that replaces several lines and may stand for them. */
function doubtfulForLines(source: Source, oldText: string, newText: string): number | undefined {
  const newLines = newText.split("\n");
  const kinds = newLines.map(kindOfPlaceholder);
  if (!kinds.some((kind) => kind === "bare" || kind === "soft")) return undefined;
  const oldLines = oldText.split("\n");
  const known = new Set(oldLines.map((line) => line.trim()));
  const isBare = (line: string) => kindOfPlaceholder(line) === "bare";
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(oldLines, newLines)) {
    if (aEnd - aStart < MIN_SWALLOWED) continue;
    const fewer = aEnd - aStart - (bEnd - bStart) >= MIN_SWALLOWED;
    for (let at = bStart; at < bEnd; at++) {
      if (kinds[at] === "soft" && !known.has(newLines[at]!.trim())) return at + 1;
      if (kinds[at] === "bare" && fewer && !oldLines.some(isBare) && !source.lines.some(({ text }) => isBare(text))) {
        return at + 1;
      }
    }
  }
  return undefined;
}
