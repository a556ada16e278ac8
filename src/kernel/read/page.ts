// The result of a read: which lines of which version, how they were understood, and how much fits a page.
import type { LineRange, Path, Sha, Version } from "../../core/backend.ts";
import type { Limits } from "../../core/limits.ts";
import { countLines } from "../../edit/text/lines.ts";
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
  /** Only the start of the one line in `shown` fits; a note says how long the line is. It does not count as shown. */
  readonly isCut?: true;
  /** The text shown, with the file's own line endings and without a byte order mark. */
  readonly body: string;
  /** The encoding that the bytes were decoded as. */
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
  /** Max bytes shown: as many whole lines as fit, or the start of the first. */
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

/** The lines that are shown to their end. */
export function wholeLines({ shown: { from, to }, isCut }: Pick<ReadResult, "shown" | "isCut">): LineRange {
  return { from, to: isCut ? from - 1 : to };
}

/** The part of the lines asked for that fits. */
export function partOf(
  asked: string,
  lines: LineRange,
  pageBytes: number | undefined,
): Pick<ReadResult, "body" | "shown" | "isCut"> {
  if (lines.to < lines.from) return { body: "", shown: lines };
  const body = pageBytes === undefined ? asked : linesWithin(asked, pageBytes);
  if (body === asked) return { body, shown: lines };
  const shown = { from: lines.from, to: lines.from + countLines(body) - 1 };
  return { body, shown, ...(!body.endsWith("\n") && { isCut: true }) };
}

/** The whole lines that fit in `maxBytes` of UTF-8, line ends not counted; or the start of the first. */
function linesWithin(text: string, maxBytes: number): string {
  if (text.length * MAX_UNIT_BYTES <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(
    text,
    Buffer.allocUnsafe(Math.min(maxBytes, text.length * MAX_UNIT_BYTES)),
  );
  if (read === text.length) return text;
  const ended = /^\r?\n/.exec(text.slice(read, read + 2));
  const end = ended === null ? text.lastIndexOf("\n", read - 1) + 1 : read + ended[0].length;
  return text.slice(0, end || read || String.fromCodePoint(text.codePointAt(0)!).length);
}

/** Max bytes of UTF-8 that one UTF-16 unit takes. */
const MAX_UNIT_BYTES = 3;
