// Level: the bytes of old text, then the same text with other line endings.
import { CALL_LIMITS } from "../../core/limits.ts";
import type { LineSpan } from "../../core/refusal-details.ts";
import { refuse } from "../../words/index.ts";
import { countOccurrences, occurrences } from "../text/occurrences.ts";
import { type LfView, lfView, linesOf, type Source, toLf } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";
import { isBlank } from "./compare.ts";
import { crossesBlocks } from "./indent.ts";
import { mergeLines, oneToOne, segmentsOf } from "./merge.ts";
import { asWritten, type Wanted, weightOf } from "./place.ts";
import { MAX_RANGES, refuseTooMany } from "./refuse.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ExactFind {
  readonly level: "exact" | "line_endings";
  readonly spans: readonly Span[];
  /** Old text ends within a CRLF, or only line endings change: new text goes in byte for byte. */
  readonly verbatim?: boolean;
}

/** Places that differ in line endings only are one and the same to a caller, unless old text names CRLF or only endings change. */
export function findExact(source: Source, given: Wanted, wanted: Wanted, all = false): ExactFind | undefined {
  const { oldText } = given;
  const within = findWithinCrlf(source, given, all);
  if (within.length > 0) return { level: "exact", spans: within, verbatim: true };
  const view = lfView(source.text);
  const span = (at: number): Span => ({
    start: view.toOriginal(at),
    end: view.toOriginal(at + wanted.oldText.length),
  });
  const lines = (at: number): LineSpan => linesOf(source, span(at).start, span(at).end);
  const spans = placesOf(view.text, wanted.oldText, all, lines).map(span);
  if (spans.length === 0) return undefined;
  const sameBytes =
    oldText === wanted.oldText && !source.hasCrlf
      ? spans
      : spans.filter(({ start, end }) => source.text.slice(start, end) === oldText);
  const verbatim = wanted.oldText === wanted.newText;
  const namesEndings = verbatim || oldText !== wanted.oldText;
  if (sameBytes.length === spans.length || (namesEndings && sameBytes.length > 0))
    return { level: "exact", spans: sameBytes, verbatim };
  return { level: "line_endings", spans, verbatim };
}

/** All of them, or a refusal: of a list that was cut no place could be called the only one, nor the last. */
function placesOf(text: string, oldText: string, all: boolean, ranges: (at: number) => LineSpan): number[] {
  const most = CALL_LIMITS.replacements;
  const places = occurrences(text, oldText, most + 1);
  if (places.length <= most) return places;
  if (all) refuseTooMany(places.length);
  const found = countOccurrences(text, oldText);
  throw refuse("old_text_in_several_places", {
    ranges: places.slice(0, MAX_RANGES).map(ranges),
    level: "exact",
    found,
  });
}

/** Matches of the CR of a line ending without its LF, which no view of whole lines has. */
function findWithinCrlf(source: Source, { oldText }: Wanted, all: boolean): Span[] {
  const { text, hasCrlf } = source;
  if (!hasCrlf || !oldText.endsWith("\r")) return [];
  const lines = (at: number): LineSpan => linesOf(source, at, at + oldText.length);
  const spans = placesOf(text, oldText, all, lines).map((start) => ({ start, end: start + oldText.length }));
  return spans.some(({ end }) => text[end] === "\n") ? spans : [];
}

/**
 * True when a match leaves out its line's indentation or a part of it, which more new lines than one would have to share:
 * lines before the first one, or behind it.
 */
export function startsInIndentation(source: Source, { spans }: ExactFind, wanted: Wanted): boolean {
  return sharesIndentation(wanted) && spans.some((span) => isIndented(source, span));
}

/** Nothing but blanks stands before it in its line. */
export function isIndented({ text }: Source, { start }: Span): boolean {
  return blanksBefore(text, start) > 0;
}

/**
 * Several new lines for one old line that has only a part of its indentation, or none and stands before lines that have
 * none either; or for several, the first of which comes after new lines. Other lines of old text have their own indentation.
 */
export function sharesIndentation({ oldText, newText }: Wanted): boolean {
  if (!newText.slice(0, -1).includes("\n") || weightOf([oldText]) === 0) return false;
  if (isBlank(oldText[0]) && !oldText.slice(0, -1).includes("\n")) return true;
  if (comesLater({ oldText, newText })) return true;
  if (!goesOnUnindented({ oldText, newText }) || /\n[ \t]/.test(newText)) return false;
  return !crossesBlocks(oldText, newText.split("\n"));
}

/** One line without its indentation becomes several, of which a further one has none either. */
export function goesOnUnindented({ oldText, newText }: Wanted): boolean {
  if (isBlank(oldText[0]) || oldText.slice(0, -1).includes("\n")) return false;
  return /\n[^\s]/.test(newText) && !comesLater({ oldText, newText });
}

function comesLater({ oldText, newText }: Wanted): boolean {
  return newText.split("\n").indexOf(oldText.split("\n")[0]!) > 0;
}

/** Without CRLF the new text is spliced in as it is; with it, every line keeps its own ending unless only endings change. */
export function exactSplices(source: Source, span: Span, given: Wanted): Splice[] {
  const wanted = { oldText: toLf(given.oldText), newText: toLf(given.newText) };
  const isText = wanted.oldText !== wanted.newText;
  const within = !source.hasCrlf || !(wanted.oldText.includes("\n") || wanted.newText.includes("\n"));
  if (isText && !within) return lineSplices(source, span, wanted);
  const text = isText ? wanted.newText : given.newText;
  const stays = given.oldText === given.newText || source.text.slice(span.start, span.end) === text;
  return stays ? [] : [{ start: span.start, end: span.end, text }];
}

/** As `find` finds old text, line endings aside: if these are what the edit changes, those of old text if any. */
export function placesIn(text: string, view: LfView, given: Wanted, find: Find, most?: number): number[] {
  const oldText = toLf(given.oldText);
  if (given.oldText === given.newText || oldText !== toLf(given.newText)) return find(view.text, oldText, most);
  const places = find(view.text, oldText);
  const same = places.filter(
    (at) => text.slice(view.toOriginal(at), view.toOriginal(at + oldText.length)) === given.oldText,
  );
  return (same.length > 0 ? same : places).slice(0, most);
}

type Find = (text: string, needle: string, most?: number) => number[];

function lineSplices(source: Source, { start, end }: Span, { oldText, newText }: Wanted): Splice[] {
  const first = source.lineAt(start);
  const last = source.lineAt(end);
  const startColumn = start - source.lines[first]!.start;
  const endColumn = end - source.lines[last]!.start;
  return mergeLines(source, oneToOne(segmentsOf(source, first, last, startColumn, endColumn)), {
    oldLines: oldText.split("\n"),
    newLines: newText.split("\n"),
    fit: asWritten,
  });
}

function blanksBefore(text: string, at: number): number {
  let start = at;
  while (isBlank(text[start - 1])) start--;
  return start === 0 || text[start - 1] === "\n" ? at - start : 0;
}
