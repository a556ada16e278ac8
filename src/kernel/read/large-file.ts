// A page of a file too large to hold: one pass over its bytes gives the sha256, the line count and the lines asked for.
import { createHash } from "node:crypto";
import type { Backend, LineRange, Resolved, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { isPdf } from "../text/detect-encoding.ts";
import { codecFor, utf8 } from "../text/encoding.ts";
import { charactersIn, clamp, partOf, type ReadRequest, type ReadResult, tooLarge } from "./page.ts";
import { bytesOfPage, pieceOfPage } from "./page-bytes.ts";

const NEWLINE = 10;
const CR = 13;
const MARK_BYTES = 3;
/** Where a NUL makes a file binary, as in one that is held whole. */
const BINARY_SAMPLE = 8192;

export async function readPage(
  backend: Backend,
  at: Resolved,
  request: ReadRequest & { readonly range: LineRange },
): Promise<ReadResult> {
  const { raw, range, limits, encoding, column = 1, pageBytes = limits.maxFileBytes } = request;
  if (at.size > limits.pagedBytes) throw tooLarge(raw, at.size, limits.pagedBytes);
  const chunks = await backend.stream(at.path);
  if (chunks === null) throw new Refusal("not_found", `${raw} does not exist.`, { path: raw, next: "Check the path." });

  const isUtf8 = encoding === undefined || codecFor(encoding) === utf8;
  const page = bytesOfPage(
    isUtf8
      ? { raw, line: range.from, column, most: enoughFor(pageBytes) }
      : // Where the characters of another encoding begin shows only when they are decoded.
        { raw, line: range.from, column: 1, most: column === 1 ? enoughFor(pageBytes) : limits.maxFileBytes },
  );
  const hash = createHash("sha256");
  let size = 0;
  let line = 1;
  let crlf = false;
  let alone = false;
  let cr = false;
  let last = NEWLINE;
  let bom = false;
  for await (const chunk of fromWholeMark(chunks)) {
    hash.update(chunk);
    if (size === 0) bom = startsWithBom(chunk);
    if (size < BINARY_SAMPLE) refuseBinary(chunk.subarray(0, BINARY_SAMPLE - size), raw, size === 0 && isPdf(chunk));
    let start = size === 0 && bom && isUtf8 ? MARK_BYTES : 0;
    const keep = (end: number): void => {
      if (line >= range.from && line <= range.to && end > start) page.take(line, chunk.subarray(start, end));
    };
    for (let lf = chunk.indexOf(NEWLINE, start); lf !== -1; lf = chunk.indexOf(NEWLINE, start)) {
      keep(lf + 1);
      const afterCr = (lf > 0 ? chunk[lf - 1] : last) === CR;
      crlf ||= afterCr;
      alone ||= !afterCr;
      start = lf + 1;
      line++;
    }
    keep(chunk.length);
    if (!crlf && !alone) cr ||= chunk.includes(CR);
    size += chunk.length;
    last = chunk[chunk.length - 1] ?? last;
  }

  const nothing = size === (bom && isUtf8 ? MARK_BYTES : 0);
  const lines = nothing || last === NEWLINE ? line - 1 : line;
  const kept = page.end();
  const text = pieceOfPage(kept, raw, isUtf8 ? undefined : encoding);
  if (!isUtf8 && kept.dropped && !text.body.includes("\n") && charactersIn(text.body) < column)
    throw tooFar(raw, column);
  return {
    path: at.path,
    sha: hash.digest("hex") as Sha,
    size,
    mtimeMs: at.mtimeMs,
    lines,
    ...partOf(text.body, clamp(range, lines), { raw, column, pageBytes, begins: isUtf8 ? column : 1 }),
    encoding: text.encoding,
    bom,
    eol: crlf && alone ? "mixed" : crlf ? "crlf" : alone ? "lf" : cr ? "cr" : "none",
    finalNewline: size > 0 && last === NEWLINE,
    notes: text.notes,
  };
}

/** Bytes of any encoding that are shown in at least `pageBytes`, and some more to know that there is more. */
function enoughFor(pageBytes: number): number {
  return 2 * pageBytes + 16;
}

/** The chunks, the first of them long enough to hold a byte order mark. */
async function* fromWholeMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (head === undefined) yield chunk;
    else {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (head.length < MARK_BYTES) continue;
      yield head;
      head = undefined;
    }
  }
  if (head !== undefined && head.length > 0) yield head;
}

function startsWithBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** UTF-16 counts as binary here: lines cannot be found without decoding the whole file. */
function refuseBinary(head: Uint8Array, raw: string, pdf: boolean): void {
  if (!pdf && !head.includes(0)) return;
  throw new Refusal("binary_file", `${raw} is not a text file.`, {
    path: raw,
    next: "Do not edit it as text.",
  });
}

function tooFar(raw: string, column: number): Refusal {
  return new Refusal(
    "file_too_large",
    `Column ${column} of ${raw} is too far into its line to be found in that encoding.`,
    {
      path: raw,
      next: "Leave the encoding out: what is not UTF-8 is then shown as \\xNN.",
    },
  );
}
