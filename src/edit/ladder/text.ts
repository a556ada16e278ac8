// Levels that find old text anywhere, also within lines, and overlook blanks or look-alike characters.
import { isBlankLine } from "../text/blocks.ts";
import { contains, occurrences, sequenceOccurrences } from "../text/occurrences.ts";
import { LOOSEST, type Lookup, mapped, normal, type Tolerance } from "./compare.ts";
import { sharesIndentation } from "./exact.ts";
import { oneToOne, segmentsOf } from "./merge.ts";
import { asWritten, type Place, type Wanted } from "./place.ts";

/** The place of old text: line indices, and columns of the file's lines. */
interface Spot {
  readonly first: number;
  readonly last: number;
  readonly startColumn: number;
  readonly endColumn: number;
}

/** Finds the lines in which old text may start at some level. */
export function possibleStarts({ keys, ids, idsOf }: Lookup, oldText: string): number[] {
  const oldLines = oldText.split("\n");
  const head = normal(oldLines[0]!, LOOSEST);
  if (oldLines.length === 1) return keys.flatMap((key, index) => (contains(key, head) ? [index] : []));
  const tail = normal(oldLines.at(-1)!, LOOSEST);
  const middle = oldLines.slice(1, -1);
  const starts = middle.length === 0 ? [...keys.keys()] : sequenceOccurrences(ids, idsOf(middle)).map((at) => at - 1);
  return starts.filter((first) => keys[first]?.endsWith(head) && keys[first + oldLines.length - 1]?.startsWith(tail));
}

/** Finds every place of old text under `tolerance` that starts in one of the lines `starts`. */
export function findText(lookup: Lookup, wanted: Wanted, tolerance: Tolerance, starts: readonly number[]): Place[] {
  const oldLines = wanted.oldText.split("\n");
  const newLines = wanted.newText.split("\n");
  const spots =
    oldLines.length === 1
      ? inOneLine(lookup, oldLines[0]!, tolerance, starts)
      : acrossLines(lookup, oldLines, tolerance, starts);
  const shares = sharesIndentation(wanted);
  const isWhole = ({ first, startColumn }: Spot) =>
    startColumn === 0 || !shares || !isBlankLine(lookup.lines[first]!.slice(0, startColumn));
  return spots.filter(isWhole).map(({ first, last, startColumn, endColumn }) => ({
    alignment: oneToOne(segmentsOf(lookup.source, first, last, startColumn, endColumn)),
    change: { oldLines, newLines, fit: asWritten },
  }));
}

function inOneLine({ lines }: Lookup, old: string, tolerance: Tolerance, starts: readonly number[]): Spot[] {
  const needle = normal(old, tolerance);
  if (needle === "") return [];
  const toLineEnd = losesItsEnd(old, needle, tolerance);
  return starts.flatMap((index) => {
    const line = normal(lines[index]!, tolerance);
    const found = occurrences(line, needle).filter((at) => !toLineEnd || at + needle.length === line.length);
    if (found.length === 0) return [];
    const view = mapped(lines[index]!, tolerance);
    return found.flatMap((at) => {
      const end = at + needle.length;
      if (!startsCharacter(view.starts, at) || !startsCharacter(view.starts, end)) return [];
      return [{ first: index, last: index, startColumn: view.starts[at]!, endColumn: view.ends[end - 1]! }];
    });
  });
}

function acrossLines(
  { lines }: Lookup,
  oldLines: readonly string[],
  tolerance: Tolerance,
  starts: readonly number[],
): Spot[] {
  const wanted = oldLines.map((line) => normal(line, tolerance));
  const head = wanted[0]!;
  const tail = wanted.at(-1)!;
  const tailToLineEnd = losesItsEnd(oldLines.at(-1)!, tail, tolerance);
  const sameMiddle = (first: number) => {
    for (let n = 1; n < wanted.length - 1; n++) if (normal(lines[first + n]!, tolerance) !== wanted[n]) return false;
    return true;
  };
  return starts.flatMap((first) => {
    const last = first + oldLines.length - 1;
    const headLine = lines[first]!;
    const tailLine = lines[last]!;
    const headKey = normal(headLine, tolerance);
    const tailKey = normal(tailLine, tolerance);
    if (!headKey.endsWith(head) || !tailKey.startsWith(tail) || !sameMiddle(first)) return [];
    if (tailToLineEnd && tailKey.length !== tail.length) return [];
    const startColumn = columnBefore(headLine, headKey.length - head.length, tolerance);
    const endColumn = tailToLineEnd ? tailLine.length : columnAfter(tailLine, tail.length, tailKey.length, tolerance);
    if (startColumn === undefined || endColumn === undefined) return [];
    return [{ first, last, startColumn, endColumn }];
  });
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

/** False inside the replacement of a single character of the file. */
function startsCharacter(starts: readonly number[], at: number): boolean {
  return starts[at] !== starts[at - 1];
}

/** True when normalising dropped blanks at the end of old text: they match only at the end of a line. */
function losesItsEnd(old: string, normalised: string, tolerance: Tolerance): boolean {
  return tolerance.trailing === true && normalised !== normal(old, { ...tolerance, trailing: false });
}
