// A page of a file too large to hold: one pass over its bytes gives the sha256, the line count and the lines asked for.
import { createHash } from "node:crypto";
import type { Backend, LineRange, Resolved, Sha } from "../backends/backend.ts";
import { Refusal } from "./failure.ts";
import { clamp, type ReadRequest, type ReadResult, tooLarge } from "./page.ts";
import { decode } from "./text.ts";

const NEWLINE = 10;

export async function readPage(
  backend: Backend,
  at: Resolved,
  { raw, range, limits, encoding }: ReadRequest & { readonly range: LineRange },
): Promise<ReadResult> {
  if (at.size > limits.pagedBytes) throw tooLarge(raw, at.size, limits.pagedBytes);
  const chunks = await backend.stream(at.path);
  if (chunks === null) throw new Refusal("not_found", `${raw} does not exist.`, { path: raw, next: "Check the path." });

  const hash = createHash("sha256");
  const page: Uint8Array[] = [];
  let held = 0;
  let size = 0;
  let line = 1;
  let crlf = false;
  let alone = false;
  let last = NEWLINE;
  let bom = false;
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (size === 0) {
      bom = startsWithBom(chunk);
      refuseBinary(chunk.subarray(0, 8192), raw);
    }
    let start = 0;
    const keep = (end: number): void => {
      if (line < range.from || line > range.to || end <= start) return;
      held += end - start;
      if (held > limits.maxFileBytes) throw pageTooLarge(raw, range, limits.maxFileBytes);
      page.push(chunk.slice(start, end));
    };
    for (let lf = chunk.indexOf(NEWLINE); lf !== -1; lf = chunk.indexOf(NEWLINE, start)) {
      keep(lf + 1);
      const afterCr = (lf > 0 ? chunk[lf - 1] : last) === 13;
      crlf ||= afterCr;
      alone ||= !afterCr;
      start = lf + 1;
      line++;
    }
    keep(chunk.length);
    size += chunk.length;
    last = chunk[chunk.length - 1] ?? last;
  }

  const lines = last === NEWLINE ? line - 1 : line;
  const text = decode(page, { path: raw, ...(encoding !== undefined && { encoding }) });
  return {
    path: at.path,
    sha: hash.digest("hex") as Sha,
    size,
    mtimeMs: at.mtimeMs,
    lines,
    shown: clamp(range, lines),
    body: text.body,
    encoding: text.encoding,
    bom,
    eol: crlf && alone ? "mixed" : crlf ? "crlf" : alone ? "lf" : text.eol,
    finalNewline: size > 0 && last === NEWLINE,
    notes: text.notes,
  };
}

function startsWithBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** UTF-16 counts as binary here: lines cannot be told apart without decoding the whole file. */
function refuseBinary(head: Uint8Array, raw: string): void {
  if (!head.includes(0)) return;
  throw new Refusal("binary_file", `${raw} is not a text file.`, {
    path: raw,
    next: "Read it as bytes, if you need it.",
  });
}

function pageTooLarge(raw: string, { from, to }: LineRange, maxBytes: number): Refusal {
  return new Refusal("file_too_large", `Lines ${from}-${to} of ${raw} have more than ${maxBytes} bytes.`, {
    path: raw,
    next: "Ask for fewer lines.",
  });
}
