// The result of a read: which lines of which version, how they were understood, and how much fits a page.
import type { LineRange, Path, Sha, Version } from "../../core/backend.ts";
import type { Limits } from "../../core/limits.ts";
import { countLines } from "../../edit/text/lines.ts";
import { refuse } from "../../words/index.ts";
import type { Text } from "../text/text.ts";

/** What a read gives: lines of one version, and how its bytes were understood. */
export interface ReadResult {
  /** Where it is. */
  readonly path: Path;
  /** Of the whole file, whatever part of it is shown. */
  readonly sha: Sha;
  /** Bytes of the whole file. */
  readonly size: number;
  /** When it was last modified: milliseconds since 1970. */
  readonly mtimeMs: number;
  /** How many lines the file has; a newline ends a line. */
  readonly lines: number;
  /** The lines in `body`; empty (to < from) when the range lies behind the end. */
  readonly shown: LineRange;
  /** Of the first of them, the character that `body` starts with: 1 unless another was asked for. */
  readonly column: number;
  /** Of the last of them, the first character that did not fit. Then it is the only one. */
  readonly nextColumn?: number;
  /** The text shown, with the file's own line endings and without a byte order mark. */
  readonly body: string;
  /** As which the bytes were read. */
  readonly encoding: string;
  /** Whether the file begins with a byte order mark. */
  readonly bom: boolean;
  /** How its lines end. */
  readonly eol: Text["eol"];
  /** Whether the last line has an end. */
  readonly finalNewline: boolean;
  /** What a reader should know about how the bytes were understood. */
  readonly notes: readonly string[];
  /** The whole file, when it was small enough to be held. */
  readonly whole?: { readonly version: Version; readonly text: Text };
}

export interface ReadRequest {
  /** As the caller wrote it, for messages. */
  readonly raw: string;
  readonly range?: LineRange | undefined;
  /** The first line from this character on, counted from 1. */
  readonly column?: number | undefined;
  /** The most that is shown: as many whole lines as fit, or a part of the first. */
  readonly pageBytes?: number | undefined;
  readonly encoding?: string | undefined;
  readonly maxBytes: number;
  /** The path was resolved in this same call. */
  readonly isNew: boolean;
  readonly limits: Limits;
}

export function clamp(range: LineRange | undefined, lines: number): LineRange {
  const from = Math.max(1, range?.from ?? 1);
  return { from, to: Math.max(from - 1, Math.min(range?.to ?? lines, lines)) };
}

/** Of the lines asked for: from the column on, and as much as fits. */
export function partOf(
  asked: string,
  lines: LineRange,
  { raw, column = 1, pageBytes }: Pick<ReadRequest, "raw" | "column" | "pageBytes">,
): Pick<ReadResult, "body" | "shown" | "column" | "nextColumn"> {
  if (lines.to < lines.from) return { body: "", shown: lines, column: 1 };
  const rest = fromColumn(asked, column, { path: raw, line: lines.from });
  const { text: body, cut } = pageBytes === undefined ? { text: rest } : linesWithin(rest, pageBytes);
  if (body === rest) return { body, shown: lines, column };
  const shown = { from: lines.from, to: lines.from + countLines(body) - 1 };
  return { body, shown, column, ...(cut !== undefined && { nextColumn: column + cut }) };
}

function fromColumn(text: string, column: number, at: { readonly path: string; readonly line: number }): string {
  if (column === 1) return text;
  const lf = text.indexOf("\n");
  const line = (lf === -1 ? text : text.slice(0, lf)).replace(/\r$/, "");
  const start = indexAfter(line, column - 1);
  if (start === line.length) throw refuse("column_behind_line", { ...at, column, length: charactersIn(line) });
  return text.slice(start);
}

const SURROGATE = /[\uD800-\uDFFF]/;

/** Code points; a stray byte, or half of a pair, is one too. */
export function charactersIn(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let characters = 0;
  for (let at = 0; at < text.length; at += unitsAt(text, at)) characters++;
  return characters;
}

/** Where the text goes on behind so many characters; its end when it has no more. */
export function indexAfter(text: string, characters: number): number {
  if (!SURROGATE.test(text)) return Math.min(characters, text.length);
  let at = 0;
  for (let left = characters; left > 0 && at < text.length; left--) at += unitsAt(text, at);
  return at;
}

/** The longest start of a text that is shown in at most `maxBytes` of UTF-8; its first character in any case. */
export function startWithin(text: string, maxBytes: number): string {
  if (text.length * MAX_SHOWN <= maxBytes) return text;
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    bytes += shownBytes(text.codePointAt(at)!);
    if (bytes > maxBytes && at > 0) return text.slice(0, at);
    at += unitsAt(text, at);
  }
  return text;
}

/**
 * As much of a text as is shown in `maxBytes`: whole lines, whose line ends do not count. Where the first one alone does
 * not fit, a part of it, and `cut` says how many characters that has.
 */
export function linesWithin(text: string, maxBytes: number): { readonly text: string; readonly cut?: number } {
  const start = startWithin(text, maxBytes);
  if (start === text) return { text };
  const ended = /^\r?\n/.exec(text.slice(start.length, start.length + 2));
  const end = ended === null ? start.lastIndexOf("\n") + 1 : start.length + ended[0].length;
  return end > 0 ? { text: text.slice(0, end) } : { text: start, cut: charactersIn(start) };
}

/** What one unit of a text may take when it is shown: \uD83D. */
const MAX_SHOWN = 6;

/** As `displayable` shows it. */
function shownBytes(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code > 0xffff) return 4;
  if (code < 0xd800 || code > 0xdfff) return 3;
  return code >= 0xdc80 && code <= 0xdcff ? "\\xNN".length : MAX_SHOWN;
}

function unitsAt(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1;
}
