// Three-way merge at line level: what old and new text share keeps the file's own bytes, the rest takes the new lines.
import type { Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import { diffLines, type Region } from "../diff/diff.ts";
import { isBlankLine } from "../text/blocks.ts";
import { eolNear, type Source } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";
import { trimmedEnd } from "./compare.ts";
import { lineRange } from "./refuse.ts";

/** A line of the file, or the part of it that old text covers. */
export interface Segment {
  readonly text: string;
  readonly start: number;
  /** Terminator of the line this segment belongs to. */
  readonly eol: string;
}

/** Where each line of old text lies in the file. */
export interface Alignment {
  readonly segments: readonly Segment[];
  /** For each old line its segment, or -1 for a blank line that the file lacks. Segments that no pair names are extra. */
  readonly pairs: readonly number[];
}

export interface LineChange {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** A line of old or new text as this file writes it (indentation); undefined when that cannot be said. */
  readonly fit: (line: string, index: number) => string | undefined;
  /** Lines of the file that old text lacks stay next to a line that changes: the caller has seen them. */
  readonly extraStays?: boolean;
}

/** Lines `first..last` of the file (0-based, inclusive), cut at `startColumn` and `endColumn` where these are given. */
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

/** `pairs` of a region in which every old line has its segment, one to one. */
export function oneToOne(segments: readonly Segment[]): Alignment {
  return { segments, pairs: segments.map((_, index) => index) };
}

/** A new line; `eol` is that of the line in whose place it comes, if there is one. */
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
      // Extra lines of the file in a change or next to it: it is unknown whether they belong to what goes.
      if (last - first + 1 > gone.length) throw conflict(first, last);
      const inked = change.oldLines.slice(region.aStart, region.aEnd).every((line) => !isBlankLine(line));
      const stays = change.extraStays === true && inked && gone.length === region.bEnd - region.bStart;
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

/** A line that changes must be given as the file has it, blanks between words aside: look-alikes may be meant there. */
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

/** Equal but for blanks between words, outside of quotes. */
export function sameButBlanks(a: string, b: string): boolean {
  return looseBlanks(a) === looseBlanks(b);
}

/** The line with one space for any blanks, but for those in quotes. */
function looseBlanks(line: string): string {
  return trimmedEnd(line)
    .replace(/^[ \t]+/, "")
    .replace(QUOTED_OR_BLANKS, (found) => (found[0] === " " || found[0] === "\t" ? " " : found));
}

// A quote that nothing closes goes on to the end of the line.
const QUOTED_OR_BLANKS = /(["'`])(?:\\.|(?!\1).)*(?:\1|$)|[ \t]+/g;

export function refuseIndentation(source: Source, segments: readonly Segment[], text: string): never {
  throw refuse("indentation_of_new_line", { line: source.lineAt(segments[0]!.start) + 1, text });
}

/**
 * Old lines whose bytes differ from the file's, and those next to lines that only one of the two has, must have one
 * possible partner among the new lines, or none: else the file's own bytes could end up in several places.
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

/** The output as splices: what is kept is not touched, so its bytes cannot change. */
function splicesOf(source: Source, segments: readonly Segment[], output: readonly (Segment | NewLine)[]): Splice[] {
  const splices: Splice[] = [];
  const start = segments[0]!.start;
  const lastSegment = segments.at(-1)!;
  let end = lastSegment.start + lastSegment.text.length;
  if (output.length === 0) end += lastSegment.eol.length;

  let at = start;
  let pending = "";
  let eol = eolNear(source, source.lineAt(start));
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
    // The last segment's terminator lies behind the region: it ends whatever comes last in the output.
    if (item !== lastSegment && item.eol !== "") at += item.eol.length;
    else pending = eol;
  });
  flush(end);
  return splices.filter((splice) => source.text.slice(splice.start, splice.end) !== splice.text);
}

/**
 * The first of `wanted` old lines that can be paired in more than one way by diffs of the same length: with different
 * new lines, or with one or none.
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

/** For each pair of beginnings the length of their longest common subsequence. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  a.forEach((line, i) => {
    const [above, row] = [rows[i]!, rows[i + 1]!];
    for (let j = 0; j < b.length; j++) row[j + 1] = line === b[j] ? above[j]! + 1 : Math.max(above[j + 1]!, row[j]!);
  });
  return rows;
}

// Old and new text of 1000 lines each; beyond, a line that differs is not merged at all.
const MAX_CELLS = 1_000_000;
