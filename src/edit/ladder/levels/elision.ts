// Level: old and new text leave out the same parts ("...") and what is left out stays.

import { indentOf } from "../../text/indent.ts";
import { firstAbove, sequenceOccurrences } from "../../text/occurrences.ts";
import { kindOfPlaceholder } from "../../text/omission.ts";
import type { Source } from "../../text/source.ts";
import { findLines, type Lookup } from "../compare/lookup.ts";
import { isBlankLine, type Tolerance } from "../compare/normal.ts";
import { oneToOne, segmentsOf } from "../merge.ts";
import { asWritten, type Place, type Wanted, weightOf, wholeLines } from "../place.ts";
import { ambiguous, lineRange } from "../refuse.ts";

/** A stretch between two placeholders. */
interface Piece {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly changed: boolean;
}

/** Line indices at which a piece may start, given the pieces around it. */
type Starts = readonly number[];

const TOLERANCE: Tolerance = { trailing: true, unicode: true };
// From a line that opens no block, the next block may be entered over a short distance.
const NEARBY = 10;
const LEAST_WEIGHT = 20;
const MOST_MARKS = 50;
// A file of equal lines would otherwise be compared once for every piece.
const MOST_STARTS = 20_000;

/**
 * The places of the pieces that change; a piece that stays only has to be there, in order. Empty when old text leaves
 * nothing out, or a piece is nowhere. Refuses when a piece that changes may be in two places.
 */
export function findElided(lookup: Lookup, wanted: Wanted): Place[] {
  const { source } = lookup;
  const { oldLines, newLines } = wholeLines(wanted);
  const pieces = pair(oldLines, newLines);
  if (!pieces) return [];
  const starts = possibleStarts(lookup, pieces);
  if (!starts) return [];

  const sections = sectionsOf(pieces);
  const places: Place[] = [];
  pieces.forEach((piece, index) => {
    if (!piece.changed) return;
    const fits = starts[index]!.filter((start) => staysInBlock(source, pieces, starts, sections, index, start));
    if (fits.length === 0) return;
    if (fits.length > 1)
      throw ambiguous(
        fits.map((start) => lineRange(start, piece.oldLines.length)),
        "elision",
      );
    const segments = segmentsOf(source, fits[0]!, fits[0]! + piece.oldLines.length - 1);
    places.push({
      alignment: oneToOne(segments),
      change: { oldLines: piece.oldLines, newLines: piece.newLines, fit: asWritten },
    });
  });
  return places.length < pieces.filter((piece) => piece.changed).length ? [] : places;
}

/** The pieces of old and new text side by side; undefined unless both leave out the same parts in the same order. */
function pair(oldLines: readonly string[], newLines: readonly string[]): Piece[] | undefined {
  const oldMarks = marksIn(oldLines);
  const newMarks = marksIn(newLines);
  if (oldMarks.length === 0 || oldMarks.length !== newMarks.length || oldMarks.length > MOST_MARKS) return undefined;
  if (oldMarks.some((at, n) => oldLines[at]!.trim() !== newLines[newMarks[n]!]!.trim())) return undefined;
  const oldPieces = cut(oldLines, oldMarks);
  const newPieces = cut(newLines, newMarks);
  const pieces = oldPieces.map((piece, n) => ({
    oldLines: piece,
    newLines: newPieces[n]!,
    changed: piece.length !== newPieces[n]!.length || piece.some((line, at) => line !== newPieces[n]![at]),
  }));
  const telling = pieces.filter((piece) => piece.changed || !piece.oldLines.every(isBlankLine));
  if (telling.some((piece) => piece.oldLines.every(isBlankLine)) || weightOf(oldPieces.flat()) < LEAST_WEIGHT)
    return undefined;
  return telling.some((piece) => piece.changed) ? telling : undefined;
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

/** Starts of every piece for which all pieces before and after it still find room, in order. */
function possibleStarts(lookup: Lookup, pieces: readonly Piece[]): Starts[] | undefined {
  const found: number[][] = [];
  let left = MOST_STARTS;
  for (const { oldLines } of pieces) {
    left -= sequenceOccurrences(lookup.ids, lookup.idsOf(oldLines)).length;
    if (left < 0) return undefined;
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
    if (fits.length === 0) return undefined;
    forward[n] = fits;
    limit = fits.at(-1)!;
  }
  return forward;
}

/** From a piece that changes to all others, neighbour by neighbour, lies what was left out of one block. */
function staysInBlock(
  source: Source,
  pieces: readonly Piece[],
  starts: readonly Starts[],
  sections: readonly number[],
  index: number,
  start: number,
): boolean {
  let at = start;
  for (let n = index - 1; n >= 0; n--) {
    const { length } = pieces[n]!.oldLines;
    const before = starts[n]![firstAbove(starts[n]!, at - length) - 1];
    if (before === undefined || !sameBlock(source, sections[n]!, before + length, at)) return false;
    at = before;
  }
  let end = start + pieces[index]!.oldLines.length;
  for (let n = index + 1; n < pieces.length; n++) {
    const after = starts[n]![firstAbove(starts[n]!, end - 1)];
    if (after === undefined || !sameBlock(source, sections[n - 1]!, end, after)) return false;
    end = after + pieces[n]!.oldLines.length;
  }
  return true;
}

/** True when the lines `from..to`, left out behind a piece in a section of level `section`, are of one block with it. */
function sameBlock(source: Source, section: number, from: number, to: number): boolean {
  const depth = (at: number) => depthOf(source.lines[at]!.text);
  const opener = depth(from - 1);
  const inner = depth(to);
  const closes = opener > inner && CLOSES_BLOCK.test(source.lines[to]!.text.trim());
  let mayEnter = to - from <= NEARBY && !OPENS_BLOCK.test(source.lines[from - 1]!.text.trimEnd());
  for (let at = from; at < to; at++) {
    const line = source.lines[at]!.text;
    if (sectionLevel(line) <= section) return false;
    if (isBlankLine(line)) continue;
    if (depth(at) < Math.min(opener, inner)) return false;
    if (depth(at) > Math.min(opener, inner)) {
      mayEnter = false;
      continue;
    }
    if (CLOSES_BLOCK.test(line.trim())) mayEnter = false;
    if ((closes || (opener < inner && !mayEnter)) && !CONTINUES_BLOCK.test(line.trim())) return false;
  }
  return true;
}

/** Lines of a block comment (` * …`) are as deep as the line that opens it. */
function depthOf(line: string): number {
  const { length } = indentOf(line);
  return length % 2 === 1 && line[length] === "*" ? length - 1 : length;
}

/** For each piece the level of the section that its end is in; 0 where none was named up to there. */
function sectionsOf(pieces: readonly Piece[]): number[] {
  let section = 0;
  return pieces.map(({ oldLines }) => {
    section = oldLines.map(sectionLevel).findLast((level) => level < NO_SECTION) ?? section;
    return section;
  });
}

/** Of `[section]` 1, of `## Heading` the number of its marks. */
function sectionLevel(line: string): number {
  if (SECTION.test(line)) return 1;
  return HEADING.exec(line)?.[1]?.length ?? NO_SECTION;
}

const NO_SECTION = Number.POSITIVE_INFINITY;
const SECTION = /^\s*\[[^\]]+\]{1,2}\s*$/;
const HEADING = /^(#{1,6})\s/;
const OPENS_BLOCK = /[{([:]$/;
const CLOSES_BLOCK = /^(?:[)\]}]|end\b)/;
// `) {`, `} else {`, `else:`: at the depth of the line that opens the block, and still part of it.
export const CONTINUES_BLOCK = /^(?:[)\]}].*[{([:,]$|(?:else|elif|except|finally|catch|then|case|default)\b)/;
