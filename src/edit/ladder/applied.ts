// Edits that were made before: the new text is already where it would go.
import { contains, numbersOf, occurrences, sequenceOccurrences } from "../text/occurrences.ts";
import { lfView, linesOf, type Source } from "../text/source.ts";
import { LOOSEST, type Lookup } from "./compare/lookup.ts";
import { normal } from "./compare/normal.ts";
import { findText, possibleStarts } from "./levels/spacing.ts";
import { type Place, spanOf, type Wanted, weightOf } from "./place.ts";
import { alreadyApplied, alreadyAround, type LineRange, lineRange } from "./refuse.ts";

// A short addition may well be wanted twice.
const LEAST_WEIGHT = 12;
const TELLING_WEIGHT = 6;

/** Old text is nowhere: the lines where new text is instead, if any. */
export function findApplied(lookup: Lookup, { oldText, newText }: Wanted): LineRange | undefined {
  const lookedFor = newText.endsWith("\n") ? newText.slice(0, -1) : newText;
  if (weightOf([lookedFor]) < LEAST_WEIGHT || contains(oldText, lookedFor)) return undefined;
  const starts = possibleStarts(lookup, lookedFor);
  const [place] = findText(lookup, { oldText: lookedFor, newText: "" }, { trailing: true }, starts.slice(0, 100));
  return place && linesOf(lookup.source, spanOf(place).start, spanOf(place).end);
}

/** Old text is nowhere, and new text is all there is: no doubt that this is the edit, however short it is. */
export function refuseIfWhole({ source }: Lookup, { newText }: Wanted): void {
  if (newText === "" || lfView(source.text).text !== newText) return;
  throw alreadyApplied(linesOf(source, 0, source.text.length));
}

/** True when old and new text share a line that says where they belong; else new text may just stand somewhere else. */
export function sharesTellingLine({ oldText, newText }: Wanted): boolean {
  const known = new Set(oldText.split("\n").map((line) => normal(line, LOOSEST)));
  return newText.split("\n").some((line) => weightOf([line]) >= TELLING_WEIGHT && known.has(normal(line, LOOSEST)));
}

/** Old text was found to the letter at `start..end`: refuses if the text around it already makes it the new text. */
export function refuseIfTextAround(source: Source, start: number, end: number, { oldText, newText }: Wanted): void {
  if (newText.length <= oldText.length || weightOf([newText]) - weightOf([oldText]) < LEAST_WEIGHT) return;
  const from = Math.max(0, start - newText.length * 2);
  const view = lfView(source.text.slice(from, end + newText.length * 2));
  for (const at of occurrences(view.text, newText)) {
    const newStart = from + view.toOriginal(at);
    const newEnd = from + view.toOriginal(at + newText.length);
    if (newStart <= start && newEnd >= end) throw alreadyAround(linesOf(source, newStart, newEnd));
  }
}

/** Old text was found at `place`: refuses if the lines around it already make it the new text. */
export function refuseIfLinesAround(source: Source, place: Place): void {
  const { oldLines, newLines } = place.change;
  if (newLines.length <= oldLines.length || weightOf(newLines) <= weightOf(oldLines)) return;
  const { start, end } = spanOf(place);
  const first = source.lineAt(start);
  const last = source.lineAt(end);
  const from = Math.max(0, first - newLines.length);
  const around = source.lines.slice(from, last + newLines.length + 1);
  const ids = new Map<string, number>();
  const keys = newLines.map((line) => normal(line, LOOSEST));
  const wanted = numbersOf(keys, ids);
  const have = Int32Array.from(around, (line) => ids.get(normal(line.text, LOOSEST)) ?? -1);
  for (const at of sequenceOccurrences(have, wanted)) {
    const newFirst = from + at;
    if (newFirst <= first && newFirst + newLines.length - 1 >= last) {
      throw alreadyAround(lineRange(newFirst, newLines.length));
    }
  }
}
