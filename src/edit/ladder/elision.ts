// Level: old and new text leave out the same parts ("...") and what is left out stays.

import { indentOf } from "../indent.ts";
import { kindOfPlaceholder } from "../omission.ts";
import type { Source } from "../source.ts";
import { findLines, type Lookup } from "./lookup.ts";
import { oneToOne, segmentsOf } from "./merge.ts";
import { isBlankLine, type Tolerance } from "./normal.ts";
import { asWritten, type Place, type Wanted, weightOf, wholeLines } from "./place.ts";
import { ambiguous, lineRange } from "./refuse.ts";

/** A stretch between two placeholders. */
interface Piece {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly changed: boolean;
}

/** Line indices at which a piece may start, given the pieces around it. */
type Starts = readonly number[];

const TOLERANCE: Tolerance = { trailing: true, unicode: true };
// What is left out may leave the block only over a short distance.
const NEARBY = 10;
const LEAST_WEIGHT = 20;
const MOST_MARKS = 50;

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

  const places: Place[] = [];
  pieces.forEach((piece, index) => {
    if (!piece.changed) return;
    const fits = starts[index]!.filter((start) => staysInBlock(source, pieces, starts, index, start));
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
  return lines.flatMap((line, at) => (kindOfPlaceholder(line) === undefined ? [] : [at]));
}

function cut(lines: readonly string[], marks: readonly number[]): string[][] {
  return [...marks, lines.length].map((end, n) => lines.slice(n === 0 ? 0 : marks[n - 1]! + 1, end));
}

/** Starts of every piece for which all pieces before and after it still find room, in order. */
function possibleStarts(lookup: Lookup, pieces: readonly Piece[]): Starts[] | undefined {
  const found = pieces.map((piece) => findLines(lookup, piece.oldLines, TOLERANCE));
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

/** Between a piece that changes and its neighbours lies what was left out of one block, not half of the file. */
function staysInBlock(
  source: Source,
  pieces: readonly Piece[],
  starts: readonly Starts[],
  index: number,
  start: number,
): boolean {
  const end = start + pieces[index]!.oldLines.length;
  const before = starts[index - 1]?.filter((at) => at + pieces[index - 1]!.oldLines.length <= start).at(-1);
  const after = starts[index + 1]?.find((at) => at >= end);
  const left = before === undefined || sameBlock(source, before + pieces[index - 1]!.oldLines.length, start);
  const right = after === undefined || sameBlock(source, end, after);
  return left && right;
}

function sameBlock(source: Source, from: number, to: number): boolean {
  if (to - from <= NEARBY) return true;
  const depth = (at: number) => indentOf(source.lines[at]!.text).length;
  const opener = depth(from - 1);
  const inner = depth(to);
  for (let at = from; at < to; at++) {
    const line = source.lines[at]!.text;
    if (isBlankLine(line) || depth(at) > Math.min(opener, inner)) continue;
    if (depth(at) < Math.min(opener, inner)) return false;
    if (opener < inner && !CONTINUES_BLOCK.test(line.trim())) return false;
  }
  return true;
}

// `) {`, `} else {`, `else:`: at the depth of the line that opens the block, and still part of it.
const CONTINUES_BLOCK = /^(?:[)\]}].*[{([:,]$|(?:else|elif|except|finally|catch|then|case|default)\b)/;
