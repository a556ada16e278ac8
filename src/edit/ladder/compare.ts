// Lines as a level compares them: without the differences that it overlooks, and with a way back to the file's columns.
import { indentOf } from "../text/blocks.ts";
import { numbersOf, sequenceOccurrences } from "../text/occurrences.ts";
import type { Source } from "../text/source.ts";

/** Differences that a level overlooks, besides line endings. */
export interface Tolerance {
  readonly trailing?: boolean;
  readonly unicode?: boolean;
  readonly runs?: boolean;
  readonly leading?: boolean;
}

/** The line without the differences that `tolerance` overlooks. */
export function normal(line: string, tolerance: Tolerance): string {
  let out = line;
  if (tolerance.unicode && NON_ASCII.test(out)) out = fold(out);
  if (tolerance.runs) out = collapse(out);
  if (tolerance.trailing) out = trimmedEnd(out);
  return tolerance.leading ? out.slice(indentOf(out).length) : out;
}

/** A normalised line; each of its characters has its span in the original line. */
export interface MappedLine {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Normalises like `normal`, with spans. Ignores `leading`: that level matches whole lines only. */
export function mapped(line: string, tolerance: Tolerance): MappedLine {
  let text = "";
  const starts: number[] = [];
  const ends: number[] = [];
  const put = (out: string, start: number, end: number) => {
    for (let i = 0; i < out.length; i++) {
      starts.push(start);
      ends.push(end);
    }
    text += out;
  };
  let filled = false;
  for (const [start, end] of clusters(line)) {
    const raw = line.slice(start, end);
    const out = tolerance.unicode && (raw.length > 1 || raw.charCodeAt(0) > 0x7f) ? fold(raw) : raw;
    const squeezed = tolerance.runs && filled && isBlank(out);
    if (squeezed && text.endsWith(" ")) ends[ends.length - 1] = end;
    else put(squeezed ? " " : out, start, end);
    filled ||= out !== "" && !isBlank(out);
  }
  const length = tolerance.trailing ? trimmedEnd(text).length : text.length;
  return { text: text.slice(0, length), starts: starts.slice(0, length), ends: ends.slice(0, length) };
}

/** Replaces look-alike blanks, quotes and dashes by ASCII, drops invisible characters and composes accents. */
function fold(text: string): string {
  return text
    .replace(COMPOSABLE, (cluster) => cluster.normalize("NFC"))
    .replace(LOOKALIKE, (char) => {
      if (QUOTES.includes(char)) return "'";
      if (DOUBLE_QUOTES.includes(char)) return '"';
      if (DASHES.includes(char)) return "-";
      if (char === "…") return "...";
      return INVISIBLE.includes(char) ? "" : " ";
    });
}

export function trimmedEnd(line: string): string {
  let end = line.length;
  while (end > 0 && isBlank(line[end - 1])) end--;
  return end === line.length ? line : line.slice(0, end);
}

const NON_ASCII = /[^\0-\x7f]/;
const COMPOSABLE = /[^\p{M}\s]\p{M}+/gu;
const QUOTES = "‘’‚‛′";
const DOUBLE_QUOTES = "“”„‟″«»";
const DASHES = "‐‑‒–—―−";
const INVISIBLE = "\u200b\u200c\u200d\ufeff";
const LOOKALIKE = /[‘’‚‛′“”„‟″«»‐-―−…\u00a0\u2000-\u200a\u202f\u205f\u3000\u200b-\u200d\ufeff]/g;

export function isBlank(char: string | undefined): boolean {
  return char === " " || char === "\t";
}

/** Replaces each run of blanks behind the indentation by one space. */
function collapse(line: string): string {
  const lead = indentOf(line).length;
  if (!line.includes("  ", lead) && !line.includes("\t", lead)) return line;
  return line.slice(0, lead) + line.slice(lead).replace(/[ \t]+/g, " ");
}

/** Yields the span of each character with its combining marks. */
function* clusters(line: string): Generator<[number, number]> {
  let at = 0;
  for (const match of line.matchAll(COMPOSABLE)) {
    for (; at < match.index; at++) yield [at, at + 1];
    yield [at, at + match[0].length];
    at += match[0].length;
  }
  for (; at < line.length; at++) yield [at, at + 1];
}

/** Overlooks everything that some level overlooks. */
export const LOOSEST: Tolerance = { leading: true, trailing: true, unicode: true, runs: true };

/** The lines of a file for all levels: lines with different ids match at no level. */
export interface Lookup {
  readonly source: Source;
  /** Without terminators; `keys` has them as the loosest level compares them. */
  readonly lines: readonly string[];
  readonly keys: readonly string[];
  readonly ids: Int32Array;
  /** Returns the ids of other lines; a line that the file lacks has a negative one. */
  readonly idsOf: (lines: readonly string[]) => Int32Array;
}

export function lookupOf(source: Source): Lookup {
  const known = new Map<string, number>();
  const lines = source.lines.map((line) => line.text);
  const keys = lines.map((line) => normal(line, LOOSEST));
  const ids = numbersOf(keys, known);
  const idsOf = (others: readonly string[]) =>
    Int32Array.from(others, (line) => known.get(normal(line, LOOSEST)) ?? UNKNOWN);
  return { source, lines, keys, ids, idsOf };
}

const UNKNOWN = -2;

/** Finds the line indices at which `block` starts under this tolerance. */
export function findLines(lookup: Lookup, block: readonly string[], tolerance: Tolerance): number[] {
  const wanted = block.map((line) => normal(line, tolerance));
  return sequenceOccurrences(lookup.ids, lookup.idsOf(block)).filter((first) =>
    wanted.every((key, at) => normal(lookup.lines[first + at]!, tolerance) === key),
  );
}
