// The files that a journal is cut into: their names, and reading whole lines from them, forwards and backwards, in blocks.
import fs from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import { damaged } from "../entry.ts";

export interface Segment {
  /** The sequence number of its first entry, which is also its name. */
  readonly firstSeq: number;
  readonly path: string;
}

export function listSegments(dir: string): Segment[] {
  const names = fs.readdirSync(dir).filter((name) => NAME.test(name));
  return names.sort().map((name) => ({ firstSeq: Number.parseInt(name, 10), path: `${dir}/${name}` }));
}

export function segmentPath(dir: string, firstSeq: number): string {
  return `${dir}/${paddedSeq(firstSeq)}.jsonl`;
}

/** Sixteen digits hold every safe integer, and names sort as numbers. */
export const paddedSeq = (seq: number) => String(seq).padStart(16, "0");

/** The whole lines between two offsets, without their line ends, one array for each block read. */
export function* linesForward(fd: number, from: number, to: number): Generator<Buffer[]> {
  let rest: Buffer = EMPTY;
  for (let at = from; at < to; ) {
    const block = readBlock(fd, at, Math.min(BLOCK_BYTES, to - at), rest, "before");
    if (block.length === rest.length) return;
    at += block.length - rest.length;
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = block.indexOf(LINE_END, rest.length); end !== -1; end = block.indexOf(LINE_END, start)) {
      lines.push(block.subarray(start, end));
      start = end + 1;
    }
    rest = block.subarray(start);
    checkLength(rest);
    yield lines;
  }
}

/** The whole lines before an offset that is just behind a line end, last line first. */
export function* linesBackward(fd: number, to: number): Generator<Buffer[]> {
  let rest: Buffer = EMPTY;
  let size = SMALL_BLOCK_BYTES;
  for (let at = to; at > 0; ) {
    const length = Math.min(size, at);
    at -= length;
    const block = readBlock(fd, at, length, rest, "behind");
    const lines: Buffer[] = [];
    let end = block.length - 1;
    for (let before = lineEndBefore(block, end); before !== -1; before = lineEndBefore(block, end)) {
      lines.push(block.subarray(before + 1, end));
      end = before;
    }
    if (at === 0) lines.push(block.subarray(0, end));
    rest = block.subarray(0, end + 1);
    checkLength(rest);
    size = BLOCK_BYTES;
    yield lines;
  }
}

/** The offset behind the last line end between two offsets; `from` when there is none. */
export function wholeEnd(fd: number, from: number, to: number): number {
  for (let at = to; at > from; ) {
    const length = Math.min(SMALL_BLOCK_BYTES, at - from);
    at -= length;
    const found = readBlock(fd, at, length, EMPTY, "before").lastIndexOf(LINE_END);
    if (found !== -1) return at + found + 1;
  }
  return from;
}

/** Writes all of it or leaves the file as it was: a half-written line never stays behind. */
export function appendWhole(fd: number, bytes: Buffer, size: number): void {
  try {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
  } catch (error) {
    try {
      fs.ftruncateSync(fd, size);
    } catch {
      // what stays behind is a torn tail, which the next append moves aside
    }
    throw journalFailure(error, "The journal could not be written");
  }
}

export function journalFailure(error: unknown, what: string): Refusal {
  if (error instanceof Refusal) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  if (NO_ROOM.has(code)) {
    return new Refusal("disk_full", `${what}: no room left (${code}).`, { next: "Free some space.", cause: error });
  }
  const why = error instanceof Error ? error.message : String(error);
  return new Refusal("io_error", `${what}: ${why}.`, { details: { code }, cause: error });
}

const NAME = /^\d{16}\.jsonl$/;
const LINE_END = 10;
const NO_ROOM = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const EMPTY = Buffer.alloc(0);
/** Large enough that the cost of a read vanishes; small enough that the event loop gets its turn between blocks. */
const BLOCK_BYTES = 256 * 1024;
/** For the end of a segment, where often one line is all that is wanted. */
const SMALL_BLOCK_BYTES = 16 * 1024;
/** No entry comes near this; a file that is one endless line must not fill the memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** What a short read leaves out was cut off by another process: there is no line there any more. */
function readBlock(fd: number, at: number, length: number, rest: Buffer, restIs: "before" | "behind"): Buffer {
  const start = restIs === "before" ? rest.length : 0;
  const block = Buffer.allocUnsafe(length + rest.length);
  let done = 0;
  while (done < length) {
    const count = fs.readSync(fd, block, start + done, length - done, at + done);
    if (count === 0) break;
    done += count;
  }
  if (restIs === "before") {
    rest.copy(block, 0);
    return block.subarray(0, start + done);
  }
  if (done < length) throw damaged("The journal became shorter while it was read.");
  rest.copy(block, length);
  return block;
}

const lineEndBefore = (block: Buffer, end: number) => (end <= 0 ? -1 : block.lastIndexOf(LINE_END, end - 1));

function checkLength(line: Buffer): void {
  if (line.length > MAX_LINE_BYTES) throw damaged("The journal holds a line far longer than any entry.");
}
