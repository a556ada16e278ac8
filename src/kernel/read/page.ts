// The result of a read: which lines of which version, and how they were understood.
import type { LineRange, Path, Sha, Version } from "../../core/backend.ts";
import { counted } from "../../core/counted.ts";
import { IN_PARTS, Refusal } from "../../core/failure.ts";
import type { Limits } from "../../core/limits.ts";
import { countLines } from "../../edit/text/lines.ts";
import type { Text } from "../text/text.ts";
import { charactersIn, indexAfter, linesWithin } from "./columns.ts";

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

export function tooLarge(raw: string, size: number, maxBytes: number): Refusal {
  return new Refusal("file_too_large", `${raw} has ${size} bytes; the limit is ${maxBytes}.`, {
    path: raw,
    next: IN_PARTS,
    details: { size, maxBytes },
  });
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
  const rest = fromColumn(asked, column, (length) => behindLine(raw, lines.from, column, length));
  const { text: body, cut } = pageBytes === undefined ? { text: rest } : linesWithin(rest, pageBytes);
  if (body === rest) return { body, shown: lines, column };
  const shown = { from: lines.from, to: lines.from + countLines(body) - 1 };
  return { body, shown, column, ...(cut !== undefined && { nextColumn: column + cut }) };
}

function fromColumn(text: string, column: number, behind: (length: number) => Refusal): string {
  if (column === 1) return text;
  const lf = text.indexOf("\n");
  const line = (lf === -1 ? text : text.slice(0, lf)).replace(/\r$/, "");
  const start = indexAfter(line, column - 1);
  if (start === line.length) throw behind(charactersIn(line));
  return text.slice(start);
}

function behindLine(raw: string, line: number, column: number, length: number): Refusal {
  const has = length === 0 ? "is empty" : `has ${counted(length, "character")}`;
  return new Refusal("line_out_of_range", `Line ${line} of ${raw} ${has}: there is nothing at column ${column}.`, {
    path: raw,
    next: length <= 1 ? "Read it without a column." : `Use a column between 1 and ${length}, or read the next line.`,
    details: { line, column, length },
  });
}
