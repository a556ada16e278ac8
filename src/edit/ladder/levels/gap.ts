// Level: the old text lacks blank or comment lines that the file has between its lines, or has blank lines too many.

import type { Source } from "../../text/source.ts";
import type { Lookup } from "../compare/lookup.ts";
import { isBlankLine, normal, type Tolerance } from "../compare/normal.ts";
import { segmentsOf } from "../merge.ts";
import { asWritten, type Place, type Wanted, weightOf, wholeLines } from "../place.ts";

const TOLERANCE: Tolerance = { trailing: true, unicode: true };
const LEAST_LINES = 3;
const LEAST_WEIGHT = 20;
const MOST_COMMENTS = 2;
const MOST_BLANKS = 3;
// A file of equal lines would otherwise be walked once from every line.
const MOST_STEPS = 20_000_000;
const COMMENT = /^\s*(?:\/\/|--\s|;;|%(?=\s|%|$)|\/\*(?:(?!\*\/).)*\*\/\s*$|<!--(?:(?!-->).)*-->\s*$)/;
// `#ifdef`, `#main {`, `#[derive]` are code, `## Usage` is a heading; so may be a single mark before a blank line.
const HASH_COMMENT = /^\s*#(?=\s|$)/;

/** Every place where the lines of old text stand in order with nothing but blanks and comments in between. */
export function findWithGaps(lookup: Lookup, wanted: Wanted, seen: boolean): Place[] {
  const { oldLines, newLines } = wholeLines(wanted);
  const inked = oldLines.flatMap((line, index) => (isBlankLine(line) ? [] : [index]));
  if (inked.length < LEAST_LINES || weightOf(oldLines) < LEAST_WEIGHT) return [];
  const { source, lines: fileLines } = lookup;
  const wantedLines = inked.map((index) => oldLines[index]!);
  const old = lookup.idsOf(wantedLines);
  const isSame = (stops: readonly number[]) =>
    stops.every((stop, n) => normal(fileLines[stop]!, TOLERANCE) === normal(wantedLines[n]!, TOLERANCE));
  const found: Walked[] = [];
  const steps = { left: MOST_STEPS };
  for (let start = 0; start < fileLines.length; start++) {
    const walked = follow(lookup.ids, old, fileLines, start, steps);
    if (steps.left < 0) return [];
    if (walked && isSame(walked.stops)) found.push(walked);
  }
  // One that has too much in between is no place to change, but one that may be meant.
  if (found.length === 1 && !found[0]!.isNear) return [];
  return found.map(({ stops }) => {
    const place = placeAt(source, oldLines, newLines, inked, stops, fileLines);
    return { ...place, change: { ...place.change, extraStays: seen } };
  });
}

interface Walked {
  /** The file line of each inked old line. */
  readonly stops: readonly number[];
  /** Few enough lines in between. */
  readonly isNear: boolean;
}

function placeAt(
  source: Source,
  oldLines: readonly string[],
  newLines: readonly string[],
  inked: readonly number[],
  stops: readonly number[],
  fileLines: readonly string[],
): Place {
  const first = stops[0]! - blanksNext(fileLines, stops[0]!, -1, inked[0]!);
  const last = stops.at(-1)! + blanksNext(fileLines, stops.at(-1)!, 1, oldLines.length - 1 - inked.at(-1)!);
  return {
    alignment: {
      segments: segmentsOf(source, first, last),
      pairs: pairs(oldLines, inked, [first - 1, ...stops, last + 1], fileLines).map((at) => (at < 0 ? at : at - first)),
    },
    change: { oldLines, newLines, fit: asWritten },
  };
}

/** How many blank lines, at most `most`, follow line `at` in direction `step`. */
function blanksNext(fileLines: readonly string[], at: number, step: 1 | -1, most: number): number {
  let found = 0;
  while (found < most && isBlankLine(fileLines[at + step * (found + 1)] ?? "-")) found++;
  return found;
}

/** The inked old lines from `start` on; undefined when something else than blanks and comments stands in between. */
function follow(
  file: Int32Array,
  old: Int32Array,
  fileLines: readonly string[],
  start: number,
  steps: { left: number },
): Walked | undefined {
  if (file[start] !== old[0]) return undefined;
  const stops = [start];
  let comments = 0;
  let mostBlanks = 0;
  let at = start;
  for (let n = 1; n < old.length; n++) {
    let blanks = 0;
    for (at++; file[at] !== old[n]; at++) {
      const line = fileLines[at];
      if (line === undefined || steps.left-- < 0) return undefined;
      if (isBlankLine(line)) blanks++;
      else if (isComment(line, fileLines[at + 1])) comments++;
      else return undefined;
    }
    steps.left--;
    mostBlanks = Math.max(mostBlanks, blanks);
    stops.push(at);
  }
  return { stops, isNear: comments <= MOST_COMMENTS && mostBlanks <= MOST_BLANKS };
}

export function isComment(line: string, next: string | undefined): boolean {
  return COMMENT.test(line) || (HASH_COMMENT.test(line) && !isBlankLine(next ?? ""));
}

/**
 * The file line of each old line, or -1. Blank old lines take the blank lines of the file between the same neighbours,
 * the last ones first. `stops` are the inked lines, between the limits on both sides.
 */
function pairs(
  oldLines: readonly string[],
  inked: readonly number[],
  stops: readonly number[],
  fileLines: readonly string[],
): number[] {
  const found = oldLines.map(() => -1);
  inked.forEach((index, n) => {
    found[index] = stops[n + 1]!;
  });
  const bounds = [-1, ...inked, oldLines.length];
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
