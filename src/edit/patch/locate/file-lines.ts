// The lines of the file being patched, indexed so that hunks are found without scanning the file for each.

import { dominantEol, type Eol, type Line, splitLines } from "../../text/lines.ts";
import { numbersOf, sequenceOccurrences } from "../../text/occurrences.ts";
import { BOM, namingStrayBytes } from "../../text/source.ts";
import type { HunkLine } from "../parse/sections.ts";

export class FileLines {
  readonly text: string;
  /** Where the first line begins. */
  readonly start: number;
  readonly lines: readonly Line[];
  readonly #at: ReadonlyMap<string, readonly number[]>;
  #trimmedAt: ReadonlyMap<string, readonly number[]> | undefined;
  #usualEol: Exclude<Eol, ""> | undefined;

  /** A byte order mark belongs to the file, not to its first line, unless `wanted` has a line that begins with one. */
  constructor(text: string, wanted: readonly HunkLine[]) {
    const start = text.startsWith(BOM) && !wanted.some((line) => line.text.startsWith(BOM)) ? BOM.length : 0;
    const lines = splitLines(start === 0 ? text : text.slice(start));
    this.text = text;
    this.start = start;
    this.lines = start === 0 ? lines : lines.map((line) => ({ ...line, start: line.start + start }));
    this.#at = placesBy(this.lines, (line) => line.text);
  }

  offset(index: number): number {
    return this.lines[index]?.start ?? this.text.length;
  }

  /** 1-based and inclusive, with offsets, as refusals give them. */
  range(from: number, count: number) {
    const offsets = { startOffset: this.offset(from), endOffset: this.offset(from + count) };
    return { startLine: from + 1, endLine: from + Math.max(count, 1), ...offsets };
  }

  matchesAt(wanted: readonly HunkLine[], from: number): boolean {
    if (from < 0 || from + wanted.length > this.lines.length) return false;
    return wanted.every((line, i) => line.text === this.lines[from + i]!.text);
  }

  /** Lines of a hunk, those `spacing` at its end aside, may name stray bytes as `namingStrayBytes` has it. */
  named(lines: readonly HunkLine[], spacing = 0): readonly HunkLine[] {
    if (!lines.some(({ text }) => text.includes("\\x"))) return lines;
    const joined = (some: readonly { readonly text: string }[]) => ["", ...some.map(({ text }) => text), ""].join("\n");
    const old = lines.slice(0, lines.length - spacing).filter(({ sign }) => sign !== "+");
    const given = { oldText: joined(old), newText: joined(lines) };
    const texts = namingStrayBytes(joined(this.lines), given).newText.split("\n");
    return lines.map((line, i) => ({ ...line, text: texts[i + 1]! }));
  }

  /** Where the wanted lines stand, from line `from` on: whole lines, terminators left aside; `most` places at most. */
  find(wanted: readonly HunkLine[], from: number, most: number): number[] {
    let rarest = 0;
    let places: readonly number[] | undefined;
    for (const [i, line] of wanted.entries()) {
      const these = this.#at.get(line.text) ?? [];
      if (places === undefined || these.length < places.length) [rarest, places] = [i, these];
    }
    if (places === undefined) return [];
    if (places.length * wanted.length > 1_000_000) {
      // Linear also where many lines are the same.
      const ids = new Map<string, number>();
      const numbers = (lines: readonly { readonly text: string }[]) =>
        numbersOf(
          lines.map(({ text }) => text),
          ids,
        );
      const all = sequenceOccurrences(numbers(this.lines), numbers(wanted));
      return all.filter((at) => at >= from).slice(0, most);
    }
    const found: number[] = [];
    for (const place of places) {
      if (place - rarest < from || !this.matchesAt(wanted, place - rarest)) continue;
      found.push(place - rarest);
      if (found.length === most) break;
    }
    return found;
  }

  /** Lines `from..to` that read so, blanks around them left aside. */
  findTrimmed(wanted: string, from: number, to: number): number[] {
    this.#trimmedAt ??= placesBy(this.lines, (line) => line.text.trim());
    return (this.#trimmedAt.get(wanted) ?? []).filter((at) => at >= from && at < to);
  }

  /** The terminator for lines added beside lines `from..to`: the one most of them have. */
  eolNear(from: number, to: number): Exclude<Eol, ""> {
    const counts = new Map<Exclude<Eol, "">, number>();
    const near = from < to ? this.lines.slice(from, to) : this.lines.slice(Math.max(0, from - 1), from + 1).slice(0, 1);
    for (const { eol } of near) if (eol !== "") counts.set(eol, (counts.get(eol) ?? 0) + 1);
    const most = Math.max(0, ...counts.values());
    const best = [...counts].filter(([, n]) => n === most).map(([eol]) => eol);
    this.#usualEol ??= dominantEol(this.text);
    const usual = this.#usualEol;
    return best.includes(usual) ? usual : (best[0] ?? usual);
  }
}

/** Which lines read so, in their order. */
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
