// What a read gives: which lines of which version, and how they were understood.
import type { LineRange, Path, Sha, Version } from "../backends/backend.ts";
import { Refusal } from "./failure.ts";
import type { Limits } from "./limits.ts";
import type { Text } from "./text.ts";

export interface ReadResult {
  readonly path: Path;
  /** Of the whole file, whatever part of it is shown. */
  readonly sha: Sha;
  readonly size: number;
  readonly mtimeMs: number;
  /** How many lines the file has; a newline ends a line. */
  readonly lines: number;
  /** The lines in `body`; empty (to < from) when the range lies behind the end. */
  readonly shown: LineRange;
  /** The text shown, with the file's own line endings and without a byte order mark. */
  readonly body: string;
  readonly encoding: string;
  readonly bom: boolean;
  readonly eol: Text["eol"];
  readonly finalNewline: boolean;
  readonly notes: readonly string[];
  /** The whole file, when it was small enough to be held. */
  readonly whole?: { readonly version: Version; readonly text: Text };
}

export interface ReadRequest {
  /** As the caller wrote it, for messages. */
  readonly raw: string;
  readonly range?: LineRange | undefined;
  readonly encoding?: string | undefined;
  readonly maxBytes: number;
  readonly limits: Limits;
}

export function tooLarge(raw: string, size: number, maxBytes: number): Refusal {
  return new Refusal("file_too_large", `${raw} has ${size} bytes; the limit is ${maxBytes}.`, {
    path: raw,
    next: "Read a range of lines, or search in it.",
    details: { size, maxBytes },
  });
}

export function clamp(range: LineRange | undefined, lines: number): LineRange {
  const from = Math.max(1, range?.from ?? 1);
  return { from, to: Math.max(from - 1, Math.min(range?.to ?? lines, lines)) };
}
