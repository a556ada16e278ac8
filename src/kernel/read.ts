// Reading: a version, or the text of some of its lines.
import type { Backend, LineRange, Path, Resolved, Sha, Version } from "../backends/backend.ts";
import { splitLines } from "../edit/lines.ts";
import { Refusal } from "./failure.ts";
import type { Limits } from "./limits.ts";
import { readPage } from "./read-page.ts";
import { decode, type Text } from "./text.ts";

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

export async function readText(backend: Backend, at: Resolved, request: ReadRequest): Promise<ReadResult> {
  const { raw, range } = request;
  if (range !== undefined && at.kind === "file" && at.size > request.maxBytes) {
    return readPage(backend, at, { ...request, range });
  }
  const version = await readVersion(backend, at, raw, request.maxBytes);
  const text = decode(version.parts, { path: raw, ...(request.encoding !== undefined && { encoding: request.encoding }) });
  const lines = splitLines(text.body);
  const shown = clamp(range, lines.length);
  const first = lines[shown.from - 1];
  const after = lines[shown.to];
  const body = first === undefined || shown.to < shown.from ? "" : text.body.slice(first.start, after?.start);
  return {
    path: at.path,
    sha: version.sha,
    size: version.size,
    mtimeMs: at.mtimeMs,
    lines: lines.length,
    shown,
    body,
    encoding: text.encoding,
    bom: text.bom,
    eol: text.eol,
    finalNewline: text.finalNewline,
    notes: text.notes,
    whole: { version, text },
  };
}

export async function readVersion(backend: Backend, at: Resolved, raw: string, maxBytes: number): Promise<Version> {
  if (at.kind === "directory") {
    throw new Refusal("not_a_file", `${raw} is a directory.`, { path: raw, next: "List it instead, or name a file in it." });
  }
  if (at.kind === "file" && at.size > maxBytes) throw tooLarge(raw, at.size, maxBytes);
  const version = at.kind === "absent" ? null : await backend.read(at.path, { maxBytes });
  if (version === null) {
    throw new Refusal("not_found", `${raw} does not exist.`, { path: raw, next: "Check the path; list the directory to see what is there." });
  }
  return version;
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
