// The lines of one text with their anchors: hash, quality, context, and the way back from a hash to its lines.

import { Refusal } from "../../../core/failure.ts";
import { CALL_LIMITS } from "../../../core/limits.ts";
import { commonEnd, commonStart } from "../../diff/changed-part.ts";
import { countLines, type Eol, type Line } from "../../text/lines.ts";
import { firstAbove } from "../../text/occurrences.ts";
import { Digests } from "./digests.ts";
import { contextText, fileVersion, md5 } from "./hash.ts";

/** How well a line serves as an anchor: brackets and blanks never do, repeated lines hardly. */
export type Quality = "low" | "med" | "high";

const LOW_ENTROPY = /^[\s{}()[\],;'"`]*$/;
const SHORTEST_CONTEXT_PREFIX = 7;
const BOM = "\uFEFF";

/** Brackets, quotes and blanks: lines that say nothing of their own. */
export function isLowEntropy(line: string): boolean {
  return LOW_ENTROPY.test(line);
}

/** One call asks several times for the same two texts, before and after, and the next call again for the second of them. */
export function anchorIndex(text: string): AnchorIndex {
  const known = lately.find((index) => index.text === text);
  // Room for it first: a process that works apart has little.
  if (known === undefined) lately = lately.slice(0, 1);
  const index = known ?? new AnchorIndex(text, lately[0]);
  if (text.length <= MOST_KEPT && index.count <= MOST_LINES_KEPT)
    lately = [index, ...lately.filter((other) => other !== index)].slice(0, 2);
  return index;
}

/** Before anything is done with it: each line takes some memory, and what an edit has made is not refused any more. */
export function refuseManyLines(text: string): void {
  const [lines, most] = [countLines(text), CALL_LIMITS.anchoredLines];
  if (lines <= most) return;
  throw new Refusal("file_too_large", `The file has ${lines} lines; anchors are made for files of up to ${most}.`, {
    next: "Leave it as it is, or read it without hashes.",
    details: { lines, maxLines: most },
  });
}

/** The same as `fileVersion`, for a text that was just worked on: it need not be hashed again. */
export function versionOf(text: string): string {
  return lately.find((index) => index.text === text)?.fileVersion ?? fileVersion(text);
}

let lately: readonly AnchorIndex[] = [];
/** In characters and in lines. Larger files are edited seldom, and not worth the memory in between. */
const MOST_KEPT = 4 * 1024 * 1024;
const MOST_LINES_KEPT = 100_000;

/** Immutable to the outside. Lines are cut when they are asked for: an edit needs a few of ten thousand. */
export class AnchorIndex {
  /** As it was given. */
  readonly text: string;
  /** How many lines it has. */
  readonly count: number;
  /** Where each line begins, and behind them where the text ends. */
  readonly #starts: Int32Array;
  readonly #cut = new Map<number, AnchorLine>();
  readonly #digests: Digests;
  #lines: readonly AnchorLine[] | undefined;
  #contexts: Digests | undefined;
  #neighbours: { readonly before: Int32Array; readonly after: Int32Array } | undefined;
  #version: string | undefined;

  /** `near`: of a text that may begin and end with the same lines, whose hashes are then known. */
  constructor(text: string, near?: AnchorIndex) {
    this.text = text;
    this.#starts = startsOf(text);
    this.count = this.#starts.length - 1;
    const known = near && { digests: near.#digests, ...this.sameEnds(near) };
    this.#digests = new Digests(this.count, (at) => this.#textAt(at).trim(), known);
  }

  /** All of them. */
  get lines(): readonly AnchorLine[] {
    this.#lines ??= this.slice(0, this.count);
    return this.#lines;
  }

  /** Lines from one place to another, as of an array. */
  slice(from: number, to: number): readonly AnchorLine[] {
    const lines: AnchorLine[] = [];
    for (let at = Math.max(0, from); at < Math.min(to, this.count); at++) lines.push(this.line(at + 1));
    return lines;
  }

  /** How many lines at the top and at the bottom are the same as in another text, with their ends. */
  sameEnds(other: AnchorIndex): { readonly first: number; readonly last: number } {
    const most = Math.min(this.count, other.count);
    const top = commonStart(this.text, other.text);
    const first = Math.min(most, this.#linesUpTo(top, other));
    const bottom = this.text.length - commonEnd(this.text, other.text, this.#starts[first]!);
    const last = Math.max(0, this.count - firstAbove(this.#starts, bottom));
    return { first, last: Math.min(most - first, last) };
  }

  /** Whole lines within so many characters: a last line without an end may go on in the other text. */
  #linesUpTo(end: number, other: AnchorIndex): number {
    const lines = Math.max(0, firstAbove(this.#starts, end) - 1);
    const isOpen = lines === this.count && this.unterminated && this.text.length !== other.text.length;
    return isOpen ? lines - 1 : lines;
  }

  /** The short name of the text. */
  get fileVersion(): string {
    this.#version ??= fileVersion(this.text);
    return this.#version;
  }

  /** True when the last line has no newline of its own. */
  get unterminated(): boolean {
    return this.count > 0 && !this.text.endsWith("\n");
  }

  /** The line with this number, from 1 on. */
  line(number: number): AnchorLine {
    const line = this.lineAt(number);
    if (line === undefined) throw new RangeError(`no line ${number} in a text of ${this.count} lines`);
    return line;
  }

  /** The same; undefined where there is no such line. */
  lineAt(number: number): AnchorLine | undefined {
    if (!(number >= 1 && number <= this.count)) return undefined;
    const known = this.#cut.get(number);
    if (known !== undefined) return known;
    const text = this.#textAt(number - 1);
    const start = this.#starts[number - 1]!;
    const eol = this.text.slice(start + text.length, this.#starts[number]) as Eol;
    const line = new AnchorLine({ text, eol, start }, number, this.#digests);
    this.#cut.set(number, line);
    return line;
  }

  #textAt(at: number): string {
    const [start, next] = [this.#starts[at]!, this.#starts[at + 1]!];
    if (this.text[next - 1] !== "\n") return this.text.slice(start, next);
    return this.text.slice(start, next - (this.text[next - 2] === "\r" ? 2 : 1));
  }

  /** "12#a1b2c3" */
  anchor(number: number): string {
    return `${number}#${this.line(number).hash}`;
  }

  /** 8 characters that tell this line from others with the same hash. */
  contextHash(number: number): string {
    return this.contextDigest(number).slice(0, 8);
  }

  /** The whole digest of which `contextHash` is the beginning. */
  contextDigest(number: number): string {
    return md5(this.#contextText(number));
  }

  /** Every line whose hash starts with the prefix, or whose context hash does when the prefix is long enough. */
  find(prefix: string): readonly number[] {
    const byHash = this.#digests.find(prefix);
    if (prefix.length < SHORTEST_CONTEXT_PREFIX) return byHash.map((at) => at + 1);
    this.#contexts ??= new Digests(this.count, (at) => this.#contextText(at + 1));
    const found = new Set([...byHash, ...this.#contexts.find(prefix)]);
    return [...found].map((at) => at + 1).sort((a, b) => a - b);
  }

  #contextText(number: number): string {
    this.#neighbours ??= nonBlankNeighbours(this.count, (at) => this.#textAt(at));
    const textAt = (at: number) => (at >= 0 && at < this.count ? this.#textAt(at) : "");
    const { before, after } = this.#neighbours;
    return contextText(textAt(before[number - 1]!), textAt(number - 1), textAt(after[number - 1]!));
  }
}

/** One line of a text, with its hash. */
export class AnchorLine implements Line {
  /** 1-based. A newline ends a line, so "a\nb\n" has lines 1 and 2 and no empty third one. */
  readonly number: number;
  /** Without its end. */
  readonly text: string;
  /** How it ends; empty for a last line without an end. */
  readonly eol: Eol;
  /** Where it begins in the text. */
  readonly start: number;
  readonly #digests: Digests;

  constructor({ text, eol, start }: Line, number: number, digests: Digests) {
    this.number = number;
    this.text = text;
    this.eol = eol;
    this.start = start;
    this.#digests = digests;
  }

  /** The whole digest of which the hash is the beginning. */
  get digest(): string {
    return this.#digests.hex(this.number - 1);
  }

  /** The 6 characters by which an edit names the line. */
  get hash(): string {
    return this.#digests.shown(this.number - 1);
  }

  /** How many lines of the whole file show this hash. */
  get occurrences(): number {
    return this.#digests.occurrences(this.number - 1);
  }

  /** How well it serves as an anchor. */
  get quality(): Quality {
    return isLowEntropy(this.text) ? "low" : this.occurrences > 1 ? "med" : "high";
  }
}

/** A byte order mark belongs to the file, not to its first line: no edit of that line may lose it. */
function startsOf(text: string): Int32Array {
  const first = text.startsWith(BOM) ? BOM.length : 0;
  const count = countLines(first === 0 ? text : text.slice(first));
  const starts = new Int32Array(count + 1);
  starts[0] = first;
  for (let at = 1; at < count; at++) starts[at] = text.indexOf("\n", starts[at - 1]) + 1;
  starts[count] = text.length;
  return starts;
}

function nonBlankNeighbours(
  count: number,
  textAt: (at: number) => string,
): { readonly before: Int32Array; readonly after: Int32Array } {
  const before = new Int32Array(count);
  const after = new Int32Array(count);
  const blank = Uint8Array.from({ length: count }, (_, at) => (textAt(at).trim() === "" ? 1 : 0));
  for (let at = 0, last = -1; at < count; at++) {
    before[at] = last;
    if (blank[at] === 0) last = at;
  }
  for (let at = count - 1, last = count; at >= 0; at--) {
    after[at] = last;
    if (blank[at] === 0) last = at;
  }
  return { before, after };
}
