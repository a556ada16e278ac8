// The files that the log is cut into: their names, reading at an offset, appending whole records.
import fs from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { damaged } from "../../journal/entry.ts";
import { isSeq } from "../../journal/entry-form.ts";
import { openStateFile, type StateFile } from "../state-file.ts";
import { bytesIn, type ReadAt } from "./record.ts";

export interface Segment {
  /** The number of its first entry, which is also its name. */
  readonly firstSeq: number;
  readonly path: string;
}

export function listSegments(dir: string): Segment[] {
  const segments = namesIn(dir, NAME).map((name) => ({ firstSeq: Number.parseInt(name, 10), path: `${dir}/${name}` }));
  return segments.filter(({ firstSeq }) => isSeq(firstSeq));
}

/** The fitting names in a directory, sorted. */
export function namesIn(dir: string, fitting: RegExp): string[] {
  return fs
    .readdirSync(dir)
    .filter((name) => fitting.test(name))
    .sort();
}

/** Null when it is not there. The caller closes it. */
export function openToRead(path: string): StateFile | null {
  return openStateFile(path, { maxBytes: JOURNAL_LIMITS.segmentBytes });
}

export const segmentPath = (dir: string, firstSeq: number): string => `${dir}/${paddedSeq(firstSeq)}.log`;

/** Sixteen digits hold every safe integer, and names sort as numbers. */
export const paddedSeq = (seq: number): string => String(seq).padStart(16, "0");

/** Reads ahead, forwards or backwards: most of what is asked for next lies beside what was asked for before. */
export function windowOn(fd: number, ahead = WINDOW_BYTES): ReadAt {
  let start = 0;
  let bytes: Buffer = Buffer.alloc(0);
  return (offset, length) => {
    if (offset < start || offset + length > start + bytes.length) {
      const wanted = Math.max(length, ahead);
      start = offset < start ? Math.max(0, offset + length - wanted) : offset;
      bytes = readFully(fd, start, wanted);
    }
    return bytes.subarray(offset - start, offset - start + length);
  };
}

/** Fewer than `length` bytes where the file ends. */
export function readFully(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = fs.readSync(fd, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** Writes all pieces behind `end`, or leaves the file as it was. Gives the new end. */
export function appendWhole(fd: number, pieces: readonly Uint8Array[], end: number): number {
  const size = bytesIn(pieces);
  try {
    for (const piece of size <= JOINED_BYTES ? [Buffer.concat(pieces)] : pieces) {
      for (let done = 0; done < piece.length; ) done += fs.writeSync(fd, piece, done);
    }
    return end + size;
  } catch (error) {
    try {
      fs.ftruncateSync(fd, end);
    } catch {
      // The torn tail stays; the next append moves it aside.
    }
    throw logFailure(error, "The journal could not be written");
  }
}

export function logFailure(error: unknown, what: string): Refusal {
  if (error instanceof Refusal) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  if (NO_ROOM.has(code)) {
    return new Refusal("disk_full", `${what}: no room left (${code}).`, { next: "Free some space.", cause: error });
  }
  const why = error instanceof Error ? error.message : String(error);
  return new Refusal("io_error", `${what}: ${why}.`, { details: { code }, cause: error });
}

/** The line of an entry, without its line end. */
export function readLineAt(read: ReadAt, { start, bytes }: LineAt): Buffer | null {
  if (bytes > JOURNAL_LIMITS.entryBytes) throw damaged("The journal holds a line far longer than any entry.");
  const line = read(start, bytes);
  return line.length === bytes && line[bytes - 1] === LINE_END ? line.subarray(0, -1) : null;
}

export interface LineAt {
  readonly start: number;
  /** With its line end. */
  readonly bytes: number;
}

const NAME = /^\d{16}\.log$/;
const LINE_END = 10;
const NO_ROOM = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const WINDOW_BYTES = 64 * 1024;
/** Up to here one write of a copy takes less time than several writes. */
const JOINED_BYTES = 1024 * 1024;
