// The ladder: finds the one place an edit was meant for, level by level, or refuses. It never guesses.

import { refuseIfApplied } from "./ladder/applied.ts";
import { refuseBadArguments, refuseNewPlaceholders } from "./ladder/arguments.ts";
import { findElided } from "./ladder/elision.ts";
import { findExact, startsInIndentation } from "./ladder/exact.ts";
import { findFuzzy } from "./ladder/fuzzy.ts";
import { findWithGaps } from "./ladder/gap.ts";
import { findIndented, indentedPlace, refuseIndentedPart } from "./ladder/indentation.ts";
import { type Landed, type Level, land, landExact, landPieces, type Strategy } from "./ladder/land.ts";
import { type Lookup, lookupOf } from "./ladder/lookup.ts";
import { findMisspelt } from "./ladder/misspelt.ts";
import type { Tolerance } from "./ladder/normal.ts";
import { type Wanted, weightOf, wholeLines } from "./ladder/place.ts";
import { type ReadAs, type Reading, readings } from "./ladder/readings.ts";
import { ambiguous, lineRange, notFound } from "./ladder/refuse.ts";
import { findText, possibleStarts } from "./ladder/text-levels.ts";
import { newToLf, sourceOf, toLf } from "./source.ts";

export type { Landed, Strategy } from "./ladder/land.ts";

export interface LadderOptions {
  /** Similarity that the fuzzy level asks for; 1 turns it off. */
  readonly fuzzyThreshold?: number;
  /** Replace every place of the first level that finds any. */
  readonly replaceAll?: boolean;
  /** The caller has proven that it saw exactly these bytes. */
  readonly seen?: boolean;
  readonly maxSuggestions?: number;
}

/** At every level: no place, on to the next; one, that is it; several, refuse at once. */
export function ladder(text: string, oldText: string, newText: string, options: LadderOptions = {}): Landed {
  refuseBadArguments(oldText, newText);
  const source = sourceOf(text);
  const wanted: Wanted = { oldText: toLf(oldText), newText: newToLf(newText) };
  refuseNewPlaceholders(source, wanted);

  const exact = findExact(source, oldText, wanted);
  if (exact && !startsInIndentation(source, exact, wanted)) {
    return landExact(source, exact, wanted, options.replaceAll === true);
  }
  const lookup = lookupOf(source);
  if (exact) return reindented(lookup, wanted, options) ?? refuseIndentedPart(source, exact);
  for (const read of readings(wanted)) {
    const landed = climb(lookup, read, options);
    if (landed) return landed;
  }
  refuseIfApplied(lookup, wanted);
  const landed = piece(lookup, wanted, options);
  if (landed) return landed;
  throw notFound(text, oldText, options.maxSuggestions);
}

const FUZZY_THRESHOLD = 0.85;
// Less than this is recognised by its exact bytes only.
const LEAST_WEIGHT = 6;

const TEXT_LEVELS: readonly (readonly [Level, Tolerance])[] = [
  ["line_endings", {}],
  ["trailing_whitespace", { trailing: true }],
  ["unicode", { trailing: true, unicode: true }],
  ["whitespace_collapse", { trailing: true, unicode: true, runs: true }],
];

/** Levels that overlook blanks and look-alikes only. */
function climb(lookup: Lookup, read: ReadAs, options: LadderOptions): Landed | undefined {
  const { source } = lookup;
  const all = options.replaceAll === true;
  const enough = weightOf([read.oldText]) >= LEAST_WEIGHT;
  const starts = possibleStarts(lookup, read.oldText).filter((first) => isAt(read, first));
  for (const [level, tolerance] of starts.length > 0 ? TEXT_LEVELS : []) {
    if (!enough && level !== "line_endings") break;
    const places = findText(lookup, read, tolerance, starts);
    if (places.length > 0) return land(source, places, named(level, read.reading), all);
  }
  return enough ? reindented(lookup, read, options) : undefined;
}

/** Whole lines, with another indentation. */
function reindented(lookup: Lookup, read: ReadAs, options: LadderOptions): Landed | undefined {
  const { source } = lookup;
  const all = options.replaceAll === true;
  const found = findIndented(lookup, read).filter((first) => isAt(read, first));
  if (found.length === 0) return undefined;
  if (found.length > 1 && !all) {
    const { length } = wholeLines(read).oldLines;
    throw ambiguous(
      found.map((first) => lineRange(first, length)),
      "indentation",
    );
  }
  const places = found.map((first) => indentedPlace(source, read, first, options.seen === true));
  return land(source, places, named("indentation", read.reading), all);
}

/** Levels for text that is not all there: each of them needs the one place, whatever `replaceAll` says. */
function piece(lookup: Lookup, wanted: Wanted, options: LadderOptions): Landed | undefined {
  const { source } = lookup;
  const elided = findElided(lookup, wanted);
  if (elided.length > 0) return landPieces(source, elided, "elision");
  const gaps = findWithGaps(lookup, wanted);
  if (gaps.length > 0) return land(source, gaps, "gap", false);
  const misspelt = findMisspelt(lookup, wanted, options.seen === true);
  if (misspelt) return landPieces(source, [misspelt], "spelling");
  const fuzzy = options.seen ? findFuzzy(lookup, wanted, options.fuzzyThreshold ?? FUZZY_THRESHOLD) : undefined;
  return fuzzy && landPieces(source, [fuzzy], "fuzzy_block");
}

/** Line numbers in old text say where it is. */
function isAt({ firstLine }: ReadAs, index: number): boolean {
  return firstLine === undefined || firstLine === index + 1;
}

function named(level: Level, reading: Reading | undefined): Strategy {
  if (reading === undefined) return level;
  return level === "line_endings" ? reading : `${reading}+${level}`;
}
