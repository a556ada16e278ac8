// Level: the bytes of old text, then the same text with other line endings.

import { occurrences } from "../occurrences.ts";
import { lfView, lineIndexAt, type Source } from "../source.ts";
import type { Splice } from "../splice.ts";
import { mergeLines, oneToOne, type Segment, segmentsOf } from "./merge.ts";
import { asWritten, type Place, type Wanted } from "./place.ts";

export interface ExactFind {
  readonly level: "exact" | "line_endings" | "trailing_whitespace";
  readonly places: readonly Place[];
}

/** All places of the narrower of the two levels that has any. */
export function findExact(source: Source, oldText: string, wanted: Wanted): ExactFind | undefined {
  const view = lfView(source.text);
  const spans = occurrences(view.text, wanted.oldText).map((at) => ({
    start: view.toOriginal(at),
    end: view.toOriginal(at + wanted.oldText.length),
  }));
  if (spans.length === 0) return undefined;
  const sameBytes = spans.filter(({ start, end }) => source.text.slice(start, end) === oldText);
  const places = (sameBytes.length > 0 ? sameBytes : spans).map(({ start, end }) =>
    exactPlace(source, start, end, wanted),
  );
  if (places.some((place) => place.widened)) return { level: "trailing_whitespace", places };
  return { level: sameBytes.length > 0 ? "exact" : "line_endings", places };
}

/** Splices for old text that was found at `start..end`, its bytes or the same lines with other endings. */
export function exactSplices(source: Source, start: number, end: number, wanted: Wanted): Splice[] {
  const place = source.hasCr ? linesPlace(source, start, end, wanted) : textPlace(source, start, end, wanted);
  return mergeLines(source, place.alignment, place.change);
}

interface ExactPlace extends Place {
  /** Blanks around old text that stand alone on its first or last line: they are part of that line. */
  readonly widened: boolean;
}

/** Without CR in the file the new text is spliced in as it is; with it, every line keeps its own ending. */
function exactPlace(source: Source, start: number, end: number, wanted: Wanted): ExactPlace {
  const { oldText } = wanted;
  const wideStart = oldText.startsWith("\n") ? blanksBefore(source.text, start) : 0;
  const wideEnd = oldText.includes("\n") && !oldText.endsWith("\n") ? blanksAfter(source.text, end) : 0;
  const widened = wideStart + wideEnd > 0;
  if (!source.hasCr && !widened) return { ...textPlace(source, start, end, wanted), widened };
  return { ...linesPlace(source, start - wideStart, end + wideEnd, wanted), widened };
}

function textPlace(source: Source, start: number, end: number, { oldText, newText }: Wanted): Place {
  const segment: Segment = { text: source.text.slice(start, end), start, eol: "" };
  return { alignment: oneToOne([segment]), change: { oldLines: [oldText], newLines: [newText], fit: asWritten } };
}

function linesPlace(source: Source, start: number, end: number, { oldText, newText }: Wanted): Place {
  const first = lineIndexAt(source.lines, start);
  const last = lineIndexAt(source.lines, end);
  const startColumn = start - source.lines[first]!.start;
  const endColumn = end - source.lines[last]!.start;
  return {
    alignment: oneToOne(segmentsOf(source, first, last, startColumn, endColumn)),
    change: { oldLines: oldText.split("\n"), newLines: newText.split("\n"), fit: asWritten },
  };
}

/** How many blanks, and nothing else, stand between `at` and the end of its line. */
function blanksAfter(text: string, at: number): number {
  let end = at;
  while (isBlank(text[end])) end++;
  return end === text.length || text[end] === "\n" || text[end] === "\r" ? end - at : 0;
}

function blanksBefore(text: string, at: number): number {
  let start = at;
  while (isBlank(text[start - 1])) start--;
  return start === 0 || text[start - 1] === "\n" || text[start - 1] === "\r" ? at - start : 0;
}

function isBlank(char: string | undefined): boolean {
  return char === " " || char === "\t";
}
