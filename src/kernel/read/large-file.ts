// A page of a file too large to hold: one pass over its bytes gives the sha256, the line count and the lines asked for.
import { createHash } from "node:crypto";
import type { Backend, LineRange, Resolved, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { countLines } from "../../edit/text/lines.ts";
import { detectPiece, isPdf } from "../text/detect-encoding.ts";
import { codecFor, utf8 } from "../text/encoding.ts";
import { decode } from "../text/text.ts";
import { clamp, partOf, type ReadRequest, type ReadResult, tooLarge } from "./page.ts";

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
  if (column > 1) throw wholeLinesOnly(raw, range.from);
  const chunks = await backend.stream(at.path);
  if (chunks === null) throw new Refusal("not_found", `${raw} does not exist.`, { path: raw, next: "Check the path." });

  const isUtf8 = encoding === undefined || codecFor(encoding) === utf8;
  const pieces: Uint8Array[] = [];
  let room = enoughFor(pageBytes);
  let isCut = false;
  /** A copy: the chunk that a small page lies in is not kept. */
  const take = (piece: Uint8Array): void => {
    const fits = piece.subarray(0, room);
    isCut ||= fits.length < piece.length;
    room -= fits.length;
    if (fits.length > 0) pieces.push(Buffer.from(fits));
  };
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
      if (line >= range.from && line <= range.to && end > start) take(chunk.subarray(start, end));
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
  const bytes = Buffer.concat(pieces);
  const whole = isCut ? bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1) : bytes;
  const text = isUtf8 ? detectPiece(whole) : decode(whole, { path: raw, encoding });
  const asked = clamp(range, lines);
  const held = isCut ? { from: asked.from, to: asked.from + countLines(text.body) - 1 } : asked;
  const part = partOf(text.body, held, { raw, pageBytes });
  if ((isCut && whole.length === 0) || part.nextColumn !== undefined) throw wholeLinesOnly(raw, range.from);
  return {
    path: at.path,
    sha: hash.digest("hex") as Sha,
    size,
    mtimeMs: at.mtimeMs,
    lines,
    ...part,
    encoding: text.codec.name,
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

function wholeLinesOnly(raw: string, line: number): Refusal {
  const why = `Line ${line} of ${raw} cannot be read in parts: the file is too large to be held.`;
  return new Refusal("file_too_large", why, {
    path: raw,
    next: "Read lines that fit as a whole, or search in the file.",
  });
}
