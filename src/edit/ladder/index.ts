// The ladder: finds the one place that an edit is meant for, level by level, or refuses. It never guesses.
import { strictOptions, validate } from "../../api/options.ts";
import { Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import { missing } from "../replace/suggest.ts";
import { refuseNewPlaceholders } from "../text/omission.ts";
import { BOM, lineRange, namingStrayBytes, type Source, sourceOf, toLf, withoutBom } from "../text/source.ts";
import type { Tolerance } from "./compare.ts";
import { type Lookup, lookupOf } from "./compare.ts";
import { type EdgeFind, findWithoutEdge } from "./edge.ts";
import { type ExactFind, findExact, goesOnUnindented, sharesIndentation, startsInIndentation } from "./exact.ts";
import { findElided, findWithGaps } from "./gaps.ts";
import { findIndented, indentedPlace, isRelative, refuseIndentedPart } from "./indentation.ts";
import {
  findApplied,
  type Landed,
  type Level,
  land,
  landExact,
  landPieces,
  refuseIfWhole,
  type Strategy,
  sharesDistinctiveLine,
} from "./land.ts";
import { refuseRewriting } from "./merge.ts";
import { MAX_RANGES, type Wanted, weightOf, wholeLines } from "./place.ts";
import { holdsEntity, type ReadAs, type Reading, readings } from "./readings.ts";
import { findText, possibleStarts } from "./text.ts";
import { findFuzzy, findMisspelt } from "./typos.ts";

export type { Landed, Strategy } from "./land.ts";

/** How far old text may be from what is there. */
export interface LadderOptions {
  /** Minimum similarity at the fuzzy level; 1 takes exact old text only, line endings aside. */
  readonly fuzzyThreshold?: number;
  /** Replaces every place that the first successful level finds. */
  readonly replaceAll?: boolean;
  /** The caller has proven that it saw exactly these bytes. */
  readonly seen?: boolean;
  /** Maximum number of near places that a refusal names; 3 by default. */
  readonly maxSuggestions?: number;
}

const OPTIONS = strictOptions<LadderOptions>({
  fuzzyThreshold: true,
  replaceAll: true,
  seen: true,
  maxSuggestions: true,
});

/** Each level that finds no place hands on to the next; one place decides; several are refused at once. */
export function ladder(text: string, oldText: string, newText: string, options: LadderOptions = {}): Landed {
  validate(options, OPTIONS);
  if (oldText === "") throw refuse("old_text_empty", {});
  if (oldText === newText) throw refuse("old_text_unchanged", {});
  if (oldText.startsWith(BOM) && !newText.startsWith(BOM)) return landed(text, { oldText, newText }, options);
  const { bare, shifted } = withoutBom(text);
  const given = oldText.startsWith(BOM)
    ? { oldText: oldText.slice(1), newText: newText.slice(1) }
    : { oldText, newText };
  if (bare === text || given.oldText === "") return landed(text, { oldText, newText }, options);
  const found = landed(bare, given, options);
  return { ...found, splices: shifted(found.splices) };
}

function landed(text: string, wrote: Wanted, options: LadderOptions): Landed {
  const source = sourceOf(text);
  const given = namingStrayBytes(text, wrote);
  const wanted: Wanted = { oldText: toLf(given.oldText), newText: toLf(given.newText) };
  refuseNewPlaceholders(source, wanted);

  const exact = findExact(source, given, wanted);
  const toTheLetter = options.fuzzyThreshold === 1 || wanted.oldText === wanted.newText;
  const all = options.replaceAll === true;
  const isPlain = toTheLetter || (exact && exact.found > 1 && !all);
  if (exact && (isPlain || !(startsInIndentation(source, exact, wanted) || isRelative(source, exact, wanted)))) {
    return landExact(source, exact, given, all);
  }
  const lookup = lookupOf(source);
  if (exact) return reindentedExact(lookup, exact, wanted, options);
  for (const read of toTheLetter ? [] : readings(wanted)) {
    const found = climb(lookup, read, options);
    if (found) return found;
  }
  refuseIfWhole(lookup, wanted);
  const applied = findApplied(lookup, wanted);
  if (applied && sharesDistinctiveLine(wanted)) throw refuse("edit_already_applied", { ...applied, how: "instead" });
  const found = toTheLetter ? undefined : piece(lookup, wanted, options);
  if (found) return found;
  throw missing(text, given.oldText, { maxSuggestions: options.maxSuggestions, newTextAt: applied });
}

const FUZZY_THRESHOLD = 0.85;
// Shorter old text must match exactly, except for the blanks between its words.
const MIN_WEIGHT = 6;
const BLANKS_INSIDE = /[^\s][ \t]+[^\s]/;

const TEXT_LEVELS: readonly (readonly [Level, Tolerance])[] = [
  ["line_endings", {}],
  ["trailing_whitespace", { trailing: true }],
  ["unicode", { trailing: true, unicode: true }],
  ["whitespace_collapse", { trailing: true, unicode: true, runs: true }],
];

/** Tries the levels that overlook blanks, look-alikes and indentation. */
function climb(lookup: Lookup, read: ReadAs, options: LadderOptions): Landed | undefined {
  const { source } = lookup;
  const all = options.replaceAll === true;
  const enough = weightOf([read.oldText]) >= MIN_WEIGHT;
  const starts = possibleStarts(lookup, read.oldText).filter((first) => isAt(read, first));
  for (const [level, tolerance] of starts.length > 0 ? TEXT_LEVELS : []) {
    if (!enough && !holdsForFew(level, read)) continue;
    const places = findText(lookup, read, enough ? tolerance : { runs: tolerance.runs === true }, starts);
    if (places.length > 0) return land(source, places, named(level, read.reading), all);
  }
  return enough ? reindented(lookup, read, options) : undefined;
}

function holdsForFew(level: Level, { oldText }: ReadAs): boolean {
  return level === "line_endings" || (level === "whitespace_collapse" && BLANKS_INSIDE.test(oldText));
}

/** Places exact old text that lacks indentation of its first line: whole lines are indented like the file. */
function reindentedExact(lookup: Lookup, exact: ExactFind, wanted: Wanted, options: LadderOptions): Landed {
  const { source } = lookup;
  const firsts = new Set(exact.spans.map(({ start }) => source.lineAt(start)));
  const found = findIndented(lookup, wanted).filter((first) => firsts.has(first));
  const mayStay = !sharesIndentation(wanted) || goesOnUnindented(wanted);
  try {
    if (found.length === firsts.size) {
      const landed = landIndented(source, found, wanted, options);
      const warning = `The new lines were indented like line ${landed.startLine}.`;
      return { ...landed, strategy: exact.level, warnings: [warning, ...landed.warnings] };
    }
  } catch (error) {
    // Lines that no rule can indent are written as given, with a warning.
    if (!mayStay || !(error instanceof Refusal) || error.kind !== "indent_inconsistent") throw error;
  }
  if (!mayStay) refuseIndentedPart(source, exact);
  return landExact(source, exact, wanted, options.replaceAll === true);
}

function reindented(lookup: Lookup, read: ReadAs, options: LadderOptions): Landed | undefined {
  const found = findIndented(lookup, read).filter((first) => isAt(read, first));
  return found.length === 0 ? undefined : landIndented(lookup.source, found, read, options);
}

function landIndented(source: Source, found: readonly number[], read: ReadAs, options: LadderOptions): Landed {
  const all = options.replaceAll === true;
  if (found.length > 1 && !all) {
    const { length } = wholeLines(read).oldLines;
    const ranges = found.slice(0, MAX_RANGES).map((first) => lineRange(first, length));
    throw refuse("old_text_in_several_places", { ranges, level: "indentation", found: found.length });
  }
  const places = found.map((first) => indentedPlace(source, read, first));
  return land(source, places, named("indentation", read.reading), all);
}

/** Tries the levels for text that the file has in part. Each needs a single place, even with `replaceAll`. */
function piece(lookup: Lookup, wanted: Wanted, options: LadderOptions): Landed | undefined {
  const { source } = lookup;
  // An entity is no typo: new text would have entities, too.
  const { oldLines } = wholeLines(wanted);
  if (oldLines.some((line) => holdsEntity(line) && lookup.idsOf([line])[0]! < 0)) return undefined;
  const elided = findElided(lookup, wanted);
  for (const place of elided) refuseRewriting(source, place);
  if (elided.length > 0) return landPieces(source, elided, "elision");
  const gaps = findWithGaps(lookup, wanted, options.seen === true);
  if (gaps.length > 0) return land(source, gaps, "gap", false);
  const edge = findWithoutEdge(lookup, wanted);
  if (edge) return landEdge(source, edge);
  const misspelt = findMisspelt(lookup, wanted, options.seen === true);
  if (misspelt) return landPieces(source, [misspelt], "spelling");
  const fuzzy = options.seen ? findFuzzy(lookup, wanted, options.fuzzyThreshold ?? FUZZY_THRESHOLD) : undefined;
  return fuzzy && landPieces(source, [fuzzy], "fuzzy_block");
}

function landEdge(source: Source, { exact, wanted, warning }: EdgeFind): Landed {
  const found = landExact(source, exact, wanted, false);
  return { ...found, strategy: "edge", warnings: [warning, ...found.warnings] };
}

/** True unless the line numbers in old text name another line. */
function isAt({ firstLine }: ReadAs, index: number): boolean {
  return firstLine === undefined || firstLine === index + 1;
}

function named(level: Level, reading: Reading | undefined): Strategy {
  if (reading === undefined) return level;
  return level === "line_endings" ? reading : `${reading}+${level}`;
}
