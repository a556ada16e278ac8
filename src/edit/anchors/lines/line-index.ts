// The lines of one text with their anchors: hash, quality, context, and the way back from a hash to its lines.

import { type Eol, type Line, linesAs } from "../../text/lines.ts";
import { Digests } from "./digests.ts";
import { contextText, fileVersion, shown } from "./hash.ts";
import { md5 } from "./md5.ts";

/** How well a line serves as an anchor: brackets and blanks never do, often repeated lines hardly. */
export type Quality = "low" | "med" | "high";

const LOW_ENTROPY = /^[\s{}()[\],;'"`]*$/;
const OFTEN = 3;
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
  if (text.length <= MOST_KEPT && index.lines.length <= MOST_LINES_KEPT)
    lately = [index, ...lately.filter((other) => other !== index)].slice(0, 2);
  return index;
}

let lately: readonly AnchorIndex[] = [];
/** In characters and in lines. Larger files are edited seldom, and not worth the memory in between. */
const MOST_KEPT = 4 * 1024 * 1024;
const MOST_LINES_KEPT = 100_000;

/** Immutable to the outside; what only some calls need is worked out on first use. */
export class AnchorIndex {
  /** As it was given. */
  readonly text: string;
  /** All of them. */
  readonly lines: readonly AnchorLine[];
  readonly #digests: Digests;
  #contexts: Digests | undefined;
  #neighbours: { readonly before: Int32Array; readonly after: Int32Array } | undefined;
  #version: string | undefined;

  /** `near`: of a text that may begin and end with the same lines, whose hashes are then known. */
  constructor(text: string, near?: AnchorIndex) {
    // A byte order mark belongs to the file, not to its first line: no edit of that line may lose it.
    const mark = text.startsWith(BOM) ? BOM.length : 0;
    const digests = () => this.#digests;
    let number = 0;
    const lines = linesAs(
      mark === 0 ? text : text.slice(mark),
      (line, eol, start) => new AnchorLine({ text: line, eol, start: start + mark }, ++number, digests),
    );
    this.text = text;
    this.lines = lines;
    const known = near && { digests: near.#digests, ...sameEnds(near.lines, lines) };
    this.#digests = new Digests(lines.length, (at) => lines[at]!.text.trim(), known);
  }

  /** The short name of the text. */
  get fileVersion(): string {
    this.#version ??= fileVersion(this.text);
    return this.#version;
  }

  /** True when the last line has no newline of its own. */
  get unterminated(): boolean {
    return this.lines.at(-1)?.eol === "";
  }

  /** The line with this number, from 1 on. */
  line(number: number): AnchorLine {
    const line = this.lines[number - 1];
    if (line === undefined) throw new RangeError(`no line ${number} in a text of ${this.lines.length} lines`);
    return line;
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
    this.#contexts ??= new Digests(this.lines.length, (at) => this.#contextText(at + 1));
    const found = new Set([...byHash, ...this.#contexts.find(prefix)]);
    return [...found].map((at) => at + 1).sort((a, b) => a - b);
  }

  #contextText(number: number): string {
    this.#neighbours ??= nonBlankNeighbours(this.lines);
    const textAt = (at: number) => this.lines[at]?.text ?? "";
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
  readonly #digests: () => Digests;
  /** Asked for several times by every page that shows the line; 0 and undefined until then. */
  #occurrences = 0;
  #hash: string | undefined;

  constructor({ text, eol, start }: Line, number: number, digests: () => Digests) {
    this.number = number;
    this.text = text;
    this.eol = eol;
    this.start = start;
    this.#digests = digests;
  }

  /** The whole digest of which the hash is the beginning. */
  get digest(): string {
    return this.#digests().hex(this.number - 1);
  }

  /** The 6 characters by which an edit names the line. */
  get hash(): string {
    this.#hash ??= shown(this.digest);
    return this.#hash;
  }

  /** How many lines of the whole file show this hash. */
  get occurrences(): number {
    this.#occurrences ||= this.#digests().occurrences(this.number - 1);
    return this.#occurrences;
  }

  /** How well it serves as an anchor. */
  get quality(): Quality {
    if (isLowEntropy(this.text)) return "low";
    return this.occurrences > OFTEN ? "med" : "high";
  }
}

function sameEnds(old: readonly Line[], now: readonly Line[]): { readonly first: number; readonly last: number } {
  const most = Math.min(old.length, now.length);
  let [first, last] = [0, 0];
  while (first < most && old[first]!.text === now[first]!.text) first++;
  while (last < most - first && old.at(-1 - last)!.text === now.at(-1 - last)!.text) last++;
  return { first, last };
}

function nonBlankNeighbours(lines: readonly Line[]): { before: Int32Array; after: Int32Array } {
  const before = new Int32Array(lines.length);
  const after = new Int32Array(lines.length);
  let last = -1;
  for (let at = 0; at < lines.length; at++) {
    before[at] = last;
    if (lines[at]!.text.trim() !== "") last = at;
  }
  last = lines.length;
  for (let at = lines.length - 1; at >= 0; at--) {
    after[at] = last;
    if (lines[at]!.text.trim() !== "") last = at;
  }
  return { before, after };
}
