// The lines of the file being patched, indexed so that hunks are found without scanning the file for each.

import { dominantEol, type Eol, type Line, splitLines } from "../../text/lines.ts";
import type { HunkLine } from "../parse/sections.ts";

interface MatchRange {
  readonly startLine: number;
  readonly endLine: number;
  readonly startOffset: number;
  readonly endOffset: number;
}

export const BOM = "\uFEFF";

export class FileLines {
  readonly text: string;
  /** Where the first line begins. */
  readonly start: number;
  readonly lines: readonly Line[];
  readonly #at: Places;
  #trimmedAt: Places | undefined;
  #usualEol: Exclude<Eol, ""> | undefined;

  /** A byte order mark belongs to the file, not to its first line, unless `wanted` has a line that begins with one. */
  constructor(text: string, wanted: readonly HunkLine[]) {
    const start = text.startsWith(BOM) && !wanted.some((line) => line.text.startsWith(BOM)) ? BOM.length : 0;
    const lines = splitLines(start === 0 ? text : text.slice(start));
    this.text = text;
    this.start = start;
    this.lines = start === 0 ? lines : lines.map((line) => ({ ...line, start: line.start + start }));
    this.#at = new Places(this.lines, (line) => line.text);
  }

  offset(index: number): number {
    return this.lines[index]?.start ?? this.text.length;
  }

  /** 1-based and inclusive, with offsets, as refusals give them. */
  range(from: number, count: number): MatchRange {
    const startOffset = this.offset(from);
    return {
      startLine: from + 1,
      endLine: from + Math.max(count, 1),
      startOffset,
      endOffset: this.offset(from + count),
    };
  }

  matchesAt(wanted: readonly HunkLine[], from: number): boolean {
    if (from < 0 || from + wanted.length > this.lines.length) return false;
    return wanted.every((line, i) => line.text === this.lines[from + i]!.text);
  }

  /** Where the wanted lines stand, from line `from` on: whole lines, terminators left aside; `most` places at most. */
  find(wanted: readonly HunkLine[], from: number, most: number): number[] {
    let rarest = 0;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [i, line] of wanted.entries()) {
      const count = this.#at.count(line.text);
      if (count === 0) return [];
      if (count < fewest) [rarest, fewest] = [i, count];
    }
    if (wanted.length === 0) return [];
    if (fewest * wanted.length > 1_000_000) return this.#scan(wanted, from, most);
    const found: number[] = [];
    for (const place of this.#at.of(wanted[rarest]!.text)) {
      if (place - rarest < from || !this.matchesAt(wanted, place - rarest)) continue;
      found.push(place - rarest);
      if (found.length === most) break;
    }
    return found;
  }

  /** Knuth-Morris-Pratt: linear also where many lines are the same. */
  #scan(wanted: readonly HunkLine[], from: number, most: number): number[] {
    const back = new Int32Array(wanted.length);
    for (let i = 1, k = 0; i < wanted.length; i++) {
      while (k > 0 && wanted[i]!.text !== wanted[k]!.text) k = back[k - 1]!;
      if (wanted[i]!.text === wanted[k]!.text) k++;
      back[i] = k;
    }
    const found: number[] = [];
    for (let i = Math.max(from, 0), k = 0; i < this.lines.length && found.length < most; i++) {
      while (k > 0 && this.lines[i]!.text !== wanted[k]!.text) k = back[k - 1]!;
      if (this.lines[i]!.text === wanted[k]!.text) k++;
      if (k < wanted.length) continue;
      found.push(i - k + 1);
      k = back[k - 1]!;
    }
    return found;
  }

  /** Lines `from..to` that read so, blanks around them left aside. */
  findTrimmed(wanted: string, from: number, to: number): number[] {
    this.#trimmedAt ??= new Places(this.lines, (line) => line.text.trim());
    return [...this.#trimmedAt.of(wanted)].filter((at) => at >= from && at < to);
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

/** Which lines read so, in their order: a number for every line, not a list for every text. */
class Places {
  readonly #first = new Map<string, number>();
  /** Of the lines that read the same: the next one, and, at the first of them, how many there are. */
  readonly #next: Int32Array;
  readonly #count: Int32Array;

  constructor(lines: readonly Line[], textOf: (line: Line) => string) {
    this.#next = new Int32Array(lines.length).fill(-1);
    this.#count = new Int32Array(lines.length);
    const last = new Int32Array(lines.length);
    for (let at = 0; at < lines.length; at++) {
      const text = textOf(lines[at]!);
      const first = this.#first.get(text) ?? at;
      if (first === at) this.#first.set(text, at);
      else this.#next[last[first]!] = at;
      last[first] = at;
      this.#count[first]!++;
    }
  }

  count(text: string): number {
    const first = this.#first.get(text);
    return first === undefined ? 0 : this.#count[first]!;
  }

  *of(text: string): Generator<number> {
    for (let at = this.#first.get(text) ?? -1; at !== -1; at = this.#next[at]!) yield at;
  }
}
