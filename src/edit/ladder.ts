// The ladder: finds the one place an edit was meant for, level by level, or refuses. It never guesses.

import { refuseIfApplied, refuseIfAround } from "./ladder/applied.ts";
import { refuseBadArguments, refuseNewPlaceholders } from "./ladder/arguments.ts";
import { findElided } from "./ladder/elision.ts";
import { findExact } from "./ladder/exact.ts";
import { findFuzzy } from "./ladder/fuzzy.ts";
import { findWithGaps } from "./ladder/gap.ts";
import { findIndented, indentedPlace, UNINDENTED, UNINDENTED_RUNS } from "./ladder/indentation.ts";
import { mergeLines } from "./ladder/merge.ts";
import { findMisspelt } from "./ladder/misspelt.ts";
import type { Tolerance } from "./ladder/normal.ts";
import { cutsWord, type Place, spanOf, type Wanted, weightOf } from "./ladder/place.ts";
import { type ReadAs, type Reading, readings } from "./ladder/readings.ts";
import { alreadyApplied, ambiguous, lineRange, linesOf, midToken, notFound, refuseTooLong } from "./ladder/refuse.ts";
import { findText } from "./ladder/text-levels.ts";
import { newToLf, type Source, sourceOf, toLf } from "./source.ts";
import type { Splice } from "./splice.ts";

export type Level =
  | "exact"
  | "line_endings"
  | "trailing_whitespace"
  | "unicode"
  | "whitespace_collapse"
  | "indentation"
  | "elision"
  | "gap"
  | "spelling"
  | "fuzzy_block";

/** The level that found the place, after the reading of the arguments if that was not the plain one. */
export type Strategy = Level | Reading | `${Reading}+${Level}`;

export interface LadderOptions {
  /** Similarity that the fuzzy level asks for; 1 turns it off. */
  readonly fuzzyThreshold?: number;
  /** Replace every place of the first level that finds any. */
  readonly replaceAll?: boolean;
  /** The caller has proven that it saw exactly these bytes. */
  readonly seen?: boolean;
  readonly maxSuggestions?: number;
}

export interface Landed {
  readonly splices: readonly Splice[];
  readonly strategy: Strategy;
  /** Only where the level overlooked letters. */
  readonly similarity?: number;
  /** The file's own text that old text stood for: the first place when there are several. */
  readonly matchedText: string;
  readonly occurrences: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly warnings: readonly string[];
}

const FUZZY_THRESHOLD = 0.85;
// Less than this is recognised by its exact bytes only.
const LEAST_WEIGHT = 6;

export function ladder(text: string, oldText: string, newText: string, options: LadderOptions = {}): Landed {
  refuseBadArguments(oldText, newText);
  const source = sourceOf(text);
  const wanted: Wanted = { oldText: toLf(oldText), newText: newToLf(newText) };
  refuseNewPlaceholders(source, wanted);

  const exact = findExact(source, oldText, wanted);
  if (exact) return noticing(land(source, exact.places, exact.level, options), source, wanted);
  for (const read of readings(wanted)) {
    const landed = climb(source, read, options);
    if (landed) return landed;
  }
  refuseIfApplied(source, wanted);
  const landed = guess(source, wanted, options);
  if (landed) return landed;
  throw notFound(text, oldText, options.maxSuggestions);
}

const TEXT_LEVELS: readonly (readonly [Level, Tolerance])[] = [
  ["line_endings", {}],
  ["trailing_whitespace", { trailing: true }],
  ["unicode", { trailing: true, unicode: true }],
  ["whitespace_collapse", { trailing: true, unicode: true, runs: true }],
];

/** Levels that overlook blanks and look-alikes only. */
function climb(source: Source, read: ReadAs, options: LadderOptions): Landed | undefined {
  const enough = weightOf([read.oldText]) >= LEAST_WEIGHT;
  for (const [level, tolerance] of TEXT_LEVELS) {
    if (!enough && level !== "line_endings") return undefined;
    const places = findText(source, read, tolerance);
    if (places.length > 0) return land(source, places, named(level, read.reading), options);
  }
  for (const tolerance of [UNINDENTED, UNINDENTED_RUNS]) {
    const found = findIndented(source, read, tolerance);
    if (found.length === 0) continue;
    const lines = read.oldText.replace(/\n$/, "").split("\n").length;
    if (found.length > 1 && !options.replaceAll)
      throw ambiguous(
        found.map((first) => lineRange(first, lines)),
        "indentation",
      );
    const places = found.map((first) => indentedPlace(source, read, first, options.seen === true));
    return land(source, places, named("indentation", read.reading), options);
  }
  return undefined;
}

/** Levels for text that is not all there: each of them needs the one place, whatever `replaceAll` says. */
function guess(source: Source, wanted: Wanted, options: LadderOptions): Landed | undefined {
  const elided = findElided(source, wanted);
  if (elided.length > 0) return landPieces(source, elided, "elision");
  const gaps = findWithGaps(source, wanted);
  if (gaps.length > 0) return land(source, gaps, "gap", { ...options, replaceAll: false });
  const misspelt = findMisspelt(source, wanted, options.seen === true);
  if (misspelt) return landPieces(source, [misspelt], "spelling");
  const fuzzy = options.seen ? findFuzzy(source, wanted, options.fuzzyThreshold ?? FUZZY_THRESHOLD) : undefined;
  return fuzzy && landPieces(source, [fuzzy], "fuzzy_block");
}

/** The one place, or all of them where the caller wants all. */
function land(source: Source, places: readonly Place[], strategy: Strategy, options: LadderOptions): Landed {
  const apart = options.replaceAll ? withoutOverlap(places) : places;
  if (apart.length > 1 && !options.replaceAll) {
    const ranges = apart.map((place) => linesOf(source, spanOf(place).start, spanOf(place).end));
    throw ambiguous(ranges, strategy);
  }
  for (const place of apart) refuseMidToken(source, place, strategy);
  return landPieces(source, apart, strategy, apart.length);
}

function landPieces(source: Source, places: readonly Place[], strategy: Strategy, occurrences = 1): Landed {
  for (const place of places) refuseIfAround(source, place, strategy === "exact" || strategy === "line_endings");
  const splices = places.flatMap((place) => mergeLines(source, place.alignment, place.change));
  refuseTooLong(source.text, splices);
  if (splices.length === 0) throw alreadyApplied(linesOf(source, spanOf(places[0]!).start, spanOf(places[0]!).end));
  const start = spanOf(places[0]!).start;
  const end = spanOf(occurrences > 1 ? places[0]! : places.at(-1)!).end;
  const { similarity } = places[0]!;
  return {
    splices,
    strategy,
    ...(similarity !== undefined && { similarity }),
    matchedText: source.text.slice(start, end),
    occurrences,
    ...linesOf(source, start, end),
    warnings: places.flatMap((place) => place.warnings ?? []),
  };
}

function named(level: Level, reading: Reading | undefined): Strategy {
  if (reading === undefined) return level;
  return level === "line_endings" ? reading : `${reading}+${level}`;
}

function withoutOverlap(places: readonly Place[]): Place[] {
  let free = 0;
  return places.filter((place) => {
    const { start, end } = spanOf(place);
    if (start < free) return false;
    free = end;
    return true;
  });
}

/** What was done to the letter, and may not be what was meant. */
function noticing(landed: Landed, source: Source, { oldText, newText }: Wanted): Landed {
  const warnings = [...landed.warnings];
  const [splice] = landed.splices;
  if (oldText.endsWith("\n") && newText !== "" && !newText.endsWith("\n")) {
    warnings.push(
      `The new text has no final newline where the old text had one: line ${landed.endLine + 1} now follows on the same line.`,
    );
  }
  if (splice && !oldText.includes("\n") && cutsWord(source.text, splice.start, splice.end)) {
    warnings.push(`Line ${landed.startLine}: the old text is part of a longer word; only that part was replaced.`);
  }
  return { ...landed, warnings };
}

/** Several lines that start or end inside a word belong to another word; so does one line that is not exact. */
function refuseMidToken(source: Source, place: Place, strategy: Strategy): void {
  const { start, end } = spanOf(place);
  const severalLines = place.change.oldLines.length > 1 || place.change.oldLines[0]!.includes("\n");
  if (strategy === "exact" && !severalLines) return;
  if (cutsWord(source.text, start, end)) throw midToken(source, start, end);
}
