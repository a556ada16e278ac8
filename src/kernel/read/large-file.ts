// Reads a page of a file too large to hold: one pass over its bytes gives sha256, line count and the lines asked for.
import { createHash } from "node:crypto";
import type { Backend, LineRange, Resolved, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import { READ_NOTES } from "../../words/workspace.ts";
import { codecFor, detectPiece, isPdf, utf8 } from "../text/encoding.ts";
import { decode } from "../text/text.ts";
import { clamp, partOf, type ReadRequest, type ReadResult } from "./page.ts";

const NEWLINE = 10;
const CR = 13;
const BOM = Buffer.of(0xef, 0xbb, 0xbf);
/** A NUL within so many bytes makes a file binary, as in one that is held whole. */
const BINARY_SAMPLE = 8192;

export async function readPage(
  backend: Backend,
  at: Resolved,
  request: ReadRequest & { readonly range: LineRange },
): Promise<ReadResult> {
  const { raw, range, limits, encoding, pageBytes = limits.maxFileBytes } = request;
  if (at.size > limits.pagedBytes) throw refuse("too_large", { path: raw, size: at.size, maxBytes: limits.pagedBytes });
  const chunks = await backend.stream(at.path);
  if (chunks === null) throw refuse("file_missing", { path: raw, action: "read" });

  const isUtf8 = encoding === undefined || codecFor(encoding) === utf8;
  // Enough in any encoding for what is shown, and some to know that there is more.
  const page = new Page(2 * pageBytes + 16);
  const hash = createHash("sha256");
  let size = 0;
  let line = 1;
  let firstLineBytes = 0;
  let crlf = false;
  let alone = false;
  let cr = false;
  let last = NEWLINE;
  let head = Buffer.alloc(0);
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (head.length < BOM.length) head = Buffer.concat([head, chunk.subarray(0, BOM.length - head.length)]);
    if (size < BINARY_SAMPLE) refuseBinary(chunk.subarray(0, BINARY_SAMPLE - size), raw, size === 0 && isPdf(chunk));
    let start = 0;
    const keep = (end: number): void => {
      if (line >= range.from && line <= range.to) page.add(chunk.subarray(start, end));
      if (line === range.from) firstLineBytes += end - start;
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

  const bom = head.equals(BOM);
  const bomBytes = bom && isUtf8 ? BOM.length : 0;
  const nothing = size === bomBytes;
  const lines = nothing || last === NEWLINE ? line - 1 : line;
  const text = page.text(range.from === 1 ? bomBytes : 0, raw, isUtf8 ? undefined : encoding);
  const part = partOf(text.body, clamp(range, lines), pageBytes);
  return {
    path: at.path,
    sha: hash.digest("hex") as Sha,
    size,
    mtimeMs: at.mtimeMs,
    lines,
    ...part,
    encoding: text.encoding,
    bom,
    eol: crlf && alone ? "mixed" : crlf ? "crlf" : alone ? "lf" : cr ? "cr" : "none",
    finalNewline: size > 0 && last === NEWLINE,
    notes: part.isCut ? [...text.notes, READ_NOTES.cut_line(range.from, firstLineBytes)] : text.notes,
  };
}

const MAX_CHARACTER_BYTES = 4;

class Page {
  readonly #max: number;
  readonly #pieces: Buffer[] = [];
  #size = 0;
  /** There was more than it keeps. */
  isCut = false;

  constructor(max: number) {
    this.#max = max;
  }

  /** Copies the piece: the chunk that it lies in is not kept. */
  add(piece: Uint8Array): void {
    const fits = piece.subarray(0, this.#max - this.#size);
    this.isCut ||= fits.length < piece.length;
    this.#size += fits.length;
    if (fits.length > 0) this.#pieces.push(Buffer.from(fits));
  }

  /** Decodes as UTF-8 with stray bytes, unless another encoding is declared. Leaves out a character that was cut. */
  text(start: number, raw: string, encoding: string | undefined): Pick<ReadResult, "body" | "encoding" | "notes"> {
    const bytes = Buffer.concat(this.#pieces).subarray(start);
    if (encoding === undefined) return detectPiece(this.isCut ? withoutLastCharacter(bytes) : bytes);
    for (let cut = 0; ; cut++) {
      try {
        return decode(bytes.subarray(0, bytes.length - cut), { path: raw, encoding });
      } catch (error) {
        if (!this.isCut || cut === MAX_CHARACTER_BYTES - 1 || !(error instanceof Refusal)) throw error;
      }
    }
  }
}

function withoutLastCharacter(bytes: Buffer): Buffer {
  let end = bytes.length - 1;
  while (end > bytes.length - MAX_CHARACTER_BYTES && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** Refuses UTF-16 too: its lines cannot be found without decoding the whole file. */
function refuseBinary(head: Uint8Array, path: string, pdf: boolean): void {
  if (pdf || head.includes(0)) throw refuse("binary", { path, is: pdf ? "pdf" : "nul" });
}
