// The lines of the file being patched. Finds lines of hunks, and the blocks that headers and locators open.
import { insideWord } from "../ladder/place.ts";
import { CLOSES_BLOCK, endOfBlock, indentOf, isBlankLine, OPENS_BLOCK } from "../text/blocks.ts";
import { type Line, splitLines } from "../text/lines.ts";
import { numbersOf, sequenceOccurrences } from "../text/occurrences.ts";
import { BOM, namingStrayBytes } from "../text/source.ts";
import type { HunkLine } from "./sections.ts";

/** Searches stop after this many places. */
export const MAX_PLACES = 20;

export class FileLines {
  readonly text: string;
  /** Offset of the first line. */
  readonly start: number;
  readonly lines: readonly Line[];
  /** The lines without their terminators. */
  readonly texts: readonly string[];
  readonly #at: ReadonlyMap<string, readonly number[]>;
  #trimmedAt: ReadonlyMap<string, readonly number[]> | undefined;

  /** Leaves a BOM out of the first line, unless a line of `wanted` begins with one. */
  constructor(text: string, wanted: readonly HunkLine[]) {
    const start = text.startsWith(BOM) && !wanted.some((line) => line.text.startsWith(BOM)) ? BOM.length : 0;
    const lines = splitLines(start === 0 ? text : text.slice(start));
    this.text = text;
    this.start = start;
    this.lines = start === 0 ? lines : lines.map((line) => ({ ...line, start: line.start + start }));
    this.texts = this.lines.map((line) => line.text);
    this.#at = placesBy(this.lines, (line) => line.text);
  }

  offset(index: number): number {
    return this.lines[index]?.start ?? this.text.length;
  }

  /** Returns the 1-based, inclusive range of these lines, with offsets. */
  range(from: number, count: number) {
    const offsets = { startOffset: this.offset(from), endOffset: this.offset(from + count) };
    return { startLine: from + 1, endLine: from + Math.max(count, 1), ...offsets };
  }

  matchesAt(wanted: readonly HunkLine[], from: number): boolean {
    if (from < 0 || from + wanted.length > this.lines.length) return false;
    return wanted.every((line, i) => line.text === this.lines[from + i]!.text);
  }

  /** Replaces names of stray bytes in lines of a hunk; the last `spacing` lines do not count as old lines. */
  named(lines: readonly HunkLine[], spacing = 0): readonly HunkLine[] {
    if (!lines.some(({ text }) => text.includes("\\x"))) return lines;
    const joined = (some: readonly { readonly text: string }[]) => ["", ...some.map(({ text }) => text), ""].join("\n");
    const old = lines.slice(0, lines.length - spacing).filter(({ sign }) => sign !== "+");
    const given = { oldText: joined(old), newText: joined(lines) };
    const texts = namingStrayBytes(joined(this.lines), given).newText.split("\n");
    return lines.map((line, i) => ({ ...line, text: texts[i + 1]! }));
  }

  /** Finds up to `max` places of the wanted lines from line `from` on, terminators aside. */
  find(wanted: readonly HunkLine[], from: number, max: number): number[] {
    let rarest = 0;
    let places: readonly number[] | undefined;
    for (const [i, line] of wanted.entries()) {
      const these = this.#at.get(line.text) ?? [];
      if (places === undefined || these.length < places.length) [rarest, places] = [i, these];
    }
    if (places === undefined) return [];
    if (places.length * wanted.length > 1_000_000) {
      // Linear even if many lines are equal.
      const known = new Map<string, number>();
      const texts = wanted.map(({ text }) => text);
      const all = sequenceOccurrences(numbersOf(this.texts, known), numbersOf(texts, known));
      return all.filter((at) => at >= from).slice(0, max);
    }
    const found: number[] = [];
    for (const place of places) {
      if (place - rarest < from || !this.matchesAt(wanted, place - rarest)) continue;
      found.push(place - rarest);
      if (found.length === max) break;
    }
    return found;
  }

  /** Finds the lines among `from..to` with this text, blanks around them aside. */
  findTrimmed(wanted: string, from: number, to: number): number[] {
    this.#trimmedAt ??= placesBy(this.lines, (line) => line.text.trim());
    return (this.#trimmedAt.get(wanted) ?? []).filter((at) => at >= from && at < to);
  }
}

/** Maps each text to the indices of its lines, in order. */
function placesBy(lines: readonly Line[], textOf: (line: Line) => string): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const text = textOf(line);
    const known = places.get(text);
    if (known === undefined) places.set(text, [at]);
    else known.push(at);
  }
  return places;
}

/** A line that reads as a header. */
export interface FoundHeader {
  readonly line: number;
  /** The line behind the block that it opens, or behind the one around it. */
  readonly reach: number;
  readonly wholeLine: boolean;
}

/** Finds the lines that the last header may mean, each header inside a block of the one before. */
export function findHeaders(file: FileLines, headers: readonly string[]) {
  let found: readonly FoundHeader[] = [{ line: -1, reach: file.lines.length, wholeLine: false }];
  for (const text of headers) {
    const inside = found.flatMap(({ line, reach }) => linesReading(file, text, line + 1, reach));
    if (inside.length === 0) return { found: [], missing: text };
    found = [...new Map(inside.map((header) => [header.line, header])).values()];
  }
  return { found: headers.length === 0 ? [] : found };
}

/** Finds the lines that a heading may mean, which diff tools cut at 40 characters or more. */
export function findHeadings(file: FileLines, text: string): readonly FoundHeader[] {
  return text === "" ? [] : linesReading(file, text, 0, file.lines.length, text.length >= 40);
}

// A bracket alone is on more lines. Bounds the work of finding their blocks.
const MAX_HEADERS = 1000;

/** Finds lines that equal the header, indentation aside; if none, lines that contain it as whole words. */
function linesReading(file: FileLines, header: string, start: number, end: number, isCut = false): FoundHeader[] {
  const whole = file.findTrimmed(header, start, end);
  const wholeLine = whole.length > 0;
  const isIn = (text: string, n: number) => (hasWords(text, header, isCut) ? [start + n] : []);
  const lines = wholeLine ? whole : file.texts.slice(start, end).flatMap(isIn);
  const reach = (line: number) => Math.min(reachOfBlock(file, line) ?? end, end);
  return lines.slice(0, MAX_HEADERS).map((line) => ({ line, reach: reach(line), wholeLine }));
}

/** True for `def one` in `def one():`, but not in `def one_more():`. */
function hasWords(text: string, words: string, isCut: boolean): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (!insideWord(text, at) && (isCut || !insideWord(text, end))) return true;
  }
  return false;
}

/** Returns the line behind the block that line `head` opens; undefined when it opens none. */
function reachOfBlock({ texts }: FileLines, head: number): number | undefined {
  // Headings and directives open no block.
  if (texts[head]!.trimStart().startsWith("#")) return undefined;
  const end = endOfBlock(texts, head);
  if (!OPENS_BLOCK.test(texts[head]!) && texts.slice(head + 1, end).every(isBlankLine)) return undefined;
  return end < texts.length && CLOSES_BLOCK.test(texts[end]!) ? end + 1 : end;
}

/** Returns the end of the block that context lines at `at` open with their least indented line. */
export function endOfOpened(file: FileLines, at: number, old: readonly HunkLine[]): number | undefined {
  const depths = old.map(({ text }) => (isBlankLine(text) ? Number.POSITIVE_INFINITY : indentOf(text).length));
  return reachOfBlock(file, at + depths.indexOf(Math.min(...depths)));
}
