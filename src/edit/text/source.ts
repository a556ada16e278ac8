// A text prepared for matching: its lines and line endings, and views without CRLF or BOM.
import type { LineSpan } from "../../core/refusal-details.ts";
import { refuse } from "../../words/index.ts";
import { type Line, splitLines } from "./lines.ts";
import { contains, firstAbove } from "./occurrences.ts";
import type { Splice } from "./splice.ts";

/** A text and its lines. Unlike `splitLines`, a final newline starts an empty last line, where old text may end. */
export interface Source {
  readonly text: string;
  readonly lines: readonly Line[];
  readonly hasCrlf: boolean;
  /** Returns the index of the line at `offset`. A terminator belongs to the line that it ends. */
  lineAt(offset: number): number;
}

export function sourceOf(text: string): Source {
  let lines: Line[] | undefined;
  let ends: Int32Array | undefined;
  return {
    text,
    lineAt(offset) {
      ends ??= placesOf(text, "\n");
      return firstAbove(ends, offset - 1);
    },
    hasCrlf: text.includes("\r\n"),
    get lines() {
      lines ??= withOpenEnd(text);
      return lines;
    },
  };
}

/** Returns the lines that `start..end` touches. */
export function linesOf(source: Source, start: number, end: number): LineSpan {
  return {
    startLine: source.lineAt(start) + 1,
    endLine: source.lineAt(Math.max(start, end - 1)) + 1,
  };
}

/** The 1-based range of `count` lines from line index `first` on. */
export function lineRange(first: number, count: number): LineSpan {
  return { startLine: first + 1, endLine: first + count };
}

/** Finds all line ends: four bytes for each, where a line object takes a hundred. */
function placesOf(text: string, end: "\n" | "\r\n"): Int32Array {
  let n = 0;
  for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, at + end.length)) n++;
  const places = new Int32Array(n);
  n = 0;
  for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, at + end.length)) places[n++] = at;
  return places;
}

function withOpenEnd(text: string): Line[] {
  const lines = splitLines(text);
  const last = lines.at(-1);
  if (last?.eol !== "") lines.push({ text: "", eol: "", start: text.length });
  return lines;
}

export const BOM = "\ufeff";

/** Strips a BOM; `shifted` turns splices of the rest into splices of the whole text. */
export function withoutBom(text: string): { bare: string; shifted: (splices: readonly Splice[]) => Splice[] } {
  const by = text.startsWith(BOM) ? BOM.length : 0;
  return {
    bare: text.slice(by),
    shifted: (splices) =>
      splices.map(({ start, end, text: added }) => ({ start: start + by, end: end + by, text: added })),
  };
}

/** Replaces every CRLF by LF. */
export function toLf(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** Decodes stray bytes (U+DC00 + byte) that old text names like reads show them: `\xEF`. */
export function namingStrayBytes<E extends { readonly oldText: string; readonly newText: string }>(
  text: string,
  edit: E,
): E {
  const { oldText, newText } = edit;
  if (!oldText.includes("\\x")) return edit;
  const named = (given: string) =>
    given.replace(/\\x([89A-F][0-9A-F])/g, (shown, byte: string) =>
      oldText.includes(shown) ? String.fromCharCode(0xdc00 + Number.parseInt(byte, 16)) : shown,
    );
  const meant = { ...edit, oldText: named(oldText), newText: named(newText) };
  const [isByte, isSpelled] = [meant, edit].map((each) => contains(toLf(text), toLf(each.oldText)));
  if (!isByte || meant.oldText === oldText) return edit;
  if (!isSpelled) return meant;
  throw refuse("old_text_names_byte_twice", {});
}

/** A text with LF endings, and the way back to offsets of the original. */
export interface LfView {
  readonly text: string;
  readonly toOriginal: (offset: number) => number;
}

export function lfView(text: string): LfView {
  if (!text.includes("\r\n")) return { text, toOriginal: (offset) => offset };
  const pairs = placesOf(text, "\r\n").map((at, n) => at - n);
  return {
    text: toLf(text),
    toOriginal: (offset) => offset + firstAbove(pairs, offset - 1),
  };
}
