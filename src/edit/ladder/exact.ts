// Levels "exact" and "line_endings": the bytes of old text, then the same text with other line endings.
import { CALL_LIMITS } from "../../core/limits.ts";
import { occurrences } from "../text/occurrences.ts";
import { type LfView, lfView, type Source, toLf } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";
import { isBlank } from "./compare.ts";
import { crossesBlocks } from "./indent.ts";
import { mergeLines, oneToOne, segmentsOf } from "./merge.ts";
import { asWritten, type Wanted, weightOf } from "./place.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ExactFind {
  readonly level: "exact" | "line_endings";
  /** The number of places. */
  readonly found: number;
  /** Cut behind the number that one call replaces. */
  readonly spans: readonly Span[];
}

/** Ignores line endings unless old text has CRLF or only line endings change. */
export function findExact(source: Source, given: Wanted, wanted: Wanted): ExactFind | undefined {
  const { oldText } = given;
  const view = lfView(source.text);
  const span = (at: number): Span => ({
    start: view.toOriginal(at),
    end: view.toOriginal(at + wanted.oldText.length),
  });
  const all = occurrences(view.text, wanted.oldText);
  if (all.length === 0) return undefined;
  const isSame = (at: number) => source.text.slice(span(at).start, span(at).end) === oldText;
  const same = oldText === wanted.oldText && !source.hasCrlf ? all : all.filter(isSame);
  const namesEndings = wanted.oldText === wanted.newText || oldText !== wanted.oldText;
  const isExact = same.length === all.length || (namesEndings && same.length > 0);
  const places = isExact ? same : all;
  const spans = places.slice(0, CALL_LIMITS.replacements + 1).map(span);
  return { level: isExact ? "exact" : "line_endings", found: places.length, spans };
}

/** True when a match leaves out indentation of its line that several new lines need. */
export function startsInIndentation(source: Source, { spans }: ExactFind, wanted: Wanted): boolean {
  return sharesIndentation(wanted) && spans.some((span) => isIndented(source, span));
}

/** True when only blanks are before the span in its line. */
export function isIndented({ text }: Source, { start }: Span): boolean {
  let line = start;
  while (isBlank(text[line - 1])) line--;
  return line < start && (line === 0 || text[line - 1] === "\n");
}

/**
 * True when several new lines need the indentation that the first line of old text lacks. They replace a single line, or
 * stand before the first line: the other lines of old text bring their own indentation.
 */
export function sharesIndentation({ oldText, newText }: Wanted): boolean {
  if (!newText.slice(0, -1).includes("\n") || weightOf([oldText]) === 0) return false;
  if (isBlank(oldText[0]) && !oldText.slice(0, -1).includes("\n")) return true;
  if (comesLater({ oldText, newText })) return true;
  if (!goesOnUnindented({ oldText, newText }) || /\n[ \t]/.test(newText)) return false;
  return !crossesBlocks(oldText, newText.split("\n"));
}

/** True when one unindented line becomes several, and one of the further lines is unindented, too. */
export function goesOnUnindented({ oldText, newText }: Wanted): boolean {
  if (isBlank(oldText[0]) || oldText.slice(0, -1).includes("\n")) return false;
  return /\n[^\s]/.test(newText) && !comesLater({ oldText, newText });
}

function comesLater({ oldText, newText }: Wanted): boolean {
  return newText.split("\n").indexOf(oldText.split("\n")[0]!) > 0;
}

/** Inserts new text as it is where there is no CRLF. Otherwise every line keeps its ending unless only endings change. */
export function exactSplices(source: Source, span: Span, given: Wanted): Splice[] {
  const wanted = { oldText: toLf(given.oldText), newText: toLf(given.newText) };
  const isText = wanted.oldText !== wanted.newText;
  const within = !source.hasCrlf || !(wanted.oldText.includes("\n") || wanted.newText.includes("\n"));
  if (isText && !within) return lineSplices(source, span, wanted);
  const text = isText ? wanted.newText : given.newText;
  const stays = given.oldText === given.newText || source.text.slice(span.start, span.end) === text;
  return stays ? [] : [{ start: span.start, end: span.end, text }];
}

/** Finds old text, line endings aside. If only endings change, places with the endings of old text come first. */
export function placesIn(text: string, view: LfView, given: Wanted, find: Find): number[] {
  const oldText = toLf(given.oldText);
  if (given.oldText === given.newText || oldText !== toLf(given.newText)) return find(view.text, oldText);
  const places = find(view.text, oldText);
  const same = places.filter(
    (at) => text.slice(view.toOriginal(at), view.toOriginal(at + oldText.length)) === given.oldText,
  );
  return same.length > 0 ? same : places;
}

type Find = (text: string, needle: string) => number[];

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
