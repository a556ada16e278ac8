// From places to splices: what was found becomes one answer, or a refusal.

import { linesOf, type Source } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";
import { refuseIfLinesAround, refuseIfTextAround } from "./applied.ts";
import { type ExactFind, exactSplices, goesOnUnindented, isIndented, type Span } from "./levels/exact.ts";
import type { Reading } from "./levels/readings.ts";
import { mergeLines, refuseRewriting } from "./merge.ts";
import { cutsCharacter, cutsToken, cutsWord, insideWord, type Place, spanOf, type Wanted } from "./place.ts";
import { alreadySo, ambiguous, MOST_RANGES, midCharacter, midToken, refuseTooLong, refuseTooMany } from "./refuse.ts";

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

/** The level that found the place, after the reading of the arguments if that was not the plain one. */
export type Strategy = Level | Reading | `${Reading}+${Level}`;

/** Where an edit landed, and how the place was found. */
export interface Landed {
  /** On the original text. */
  readonly splices: readonly Splice[];
  /** How the place was found. */
  readonly strategy: Strategy;
  /** Only where the level overlooked letters. */
  readonly similarity?: number;
  /** The file's own text that old text stood for: the first place when there are several. */
  readonly matchedText: string;
  /** How many places are replaced. */
  readonly occurrences: number;
  /** Of the first place, 1-based. */
  readonly startLine: number;
  /** Of the first place, inclusive. */
  readonly endLine: number;
  /** What the caller should know. */
  readonly warnings: readonly string[];
}

/** Old text to the letter, once, or wherever it is if the caller wants all. */
export function landExact(
  source: Source,
  { level, spans, verbatim }: ExactFind,
  wanted: Wanted,
  { all }: { readonly all: boolean },
): Landed {
  const chosen = all ? apart(spans) : spans;
  if (chosen.length > 1 && !all) {
    throw ambiguous(
      chosen.slice(0, MOST_RANGES).map(({ start, end }) => linesOf(source, start, end)),
      level,
      chosen.length,
    );
  }
  const first = chosen[0]!;
  refuseTooLong(source.text.length + (wanted.newText.length - wanted.oldText.length) * chosen.length);
  if (chosen.length === 1) refuseIfTextAround(source, first.start, first.end, wanted);
  const splices = chosen.flatMap((span) => {
    if (cutsCharacter(source.text, span.start, span.end)) throw midCharacter(source, span.start, span.end);
    if (verbatim) return [{ start: span.start, end: span.end, text: wanted.newText }];
    return exactSplices(source, span, wanted);
  });
  const range = linesOf(source, first.start, first.end);
  if (splices.length === 0) throw alreadySo(range);
  return {
    splices,
    strategy: level,
    matchedText: source.text.slice(first.start, first.end),
    occurrences: chosen.length,
    ...range,
    warnings: noticed(source, first, wanted),
  };
}

/** The one place, or all of them where the caller wants all. */
export function land(source: Source, places: readonly Place[], strategy: Strategy, all: boolean): Landed {
  const spans = places.map(spanOf);
  const free = new Set(apart(spans));
  const chosen = all ? places.filter((_, index) => free.has(spans[index]!)) : places;
  if (chosen.length > 1 && !all) {
    throw ambiguous(
      spans.slice(0, MOST_RANGES).map(({ start, end }) => linesOf(source, start, end)),
      strategy,
      spans.length,
    );
  }
  refuseTooMany(chosen.length);
  for (const place of chosen) {
    const { start, end } = spanOf(place);
    const cuts = place.change.oldLines.length > 1 ? cutsToken : cutsWord;
    refuseRewriting(source, place);
    if (cuts(source.text, start, end)) throw midToken(source, start, end);
  }
  return landPieces(source, chosen, strategy, chosen.length);
}

/** Places that all change, as one edit (`occurrences` 1) or as several. */
export function landPieces(source: Source, places: readonly Place[], strategy: Strategy, occurrences = 1): Landed {
  if (occurrences === 1) for (const place of places) refuseIfLinesAround(source, place);
  const splices = places.flatMap((place) => mergeLines(source, place.alignment, place.change));
  const { start } = spanOf(places[0]!);
  const { end } = spanOf(occurrences > 1 ? places[0]! : places.at(-1)!);
  const range = linesOf(source, start, end);
  if (splices.length === 0) throw alreadySo(range);
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

/** What was done to the letter, and may not be what was meant. */
function noticed(source: Source, { start, end }: Span, { oldText, newText }: Wanted): string[] {
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

function apart(spans: readonly Span[]): Span[] {
  let free = 0;
  return spans.filter(({ start, end }) => {
    if (start < free) return false;
    free = end;
    return true;
  });
}
