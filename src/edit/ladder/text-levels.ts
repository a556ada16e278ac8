// Levels that look for the old text itself, anywhere, overlooking blanks or look-alike characters.

import { occurrences, sequenceOccurrences } from "../occurrences.ts";
import type { Source } from "../source.ts";
import { intern } from "./interned.ts";
import { oneToOne, segmentsOf } from "./merge.ts";
import { mapped, normal, type Tolerance } from "./normal.ts";
import { asWritten, type Place, type Wanted } from "./place.ts";

/** Where old text starts and ends: line indices, and columns of the file's own lines. */
interface Spot {
  readonly first: number;
  readonly last: number;
  readonly startColumn: number;
  readonly endColumn: number;
}

/** Every place of old text under `tolerance`; it may start and end within a line. */
export function findText(source: Source, wanted: Wanted, tolerance: Tolerance): Place[] {
  const oldLines = wanted.oldText.split("\n");
  const newLines = wanted.newText.split("\n");
  const spots =
    oldLines.length === 1 ? inOneLine(source, oldLines[0]!, tolerance) : acrossLines(source, oldLines, tolerance);
  return spots.map(({ first, last, startColumn, endColumn }) => ({
    alignment: oneToOne(segmentsOf(source, first, last, startColumn, endColumn)),
    change: { oldLines, newLines, fit: asWritten },
  }));
}

function inOneLine(source: Source, old: string, tolerance: Tolerance): Spot[] {
  const needle = normal(old, tolerance);
  if (needle === "") return [];
  const toLineEnd = losesItsEnd(old, needle, tolerance);
  return source.lines.flatMap(({ text }, index) => {
    const line = normal(text, tolerance);
    if (!line.includes(needle[0]!) || line.length < needle.length) return [];
    const found = occurrences(line, needle).filter((at) => !toLineEnd || at + needle.length === line.length);
    if (found.length === 0) return [];
    const view = mapped(text, tolerance);
    return found.flatMap((at) => {
      const end = at + needle.length;
      if (!startsCharacter(view.starts, at) || !startsCharacter(view.starts, end)) return [];
      return [{ first: index, last: index, startColumn: view.starts[at]!, endColumn: view.ends[end - 1]! }];
    });
  });
}

function acrossLines(source: Source, oldLines: readonly string[], tolerance: Tolerance): Spot[] {
  const { lines } = source;
  const head = normal(oldLines[0]!, tolerance);
  const tail = normal(oldLines.at(-1)!, tolerance);
  const tailToLineEnd = losesItsEnd(oldLines.at(-1)!, tail, tolerance);
  const middle = oldLines.slice(1, -1);
  const starts = middle.length === 0 ? lines.map((_, index) => index) : middleStarts(source, middle, tolerance);
  const spots: Spot[] = [];
  for (const first of starts) {
    const last = first + oldLines.length - 1;
    if (last >= lines.length) continue;
    const headLine = lines[first]!.text;
    const tailLine = lines[last]!.text;
    const headKey = normal(headLine, tolerance);
    const tailKey = normal(tailLine, tolerance);
    if (!headKey.endsWith(head) || !tailKey.startsWith(tail)) continue;
    if (tailToLineEnd && tailKey.length !== tail.length) continue;
    const startColumn = columnBefore(headLine, headKey.length - head.length, tolerance);
    const endColumn = tailToLineEnd ? tailLine.length : columnAfter(tailLine, tail.length, tailKey.length, tolerance);
    if (startColumn === undefined || endColumn === undefined) continue;
    spots.push({ first, last, startColumn, endColumn });
  }
  return spots;
}

/** Candidates for the line before the middle: lines that old text covers whole must all be equal. */
function middleStarts(source: Source, middle: readonly string[], tolerance: Tolerance): number[] {
  const ids = intern(
    source.lines.map((line) => line.text),
    middle,
    tolerance,
  );
  return sequenceOccurrences(ids.file, ids.old)
    .map((at) => at - 1)
    .filter((at) => at >= 0);
}

function columnBefore(line: string, at: number, tolerance: Tolerance): number | undefined {
  if (at === 0) return 0;
  const { starts, text } = mapped(line, tolerance);
  if (at === text.length) return line.length;
  return startsCharacter(starts, at) ? starts[at] : undefined;
}

function columnAfter(line: string, length: number, whole: number, tolerance: Tolerance): number | undefined {
  if (length === 0) return 0;
  if (length === whole) return line.length;
  const { starts, ends } = mapped(line, tolerance);
  return startsCharacter(starts, length) ? ends[length - 1] : undefined;
}

/** False in the middle of what one character of the file was folded to. */
function startsCharacter(starts: readonly number[], at: number): boolean {
  return at === 0 || at >= starts.length || starts[at] !== starts[at - 1];
}

/** Blanks at the end of old text were dropped: what they stood for is the end of a line, nothing else. */
function losesItsEnd(old: string, normalised: string, tolerance: Tolerance): boolean {
  return tolerance.trailing === true && normalised !== normal(old, { ...tolerance, trailing: false });
}
