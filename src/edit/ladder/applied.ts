// Edits that were made before: the new text is already where it would go.

import { occurrences, sequenceOccurrences } from "../occurrences.ts";
import { lfView, lineIndexAt, type Source } from "../source.ts";
import { UNINDENTED_RUNS } from "./indentation.ts";
import { intern } from "./interned.ts";
import { type Place, spanOf, type Wanted, weightOf } from "./place.ts";
import { alreadyApplied, lineRange, linesOf } from "./refuse.ts";
import { findText } from "./text-levels.ts";

// A short addition may well be wanted twice.
const LEAST_WEIGHT = 12;

/** Old text is nowhere: refuses if that is because new text is there. */
export function refuseIfApplied(source: Source, { oldText, newText }: Wanted): void {
  const lookedFor = newText.endsWith("\n") ? newText.slice(0, -1) : newText;
  if (weightOf([lookedFor]) < LEAST_WEIGHT || oldText.includes(lookedFor)) return;
  const [place] = findText(source, { oldText: lookedFor, newText: "" }, { trailing: true });
  if (place) throw alreadyApplied(linesOf(source, spanOf(place).start, spanOf(place).end));
}

/** Old text is at `place`: refuses if the lines around it already make it the new text. */
export function refuseIfAround(source: Source, place: Place, exact: boolean): void {
  const { oldLines, newLines } = place.change;
  if (weightOf(newLines) - weightOf(oldLines) < (exact ? LEAST_WEIGHT : 1)) return;
  if (oldLines.length === 1) refuseTextAround(source, place, newLines.join("\n"));
  else refuseLinesAround(source, place);
}

function refuseTextAround(source: Source, place: Place, newText: string): void {
  const { start, end } = spanOf(place);
  const from = Math.max(0, start - newText.length * 2);
  const view = lfView(source.text.slice(from, end + newText.length * 2));
  for (const at of occurrences(view.text, newText)) {
    const newStart = from + view.toOriginal(at);
    const newEnd = from + view.toOriginal(at + newText.length);
    if (newStart <= start && newEnd >= end) throw alreadyApplied(linesOf(source, newStart, newEnd));
  }
}

function refuseLinesAround(source: Source, place: Place): void {
  const { newLines } = place.change;
  const { start, end } = spanOf(place);
  const first = lineIndexAt(source.lines, start);
  const last = lineIndexAt(source.lines, end);
  const from = Math.max(0, first - newLines.length);
  const around = source.lines.slice(from, last + newLines.length + 1).map((line) => line.text);
  const ids = intern(around, newLines, UNINDENTED_RUNS);
  for (const at of sequenceOccurrences(ids.file, ids.old)) {
    const newFirst = from + at;
    if (newFirst <= first && newFirst + newLines.length - 1 >= last)
      throw alreadyApplied(lineRange(newFirst, newLines.length));
  }
}
