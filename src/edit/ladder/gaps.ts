// Levels "gap" and "elision": lines of the file that the old text lacks.
// Needed by the trials drop_blank, drop_comment, add_blank and ellipsis.
import { refuse } from "../../words/index.ts";
import { CLOSES_BLOCK, CONTINUES_BLOCK, indentOf, isBlankLine, OPENS_BLOCK } from "../text/blocks.ts";
import { firstAbove, sequenceOccurrences } from "../text/occurrences.ts";
import { kindOfPlaceholder } from "../text/omission.ts";
import { lineRange, type Source } from "../text/source.ts";
import { findLines, type Lookup, normal, type Tolerance } from "./compare.ts";
import { oneToOne, segmentsOf } from "./merge.ts";
import { asWritten, MAX_RANGES, type Place, type Wanted, weightOf, wholeLines } from "./place.ts";

const TOLERANCE: Tolerance = { trailing: true, unicode: true };
const MIN_LINES = 3;
const MIN_WEIGHT = 20;
const MAX_COMMENTS = 2;
const MAX_BLANKS = 3;
// Bounds the work in a file of equal lines, where a walk starts at every line.
const MAX_STEPS = 20_000_000;
const COMMENT = /^\s*(?:\/\/|--\s|;;|%(?=\s|%|$)|\/\*(?:(?!\*\/).)*\*\/\s*$|<!--(?:(?!-->).)*-->\s*$)/;
// `#ifdef`, `#main {` and `#[derive]` are code, `## Usage` is a heading. `# Usage` before a blank line may be one.
const HASH_COMMENT = /^\s*#(?=\s|$)/;

/** Finds every place that has the lines of old text in order, with only blanks and comments in between. */
export function findWithGaps(lookup: Lookup, wanted: Wanted, seen: boolean): Place[] {
  const { oldLines, newLines } = wholeLines(wanted);
  const filled = oldLines.flatMap((line, index) => (isBlankLine(line) ? [] : [index]));
  if (filled.length < MIN_LINES || weightOf(oldLines) < MIN_WEIGHT) return [];
  const { source, lines: fileLines } = lookup;
  const wantedLines = filled.map((index) => oldLines[index]!);
  const old = lookup.idsOf(wantedLines);
  const isSame = (stops: readonly number[]) =>
    stops.every((stop, n) => normal(fileLines[stop]!, TOLERANCE) === normal(wantedLines[n]!, TOLERANCE));
  const found: Walked[] = [];
  const steps = { left: MAX_STEPS };
  for (let start = 0; start < fileLines.length; start++) {
    const walked = follow(lookup, old, start, steps);
    if (steps.left < 0) return [];
    if (walked && isSame(walked.stops)) found.push(walked);
  }
  // A place with too much in between makes others ambiguous, but is not changed itself.
  if (found.length === 1 && !found[0]!.isNear) return [];
  return found.map(({ stops }) => {
    const first = stops[0]! - blanksNext(fileLines, stops[0]!, -1, filled[0]!);
    const last = stops.at(-1)! + blanksNext(fileLines, stops.at(-1)!, 1, oldLines.length - 1 - filled.at(-1)!);
    const paired = pairs(oldLines, filled, [first - 1, ...stops, last + 1], fileLines);
    return {
      alignment: {
        segments: segmentsOf(source, first, last),
        pairs: paired.map((at) => (at < 0 ? at : at - first)),
      },
      change: { oldLines, newLines, fit: asWritten, extraStays: seen },
    };
  });
}

interface Walked {
  /** The file line of each old line that is not blank. */
  readonly stops: readonly number[];
  /** Few lines are in between. */
  readonly isNear: boolean;
}

/** Counts the blank lines next to line `at` in direction `step`, up to `max`. */
function blanksNext(fileLines: readonly string[], at: number, step: 1 | -1, max: number): number {
  let found = 0;
  while (found < max && isBlankLine(fileLines[at + step * (found + 1)] ?? "-")) found++;
  return found;
}

/** Follows the old lines from `start` on; undefined where anything but blanks and comments is in between. */
function follow({ ids, lines }: Lookup, old: Int32Array, start: number, steps: { left: number }): Walked | undefined {
  if (ids[start] !== old[0]) return undefined;
  const stops = [start];
  let comments = 0;
  let mostBlanks = 0;
  let at = start;
  for (let n = 1; n < old.length; n++) {
    let blanks = 0;
    for (at++; ids[at] !== old[n]; at++) {
      const line = lines[at];
      if (line === undefined || steps.left-- < 0) return undefined;
      if (isBlankLine(line)) blanks++;
      else if (isComment(line, lines[at + 1])) comments++;
      else return undefined;
    }
    steps.left--;
    mostBlanks = Math.max(mostBlanks, blanks);
    stops.push(at);
  }
  return { stops, isNear: comments <= MAX_COMMENTS && mostBlanks <= MAX_BLANKS };
}

export function isComment(line: string, next: string | undefined): boolean {
  return COMMENT.test(line) || (HASH_COMMENT.test(line) && !isBlankLine(next ?? ""));
}

/**
 * Maps each old line to its file line, or -1. A blank old line takes the last free blank line between the same
 * neighbours. `stops` has the file lines of the others, and a limit on each side.
 */
function pairs(
  oldLines: readonly string[],
  filled: readonly number[],
  stops: readonly number[],
  fileLines: readonly string[],
): number[] {
  const found = oldLines.map(() => -1);
  filled.forEach((index, n) => {
    found[index] = stops[n + 1]!;
  });
  const bounds = [-1, ...filled, oldLines.length];
  for (let n = 1; n < bounds.length; n++) {
    let free = stops[n]! - 1;
    for (let index = bounds[n]! - 1; index > bounds[n - 1]!; index--) {
      while (free > stops[n - 1]! && !isBlankLine(fileLines[free]!)) free--;
      if (free <= stops[n - 1]!) break;
      found[index] = free--;
    }
  }
  return found;
}

/** The lines between two placeholders. */
interface Piece {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly changed: boolean;
  /** The level of the section that it ends in; 0 before the first section. */
  readonly section: number;
}

interface FoundPiece extends Piece {
  /** Line indices at which it may start so that the pieces around it fit. */
  readonly starts: readonly number[];
}

// Omitted lines may lead into the next block if they are few and start behind a line that opens no block.
const NEARBY = 10;
const MAX_MARKS = 50;
// Bounds the work in a file of equal lines.
const MAX_STARTS = 20_000;

/**
 * Finds the places of the pieces that change; a piece that stays must only be there, in order. Finds none when old text
 * has no placeholder or a piece is missing. Refuses when a changing piece has two possible places.
 */
export function findElided(lookup: Lookup, wanted: Wanted): Place[] {
  const { source } = lookup;
  const { oldLines, newLines } = wholeLines(wanted);
  const pieces = findPieces(lookup, pairPieces(oldLines, newLines) ?? []);
  const places: Place[] = [];
  pieces.forEach((piece, index) => {
    if (!piece.changed) return;
    const fits = piece.starts.filter((start) => staysInBlock(source, pieces, index, start));
    if (fits.length === 0) return;
    if (fits.length > 1) {
      const ranges = fits.slice(0, MAX_RANGES).map((start) => lineRange(start, piece.oldLines.length));
      throw refuse("old_text_in_several_places", { ranges, level: "elision", found: fits.length });
    }
    const segments = segmentsOf(source, fits[0]!, fits[0]! + piece.oldLines.length - 1);
    places.push({
      alignment: oneToOne(segments),
      change: { oldLines: piece.oldLines, newLines: piece.newLines, fit: asWritten },
    });
  });
  return places.length < pieces.filter((piece) => piece.changed).length ? [] : places;
}

/** Pairs the pieces of old and new text; undefined unless both have the same placeholders in the same order. */
function pairPieces(oldLines: readonly string[], newLines: readonly string[]): Piece[] | undefined {
  const oldMarks = marksIn(oldLines);
  const newMarks = marksIn(newLines);
  if (oldMarks.length === 0 || oldMarks.length !== newMarks.length || oldMarks.length > MAX_MARKS) return undefined;
  if (oldMarks.some((at, n) => oldLines[at]!.trim() !== newLines[newMarks[n]!]!.trim())) return undefined;
  const oldPieces = cut(oldLines, oldMarks);
  const newPieces = cut(newLines, newMarks);
  let section = 0;
  const pieces = oldPieces.map((piece, n) => {
    section = piece.map(sectionLevel).findLast((level) => level < NO_SECTION) ?? section;
    const other = newPieces[n]!;
    const changed = piece.length !== other.length || piece.some((line, at) => line !== other[at]);
    return { oldLines: piece, newLines: other, changed, section };
  });
  const relevant = pieces.filter((piece) => piece.changed || !piece.oldLines.every(isBlankLine));
  if (relevant.some((piece) => piece.oldLines.every(isBlankLine)) || weightOf(oldPieces.flat()) < MIN_WEIGHT)
    return undefined;
  return relevant.some((piece) => piece.changed) ? relevant : undefined;
}

function marksIn(lines: readonly string[]): number[] {
  return lines.flatMap((line, at) => {
    const kind = kindOfPlaceholder(line);
    return kind === "certain" || kind === "bare" ? [at] : [];
  });
}

function cut(lines: readonly string[], marks: readonly number[]): string[][] {
  return [...marks, lines.length].map((end, n) => lines.slice(n === 0 ? 0 : marks[n - 1]! + 1, end));
}

/** Finds every piece where there is room for all pieces before and after it; none if one of them is missing. */
function findPieces(lookup: Lookup, pieces: readonly Piece[]): FoundPiece[] {
  const found: number[][] = [];
  let left = MAX_STARTS;
  for (const { oldLines } of pieces) {
    left -= sequenceOccurrences(lookup.ids, lookup.idsOf(oldLines)).length;
    if (left < 0) return [];
    found.push(findLines(lookup, oldLines, TOLERANCE));
  }
  let free = 0;
  const forward = found.map((starts, n) => {
    const fits = starts.filter((start) => start >= free);
    free = (fits[0] ?? Number.POSITIVE_INFINITY) + pieces[n]!.oldLines.length;
    return fits;
  });
  let limit = lookup.lines.length;
  for (let n = pieces.length - 1; n >= 0; n--) {
    const fits = forward[n]!.filter((start) => start + pieces[n]!.oldLines.length <= limit);
    if (fits.length === 0) return [];
    forward[n] = fits;
    limit = fits.at(-1)!;
  }
  return pieces.map((piece, n) => ({ ...piece, starts: forward[n]! }));
}

/** True when the lines omitted between this piece and all others belong to one block. */
function staysInBlock(source: Source, pieces: readonly FoundPiece[], index: number, start: number): boolean {
  let at = start;
  for (let n = index - 1; n >= 0; n--) {
    const { starts, section, oldLines } = pieces[n]!;
    const before = starts[firstAbove(starts, at - oldLines.length) - 1];
    if (before === undefined || !sameBlock(source, section, before + oldLines.length, at)) return false;
    at = before;
  }
  let end = start + pieces[index]!.oldLines.length;
  for (let n = index + 1; n < pieces.length; n++) {
    const { starts, oldLines } = pieces[n]!;
    const after = starts[firstAbove(starts, end - 1)];
    if (after === undefined || !sameBlock(source, pieces[n - 1]!.section, end, after)) return false;
    end = after + oldLines.length;
  }
  return true;
}

/** True when the omitted lines `from..to` are in one block with the piece before them, in a section of that level. */
function sameBlock(source: Source, section: number, from: number, to: number): boolean {
  const depth = (at: number) => depthOf(source.lines[at]!.text);
  const opener = depth(from - 1);
  const inner = depth(to);
  const closes = opener > inner && CLOSES_BLOCK.test(source.lines[to]!.text);
  let mayEnter = to - from <= NEARBY && !OPENS_BLOCK.test(source.lines[from - 1]!.text);
  for (let at = from; at < to; at++) {
    const line = source.lines[at]!.text;
    if (sectionLevel(line) <= section) return false;
    if (isBlankLine(line)) continue;
    if (depth(at) < Math.min(opener, inner)) return false;
    if (depth(at) > Math.min(opener, inner)) {
      mayEnter = false;
      continue;
    }
    if (CLOSES_BLOCK.test(line)) mayEnter = false;
    if ((closes || (opener < inner && !mayEnter)) && !CONTINUES_BLOCK.test(line)) return false;
  }
  return true;
}

/** Treats lines of a block comment (` * …`) as deep as the line that opens it. */
function depthOf(line: string): number {
  const { length } = indentOf(line);
  return length % 2 === 1 && line[length] === "*" ? length - 1 : length;
}

/** 1 for `[section]`, the number of `#` for `## Heading`. */
function sectionLevel(line: string): number {
  if (SECTION.test(line)) return 1;
  return HEADING.exec(line)?.[1]?.length ?? NO_SECTION;
}

const NO_SECTION = Number.POSITIVE_INFINITY;
const SECTION = /^\s*\[[^\]]+\]{1,2}\s*$/;
const HEADING = /^(#{1,6})\s/;
