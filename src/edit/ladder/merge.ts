// Three-way merge of lines: lines that old and new text share keep the file's bytes, the others become the new lines.
import type { Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import { diffLines, type Region } from "../diff/diff.ts";
import { isBlankLine } from "../text/blocks.ts";
import { eolNear } from "../text/lines.ts";
import { lineRange, type Source } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";
import { trimmedEnd } from "./compare.ts";

/** A line of the file, or the part that old text covers. */
export interface Segment {
  readonly text: string;
  readonly start: number;
  /** Terminator of the line this segment belongs to. */
  readonly eol: string;
}

/** Maps lines of old text to lines of the file. */
export interface Alignment {
  readonly segments: readonly Segment[];
  /** For each old line its segment, or -1 for a blank line that the file lacks. Old text lacks all other segments. */
  readonly pairs: readonly number[];
}

export interface LineChange {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** Indents a line of old or new text like the file; undefined when no rule applies. */
  readonly fit: (line: string, index: number) => string | undefined;
  /** Keeps lines that old text lacks, even next to a changed line: the caller has seen them. */
  readonly extraStays?: boolean;
}

/** Lines `first..last` of the file (0-based, inclusive), from `startColumn` of the first to `endColumn` of the last. */
export function segmentsOf(
  source: Source,
  first: number,
  last: number,
  startColumn = 0,
  endColumn = Number.POSITIVE_INFINITY,
): Segment[] {
  return source.lines.slice(first, last + 1).map((line, index) => {
    const from = index === 0 ? startColumn : 0;
    const to = first + index === last ? Math.min(endColumn, line.text.length) : line.text.length;
    return { text: line.text.slice(from, to), start: line.start + from, eol: line.eol };
  });
}

/** Pairs each old line with the segment at the same index. */
export function oneToOne(segments: readonly Segment[]): Alignment {
  return { segments, pairs: segments.map((_, index) => index) };
}

/** A new line; `eol` is that of the line it replaces, if any. */
interface NewLine {
  readonly added: string;
  readonly eol: string | undefined;
}

export function mergeLines(source: Source, alignment: Alignment, change: LineChange): Splice[] {
  refuseUnsettledPairing(source, alignment, change);
  const { segments, pairs } = alignment;
  const output: (Segment | NewLine)[] = [];
  let next = 0;
  let at = 0;
  for (const region of diffLines(change.oldLines, change.newLines)) {
    for (; at < region.aStart; at++) keep(at);
    replace(region);
    at = region.aEnd;
  }
  for (; at < change.oldLines.length; at++) keep(at);
  copyBefore(segments.length);
  return splicesOf(source, segments, output);

  function keep(oldIndex: number): void {
    if (pairs[oldIndex]! >= 0) copyBefore(pairs[oldIndex]! + 1);
  }

  function replace(region: Region): void {
    const gone = pairs.slice(region.aStart, region.aEnd).filter((segment) => segment >= 0);
    const first = gone[0];
    const last = gone.at(-1);
    const behind = () => pairs.slice(region.aEnd).find((segment) => segment >= 0) ?? next;
    if (first !== undefined && last !== undefined) {
      // Lines that old text lacks are in or next to the change: they may belong to the lines that go.
      if (last - first + 1 > gone.length) throw conflict(first, last);
      const filled = change.oldLines.slice(region.aStart, region.aEnd).every((line) => !isBlankLine(line));
      const stays = change.extraStays === true && filled && gone.length === region.bEnd - region.bStart;
      if (stays) copyBefore(first);
      else if (first > next) throw conflict(next, first);
      next = last + 1;
      if (behind() > next && !stays) throw conflict(last, behind() - 1);
    } else if (region.bEnd > region.bStart && behind() > next) throw conflict(next, behind() - 1);
    for (let index = region.bStart; index < region.bEnd; index++) {
      const line = change.newLines[index]!;
      const added = change.fit(line, index) ?? refuseIndentation(source, segments, line);
      output.push({ added, eol: segments[gone[index - region.bStart] ?? -1]?.eol });
    }
  }

  function copyBefore(segment: number): void {
    while (next < segment) output.push(segments[next++]!);
  }

  function conflict(from: number, to: number): Refusal {
    return refuse("changed_lines_have_gap", lineRange(source.lineAt(segments[from]!.start), to - from + 1));
  }
}

/** Refuses unless old text has each changed line like the file, blanks aside: look-alikes there may be intended. */
export function refuseRewriting(source: Source, place: { alignment: Alignment; change: LineChange }): void {
  const { segments, pairs } = place.alignment;
  const { oldLines, newLines } = place.change;
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(oldLines, newLines)) {
    for (let at = aStart; at < aEnd && bStart < bEnd; at++) {
      const segment = segments[pairs[at]!];
      if (!segment || sameButBlanks(segment.text, oldLines[at]!)) continue;
      const line = source.lineAt(segment.start) + 1;
      throw refuse("changed_line_differs", { line, file: segment.text, wrote: oldLines[at]! });
    }
  }
}

/** True when the lines differ only in blanks outside of quotes. */
export function sameButBlanks(a: string, b: string): boolean {
  return looseBlanks(a) === looseBlanks(b);
}

/** Replaces each run of blanks outside of quotes by one space. */
function looseBlanks(line: string): string {
  return trimmedEnd(line)
    .replace(/^[ \t]+/, "")
    .replace(QUOTED_OR_BLANKS, (found) => (found[0] === " " || found[0] === "\t" ? " " : found));
}

// An unclosed quote ends with the line.
const QUOTED_OR_BLANKS = /(["'`])(?:\\.|(?!\1).)*(?:\1|$)|[ \t]+/g;

export function refuseIndentation(source: Source, segments: readonly Segment[], text: string): never {
  throw refuse("indentation_of_new_line", { line: source.lineAt(segments[0]!.start) + 1, text });
}

/**
 * Refuses unless each old line that differs from the file, or is next to a line that only one side has, has at most one
 * possible partner among the new lines. With two, the file's bytes could end up in either place.
 */
function refuseUnsettledPairing(source: Source, { segments, pairs }: Alignment, change: LineChange): void {
  const wanted = new Set<number>();
  let before = -1;
  pairs.forEach((segment, index) => {
    if (segment < 0) return;
    if (segments[segment]!.text !== change.fit(change.oldLines[index]!, index)) wanted.add(index);
    if (before >= 0 && (index - before > 1 || segment - pairs[before]! > 1)) wanted.add(before).add(index);
    before = index;
  });
  if (wanted.size === 0) return;
  const unsettled = freelyPaired(change.oldLines, change.newLines, [...wanted]);
  if (unsettled === undefined) return;
  throw refuse("line_pairs_with_several", { line: source.lineAt(segments[pairs[unsettled]!]!.start) + 1 });
}

/** Turns the output into splices. No splice touches a kept segment, so its bytes cannot change. */
function splicesOf(source: Source, segments: readonly Segment[], output: readonly (Segment | NewLine)[]): Splice[] {
  const splices: Splice[] = [];
  const start = segments[0]!.start;
  const lastSegment = segments.at(-1)!;
  let end = lastSegment.start + lastSegment.text.length;
  if (output.length === 0) end += lastSegment.eol.length;

  let at = start;
  let pending = "";
  let eol = eolNear(source.lines, source.lineAt(start));
  const flush = (to: number) => {
    if (to > at || pending !== "") splices.push({ start: at, end: to, text: pending });
    pending = "";
  };
  output.forEach((item, index) => {
    const isLast = index === output.length - 1;
    if (item.eol) eol = item.eol as typeof eol;
    if ("added" in item) {
      pending += isLast ? item.added : item.added + eol;
      return;
    }
    flush(item.start);
    at = item.start + item.text.length;
    if (isLast) return;
    // The last segment's terminator is behind the region: it ends the last line of the output.
    if (item !== lastSegment && item.eol !== "") at += item.eol.length;
    else pending = eol;
  });
  flush(end);
  return splices.filter((splice) => source.text.slice(splice.start, splice.end) !== splice.text);
}

/**
 * Finds the first of the `wanted` old lines that shortest diffs pair in different ways: with two new lines, or with one
 * or none.
 */
function freelyPaired(
  oldLines: readonly string[],
  newLines: readonly string[],
  wanted: readonly number[],
): number | undefined {
  const rows = oldLines.length;
  const columns = newLines.length;
  if (rows * columns > MAX_CELLS) return wanted[0];
  const before = commonLengths(oldLines, newLines);
  const behind = commonLengths(oldLines.toReversed(), newLines.toReversed());
  const after = (i: number, j: number) => behind[rows - i]![columns - j]!;
  const longest = before[rows]![columns]!;
  return wanted.find((i) => {
    let choices = 0;
    let unpaired = 0;
    for (let j = 0; j <= columns; j++) {
      if (before[i]![j]! + after(i + 1, j) === longest) unpaired = 1;
      if (j === columns || oldLines[i] !== newLines[j]) continue;
      if (before[i]![j]! + 1 + after(i + 1, j + 1) === longest) choices++;
    }
    return choices + unpaired > 1;
  });
}

/** Returns the length of the longest common subsequence of every pair of prefixes. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  a.forEach((line, i) => {
    const [above, row] = [rows[i]!, rows[i + 1]!];
    for (let j = 0; j < b.length; j++) row[j + 1] = line === b[j] ? above[j]! + 1 : Math.max(above[j + 1]!, row[j]!);
  });
  return rows;
}

// Old and new text of 1000 lines each. Above this, a line that differs is refused.
const MAX_CELLS = 1_000_000;
