// The lines of a text with their anchors: hash, quality and context of each, and a lookup by hash.
import { hash } from "node:crypto";
import type { LineRange } from "../../core/backend.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import { refuse } from "../../words/index.ts";
import { countLines, type Eol, type Line, splitLines } from "../text/lines.ts";
import { withoutBom } from "../text/source.ts";

/** v3 shows 6 characters of the line hash (v2 showed 4). */
export const ANCHOR_FORMAT_VERSION = "v3";

/** The hash of every blank line, and the anchor of a file that has no line yet. */
export const EMPTY_DIGEST = "d41d8cd98f00b204e9800998ecf8427e";

const SHOWN = 6;
const LOW_ENTROPY = /^[\s{}()[\],;'"`]*$/;

/** How well a line serves as an anchor: `low` for brackets and blanks, `med` for repeated lines. */
export type Quality = "low" | "med" | "high";

/** Returns the 6 characters shown beside a line. Ignores leading and trailing whitespace: re-indenting keeps the hash. */
export function lineHash(line: string): string {
  return lineDigest(line).slice(0, SHOWN);
}

/** Returns the digest that `lineHash` begins. MD5 names lines here and protects nothing. */
export function lineDigest(line: string): string {
  return hash("md5", line.trim());
}

/** Returns 8 characters that distinguish equal lines by the nearest non-blank lines ("" at the edges of the file). */
export function contextHash(previous: string, line: string, next: string): string {
  return hash("md5", `${previous.trim()}\n${line.trim()}\n${next.trim()}`).slice(0, 8);
}

/** Returns a short name of a text: "fv_" and 8 characters of its sha256. */
export function fileVersion(text: string): string {
  return `fv_${hash("sha256", text).slice(0, 8)}`;
}

/** True for lines of brackets, quotes and blanks only. */
export function isLowEntropy(line: string): boolean {
  return LOW_ENTROPY.test(line);
}

/** Checked before lines are indexed: each takes memory. */
export function refuseManyLines(text: string): void {
  const [lines, maxLines] = [countLines(text), CALL_LIMITS.anchoredLines];
  if (lines > maxLines) throw refuse("anchored_lines_too_many", { lines, maxLines });
}

/** Makes the index of a text. */
export function anchorIndex(text: string): AnchorIndex {
  return new AnchorIndex(text);
}

/** The lines of a text, by number and by hash. */
export class AnchorIndex {
  /** All of it. */
  readonly text: string;
  /** The lines in order. */
  readonly lines: readonly AnchorLine[];
  /** Number of lines: two for "a\nb\n". */
  readonly count: number;
  readonly #byHash: ReadonlyMap<string, readonly number[]>;
  #contexts: readonly string[] | undefined;
  #shared: ReadonlySet<string> | undefined;

  /** A BOM is not part of the first line, so that no edit of that line loses it. */
  constructor(text: string) {
    const { bare } = withoutBom(text);
    const byHash = new Map<string, number[]>();
    const shift = text.length - bare.length;
    this.text = text;
    this.lines = splitLines(bare).map((line, at) => {
      const shown = lineHash(line.text);
      const equals = byHash.get(shown) ?? [];
      if (equals.push(at + 1) === 1) byHash.set(shown, equals);
      return new AnchorLine({ ...line, start: line.start + shift }, at + 1, shown, equals);
    });
    this.count = this.lines.length;
    this.#byHash = byHash;
  }

  /** Returns the line with this 1-based number. */
  line(number: number): AnchorLine {
    const line = this.lineAt(number);
    if (line === undefined) throw new RangeError(`no line ${number} in a text of ${this.count} lines`);
    return line;
  }

  /** Returns the line with this number, if any. */
  lineAt(number: number): AnchorLine | undefined {
    return this.lines[number - 1];
  }

  /** Returns "12#a1b2c3". */
  anchor(number: number): string {
    return `${number}#${this.line(number).hash}`;
  }

  /** Returns 8 characters that tell this line from others with its hash. */
  contextHash(number: number): string {
    this.#contexts ??= contextHashes(this.lines);
    return this.#contexts[number - 1]!;
  }

  /** True when the context hash is unique. */
  isOwnContext(number: number): boolean {
    const context = this.contextHash(number);
    this.#shared ??= repeatsOf(this.#contexts!);
    return !this.#shared.has(context);
  }

  /** Finds the lines whose hash starts with the prefix, or whose context hash does if the prefix is long enough. */
  find(prefix: string): readonly number[] {
    if (prefix.length < SHOWN) return this.#numbers(({ hash }) => hash.startsWith(prefix));
    const equals = this.#byHash.get(prefix.slice(0, SHOWN)) ?? [];
    if (prefix.length === SHOWN) return equals;
    const own = new Set(equals.filter((line) => this.line(line).digest.startsWith(prefix)));
    return this.#numbers(({ number }) => own.has(number) || this.contextHash(number).startsWith(prefix));
  }

  #numbers(isMeant: (line: AnchorLine) => boolean): readonly number[] {
    return this.lines.filter(isMeant).map(({ number }) => number);
  }
}

/** One line of a text, with its hash. A class, because objects with own getters take ten times as long to make. */
export class AnchorLine implements Line {
  /** Without its terminator. */
  readonly text: string;
  /** The terminator. */
  readonly eol: Eol;
  /** Offset in the text. */
  readonly start: number;
  /** 1-based. */
  readonly number: number;
  /** The 6 characters by which an edit names the line. */
  readonly hash: string;
  readonly #equals: readonly number[];

  constructor({ text, eol, start }: Line, number: number, hash: string, equals: readonly number[]) {
    this.text = text;
    this.eol = eol;
    this.start = start;
    this.number = number;
    this.hash = hash;
    this.#equals = equals;
  }

  /** The digest that the hash begins. */
  get digest(): string {
    return lineDigest(this.text);
  }

  /** Number of lines in the file with this hash. */
  get occurrences(): number {
    return this.#equals.length;
  }

  /** How well it serves as an anchor. */
  get quality(): Quality {
    return isLowEntropy(this.text) ? "low" : this.#equals.length > 1 ? "med" : "high";
  }
}

/** The texts that are there more than once. */
export function repeatsOf(all: readonly string[]): ReadonlySet<string> {
  const once = new Set<string>();
  return new Set(all.filter((each) => once.size === once.add(each).size));
}

/** Hashes each line with its nearest lines that are not blank. */
function contextHashes(lines: readonly AnchorLine[]): string[] {
  const next: string[] = [];
  for (let at = lines.length - 1, below = ""; at >= 0; at--) {
    next[at] = below;
    if (lines[at]!.text.trim() !== "") below = lines[at]!.text;
  }
  let above = "";
  return lines.map(({ text }, at) => {
    const own = contextHash(above, text, next[at]!);
    if (text.trim() !== "") above = text;
    return own;
  });
}

/** What the caller knows of the text. */
export interface Known {
  /** Lines that it was shown; all by default. */
  readonly shown?: readonly LineRange[] | undefined;
  /** Lines whose numbers from a read are still right; all shown lines by default. */
  readonly numbered?: readonly LineRange[] | undefined;
  /** Hashes from `AnchorEdit.repeated` of its own edits. They need a number. */
  readonly repeated?: readonly string[] | undefined;
  /** It also has numbers of an older version: a wrong number may be that of a line that is gone. */
  readonly older?: boolean | undefined;
}

export function isShown(line: number, shown: readonly LineRange[] | undefined): boolean {
  return shown === undefined || shown.some(({ from, to }) => from <= line && line <= to);
}

export function isNumbered(line: number, { shown, numbered = shown }: Known): boolean {
  return isShown(line, numbered);
}

const PREVIEW = 40;

/** Returns the start of a line without its indentation. */
export function preview(line: string): string {
  return startOf(line.trim(), PREVIEW);
}

/** Returns the start of a text, without splitting a surrogate pair. */
export function startOf(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
