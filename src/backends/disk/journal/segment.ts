// The files that a journal is cut into: their names, and reading whole lines from them, forwards and backwards, in blocks.
import fs from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { damaged } from "../../journal/entry.ts";
import { isSeq } from "../../journal/entry-form.ts";
import { openStateFile, type StateFile } from "../state/file.ts";

export interface Segment {
  /** The sequence number of its first entry, which is also its name. */
  readonly firstSeq: number;
  readonly path: string;
}

export function listSegments(dir: string): Segment[] {
  const segments = namesIn(dir, NAME).map((name) => ({ firstSeq: Number.parseInt(name, 10), path: `${dir}/${name}` }));
  return segments.filter(({ firstSeq }) => isSeq(firstSeq));
}

/** The fitting ones, sorted. Others may be there, but not without end. */
export function namesIn(dir: string, fitting: RegExp): string[] {
  const names: string[] = [];
  const opened = fs.opendirSync(dir, { bufferSize: NAMES_AT_ONCE });
  try {
    let count = 0;
    for (let found = opened.readSync(); found !== null; found = opened.readSync()) {
      if (++count > JOURNAL_LIMITS.directoryNames)
        throw damaged("The directory of the journal holds far too many names.");
      if (fitting.test(found.name)) names.push(found.name);
    }
  } finally {
    opened.closeSync();
  }
  return names.sort();
}

/** Null when it is not there. The caller closes it. */
export function openToRead(path: string): StateFile | null {
  return openStateFile(path, { maxBytes: JOURNAL_LIMITS.segmentBytes });
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
    const block = readBlock(fd, at, Math.min(Math.max(BLOCK_BYTES, rest.length), to - at), rest, "before");
    if (block.length === rest.length) return;
    at += block.length - rest.length;
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = block.indexOf(LINE_END, rest.length); end !== -1; end = block.indexOf(LINE_END, start)) {
      lines.push(block.subarray(start, end));
      start = end + 1;
    }
    rest = block.subarray(start);
    checkLength(rest.length);
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
    checkLength(rest.length);
    size = Math.max(BLOCK_BYTES, rest.length);
    yield lines;
  }
}

/** The line between two offsets, of which the second is that of its line end; null when there is none. */
export function lineBetween(fd: number, start: number, end: number): Buffer | null {
  checkLength(end - start);
  const line = readBlock(fd, start, end + 1 - start, EMPTY, "before");
  return line.length === end + 1 - start && line[end - start] === LINE_END ? line.subarray(0, -1) : null;
}

/** The offset behind the last line end between two offsets; `from` when there is none. */
export function wholeEnd(fd: number, from: number, to: number): number {
  for (let at = to; at > from; ) {
    checkLength(to - at);
    const length = Math.min(SMALL_BLOCK_BYTES, at - from);
    at -= length;
    const found = readBlock(fd, at, length, EMPTY, "before").lastIndexOf(LINE_END);
    if (found !== -1) return at + found + 1;
  }
  return from;
}

/** Writes all of it or leaves the file as it was: a half-written line never stays behind. Gives the new size. */
export function appendWhole(fd: number, bytes: Buffer, size: number): number {
  try {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
    return size + bytes.length;
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
const NAMES_AT_ONCE = 1024;
const LINE_END = 10;
const NO_ROOM = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const EMPTY = Buffer.alloc(0);
/** Large enough that the cost of a read vanishes; small enough that the event loop gets its turn between blocks. */
const BLOCK_BYTES = 256 * 1024;
/** For the end of a segment, where often one line is all that is wanted. */
const SMALL_BLOCK_BYTES = 16 * 1024;
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

/** Before it fills the memory, or takes minutes to be read through. */
function checkLength(bytes: number): void {
  if (bytes > JOURNAL_LIMITS.entryBytes) throw damaged("The journal holds a line far longer than any entry.");
}
