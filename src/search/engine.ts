// The border to the engines of grep: what one is asked, with a pattern that is checked, and what it answers, in the one order of results.
import type { Path } from "../core/backend.ts";
import { refuse } from "../words/index.ts";
import type { GrepHit } from "./grep.ts";

export interface Pattern {
  readonly text: string;
  readonly literal: boolean;
  readonly caseSensitive: boolean;
  readonly multiline: boolean;
}

export interface Wanted {
  readonly pattern: Pattern;
  readonly mode: "lines" | "files" | "count";
  readonly before: number;
  readonly after: number;
  readonly maxFileBytes: number | undefined;
  /** As many hits (files, in the other modes) are enough, the first ones in order. */
  readonly enough: number;
}

export interface FileHits {
  readonly path: Path;
  readonly count: number;
  readonly hits: readonly GrepHit[];
}

export interface Found {
  /** In order. */
  readonly files: readonly FileHits[];
  /** There was enough before everything had been read. */
  readonly cut: boolean;
  readonly filesScanned?: number;
  readonly tooLarge?: readonly Path[];
}

const MAX_LENGTH = 16 * 1024;
/** How often counts may repeat one place of a pattern: engines copy what is repeated. */
const MAX_REPEATED = 50_000;

/** A line break, in any of its spellings. */
const LINE_BREAK = /(?<!\\)(?:\\\\)*\\(?:n|R|x0a|x\{0*a\}|u000a|u\{0*a\}|U0000000a|U\{0*a\}|012|cj)/i;

/** Refuses what no engine should get. */
export function checkPattern({ text, literal, multiline }: Pattern): void {
  if (/\0|\p{Surrogate}/u.test(text)) throw refuse("pattern_unusable", { problem: "characters" });
  if (text.length > MAX_LENGTH) throw refuse("pattern_too_complex", { pattern: text, by: "length", max: MAX_LENGTH });
  if (!multiline && (text.includes("\n") || (!literal && LINE_BREAK.test(text)))) {
    throw refuse("pattern_unusable", { problem: "line_break" });
  }
  if (!multiline && literal && text.includes("\r")) {
    throw refuse("pattern_unusable", { problem: "carriage_return" });
  }
  if (!literal && repetitions(text) > MAX_REPEATED)
    throw refuse("pattern_too_complex", { pattern: text, by: "repetitions" });
}

/** How many copies counts such as {2,500} make of the innermost place; nested ones multiply. */
function repetitions(text: string): number {
  const plain = text.replaceAll(/\\[pPuUx]\{[^}]*\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, "x");
  let max = 1;
  const groups: number[] = [1];
  for (let i = 0; i < plain.length; i++) {
    if (plain[i] === "(") groups.push(1);
    const closed = plain[i] === ")" && groups.length > 1 ? groups.pop()! : 1;
    const count = /^\{(\d+)(?:,(\d*))?\}/.exec(plain.slice(i + 1, i + 30));
    const copies = closed * (count === null ? 1 : Math.max(1, Number(count[1]), Number(count[2] || 0)));
    groups[groups.length - 1] = Math.max(groups.at(-1)!, copies);
    max = Math.max(max, copies);
  }
  return max;
}

/** Name by name, as a walk that enters every directory in the order of its names. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

const SLASH = 47;

/** The end of a name sorts before every character: "a/z" before "a.txt". */
function rank(code: number): number {
  return code === SLASH ? -1 : code;
}

/** The line number and what separates it. */
const LINE_MARKS = 8;

/** The first item, and as many more as have at most `maxBytes` together. */
export function withinBytes<T extends { readonly path: Path } & Partial<GrepHit>>(
  maxBytes: number,
  items: readonly T[],
): readonly T[] {
  let bytes = 0;
  const end = items.findIndex(({ path, text: found = "", before = [], after = [] }) => {
    for (const { text } of [...before, { text: found }, ...after])
      bytes += Buffer.byteLength(path) + Buffer.byteLength(text) + LINE_MARKS;
    return bytes > maxBytes;
  });
  return end === -1 ? items : items.slice(0, Math.max(1, end));
}

/** Of a named file only: in a tree, binary files are passed over silently. */
export function binaryNote(path: string): string {
  return `${path} has NUL characters: it is taken for binary, and binary files are not searched.`;
}
