// Lands an edit: turns the places that a level found into splices, unless the edit is already applied.
import type { Refusal } from "../../core/failure.ts";
import type { LineSpan } from "../../core/refusal-details.ts";
import { refuse } from "../../words/index.ts";
import { contains, numbersOf, occurrences, sequenceOccurrences } from "../text/occurrences.ts";
import { lfView, lineRange, linesOf, type Source, toLf } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";
import { LOOSEST, type Lookup, normal } from "./compare.ts";
import { type ExactFind, exactSplices, goesOnUnindented, isIndented, type Span } from "./exact.ts";
import { mergeLines, refuseRewriting } from "./merge.ts";
import {
  cutsCharacter,
  cutsToken,
  cutsWord,
  insideWord,
  MAX_RANGES,
  type Place,
  refuseTooLong,
  refuseTooMany,
  spanOf,
  type Wanted,
  weightOf,
} from "./place.ts";
import type { Reading } from "./readings.ts";

export type Level =
  | "exact"
  | "line_endings"
  | "trailing_whitespace"
  | "unicode"
  | "whitespace_collapse"
  | "indentation"
  | "elision"
  | "gap"
  | "edge"
  | "spelling"
  | "fuzzy_block";

/** The level that found the place, preceded by how the arguments were read if not plainly. */
export type Strategy = Level | Reading | `${Reading}+${Level}`;

/** Where an edit landed, and how the place was found. */
export interface Landed {
  /** On the original text. */
  readonly splices: readonly Splice[];
  /** How the place was found. */
  readonly strategy: Strategy;
  /** Present only where the level overlooks letters. */
  readonly similarity?: number;
  /** The file's text at the first place. */
  readonly matchedText: string;
  /** How many places are replaced. */
  readonly occurrences: number;
  /** First line of the first place, 1-based. */
  readonly startLine: number;
  /** Last line of the first place, inclusive. */
  readonly endLine: number;
  /** What the caller should know. */
  readonly warnings: readonly string[];
}

/** Lands exact old text at its only place, or at all places with `all`. */
export function landExact(source: Source, exact: ExactFind, given: Wanted, all: boolean): Landed {
  const { level, found, spans } = exact;
  const wanted = { oldText: toLf(given.oldText), newText: toLf(given.newText) };
  if (found > 1 && !all) throw severalPlaces(source, spans, level, found);
  // Also where they overlap: of a list that is cut, only some would be replaced.
  refuseTooMany(found);
  const chosen = withoutOverlap(spans);
  const first = chosen[0]!;
  refuseTooLong(source.text.length + (wanted.newText.length - wanted.oldText.length) * chosen.length);
  if (chosen.length === 1) refuseIfTextAround(source, first.start, first.end, wanted);
  const splices = chosen.flatMap((span) => {
    if (cutsCharacter(source.text, span.start, span.end))
      throw refuse("old_text_is_cut", linesOf(source, span.start, span.end));
    return exactSplices(source, span, given);
  });
  const range = linesOf(source, first.start, first.end);
  if (splices.length === 0) throw refuse("edit_already_applied", { ...range, how: "there" });
  return {
    splices,
    strategy: level,
    matchedText: source.text.slice(first.start, first.end),
    occurrences: chosen.length,
    ...range,
    warnings: exactWarnings(source, first, wanted),
  };
}

/** Lands at the only place, or at all places with `all`. */
export function land(source: Source, places: readonly Place[], strategy: Strategy, all: boolean): Landed {
  const spans = places.map(spanOf);
  const free = new Set(withoutOverlap(spans));
  const chosen = all ? places.filter((_, index) => free.has(spans[index]!)) : places;
  if (chosen.length > 1 && !all) throw severalPlaces(source, spans, strategy, spans.length);
  refuseTooMany(chosen.length);
  for (const place of chosen) {
    const { start, end } = spanOf(place);
    const cuts = place.change.oldLines.length > 1 ? cutsToken : cutsWord;
    refuseRewriting(source, place);
    if (cuts(source.text, start, end)) {
      const word = wordAround(source.text, start) ?? wordAround(source.text, end) ?? "";
      throw refuse("old_text_is_cut", { ...linesOf(source, start, end), word });
    }
  }
  return landPieces(source, chosen, strategy, chosen.length);
}

/** Lands at all of these places: the pieces of one edit, or as many occurrences. */
export function landPieces(source: Source, places: readonly Place[], strategy: Strategy, occurrences = 1): Landed {
  if (occurrences === 1) for (const place of places) refuseIfLinesAround(source, place);
  const splices = places.flatMap((place) => mergeLines(source, place.alignment, place.change));
  const { start } = spanOf(places[0]!);
  const { end } = spanOf(occurrences > 1 ? places[0]! : places.at(-1)!);
  const range = linesOf(source, start, end);
  if (splices.length === 0) throw refuse("edit_already_applied", { ...range, how: "there" });
  refuseTooLong(splices.reduce((sum, splice) => sum + splice.text.length, source.text.length));
  const { similarity } = places[0]!;
  return {
    splices,
    strategy,
    ...(similarity !== undefined && { similarity }),
    matchedText: source.text.slice(start, end),
    occurrences,
    ...range,
    warnings: places.flatMap((place) => place.warnings ?? []),
  };
}

function severalPlaces(source: Source, spans: readonly Span[], level: string, found: number): Refusal {
  const ranges = spans.slice(0, MAX_RANGES).map(({ start, end }) => linesOf(source, start, end));
  return refuse("old_text_in_several_places", { ranges, level, found });
}

/** Returns the word that offset `at` cuts in two. */
function wordAround(text: string, at: number): string | undefined {
  const before = /[\p{L}\p{N}_$@.-]+$/u.exec(text.slice(Math.max(0, at - 100), at))?.[0];
  const after = /^[\p{L}\p{N}_$@.-]+/u.exec(text.slice(at, at + 100))?.[0];
  return before && after ? before + after : undefined;
}

/** Warns where an exact edit may not do what its caller means. */
function exactWarnings(source: Source, { start, end }: Span, { oldText, newText }: Wanted): string[] {
  const warnings: string[] = [];
  if (oldText.endsWith("\n") && newText !== "" && !newText.endsWith("\n") && end < source.text.length) {
    warnings.push("The new text has no final newline where the old text had one: the line after it was joined to it.");
  }
  if (goesOnUnindented({ oldText, newText }) && isIndented(source, { start, end })) {
    const line = source.lineAt(start) + 1;
    warnings.push(`Line ${line} is indented and the old text is not: new lines after the first start at column 0.`);
  }
  const cut = [start, end].find((at) => insideWord(source.text, at));
  if (cut !== undefined) {
    const line = source.lineAt(cut) + 1;
    warnings.push(`Line ${line}: the old text starts or ends inside a word; only the part given was replaced.`);
  }
  return warnings;
}

function withoutOverlap(spans: readonly Span[]): Span[] {
  let free = 0;
  return spans.filter(({ start, end }) => {
    if (start < free) return false;
    free = end;
    return true;
  });
}

// A shorter addition may be wanted twice.
const MIN_WEIGHT = 12;
const MIN_DISTINCTIVE = 6;

/** Finds the lines where the file has new text although old text is missing. */
export function findApplied({ source }: Lookup, { oldText, newText }: Wanted): LineSpan | undefined {
  const lookedFor = newText.endsWith("\n") ? newText.slice(0, -1) : newText;
  if (weightOf([lookedFor]) < MIN_WEIGHT || contains(oldText, lookedFor)) return undefined;
  const view = lfView(source.text);
  const [at] = occurrences(view.text, lookedFor, 1);
  return at === undefined ? undefined : linesOf(source, view.toOriginal(at), view.toOriginal(at + lookedFor.length));
}

/** Refuses when new text is the whole file: then even a short edit is certainly applied. */
export function refuseIfWhole({ source }: Lookup, { newText }: Wanted): void {
  if (newText === "" || lfView(source.text).text !== newText) return;
  throw refuse("edit_already_applied", { ...linesOf(source, 0, source.text.length), how: "instead" });
}

/** True when old and new text share a distinctive line. Otherwise new text may stand elsewhere by chance. */
export function sharesDistinctiveLine({ oldText, newText }: Wanted): boolean {
  const known = new Set(oldText.split("\n").map((line) => normal(line, LOOSEST)));
  return newText.split("\n").some((line) => weightOf([line]) >= MIN_DISTINCTIVE && known.has(normal(line, LOOSEST)));
}

/** Refuses if exact old text at `start..end` is, with the text around it, already the new text. */
export function refuseIfTextAround(source: Source, start: number, end: number, { oldText, newText }: Wanted): void {
  if (newText.length <= oldText.length || weightOf([newText]) - weightOf([oldText]) < MIN_WEIGHT) return;
  const from = Math.max(0, start - newText.length * 2);
  const view = lfView(source.text.slice(from, end + newText.length * 2));
  for (const at of occurrences(view.text, newText)) {
    const newStart = from + view.toOriginal(at);
    const newEnd = from + view.toOriginal(at + newText.length);
    if (newStart <= start && newEnd >= end)
      throw refuse("edit_already_applied", { ...linesOf(source, newStart, newEnd), how: "around" });
  }
}

/** Refuses if old text at `place` is, with the lines around it, already the new text. */
export function refuseIfLinesAround(source: Source, place: Place): void {
  const { oldLines, newLines } = place.change;
  if (newLines.length <= oldLines.length || weightOf(newLines) <= weightOf(oldLines)) return;
  const { start, end } = spanOf(place);
  const first = source.lineAt(start);
  const last = source.lineAt(end);
  const from = Math.max(0, first - newLines.length);
  const around = source.lines.slice(from, last + newLines.length + 1);
  const ids = new Map<string, number>();
  const keys = newLines.map((line) => normal(line, LOOSEST));
  const wanted = numbersOf(keys, ids);
  const have = Int32Array.from(around, (line) => ids.get(normal(line.text, LOOSEST)) ?? -1);
  for (const at of sequenceOccurrences(have, wanted)) {
    const newFirst = from + at;
    if (newFirst <= first && newFirst + newLines.length - 1 >= last) {
      throw refuse("edit_already_applied", { ...lineRange(newFirst, newLines.length), how: "around" });
    }
  }
}
