// The files that the log is cut into: their names, reading and appending, and what is known of the one that is appended to.
import { hash, randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Entry, Sha } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { damaged, readLine } from "../../journal/entry.ts";
import { isSeq } from "../../journal/entry-form.ts";
import { errnoOf } from "../errno.ts";
import { closeQuietly, readFully } from "../io.ts";
import { openStateFile, replaceStateFile, type StateFile } from "../state-file.ts";
import { type BlobAt, bytesIn, type LineAt, type ReadAt, type RecordAt, walkRecords } from "./record.ts";

export interface Segment {
  /** The number of its first entry, which is also its name. */
  readonly firstSeq: number;
  readonly path: string;
}

/** A segment after which another one was started: nothing is added to it any more. */
export interface SealedSegment extends Segment {
  readonly lastSeq: number;
}

/** The segment that is appended to. */
export interface OpenSegment {
  readonly fd: number;
  readonly ino: number;
  /** False: it may be read only, or could be no more than that when it was opened. */
  readonly isWritable: boolean;
  readonly firstSeq: number;
  readonly lines: LineAt[];
  readonly blobs: Map<Sha, BlobAt>;
  /** Versions of older segments that were renewed here, and when. */
  readonly renewed: Map<Sha, number>;
  /** The offset behind the last whole record. */
  end: number;
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

const NAME = /^\d{16}\.log$/;

export const segmentPath = (dir: string, firstSeq: number): string => `${dir}/${paddedSeq(firstSeq)}.log`;

/** Sixteen digits hold every safe integer, and names sort as numbers. */
export const paddedSeq = (seq: number): string => String(seq).padStart(16, "0");

/** Null when it is not there. The caller closes it. */
export function openToRead(path: string): StateFile | null {
  return openStateFile(path, { maxBytes: JOURNAL_LIMITS.segmentBytes });
}

/** Null when it is not there. */
export function readSegment<T>(path: string, use: (file: StateFile) => T): T | null {
  const file = openToRead(path);
  if (file === null) return null;
  try {
    return use(file);
  } finally {
    closeQuietly(file.fd);
  }
}

/** Its records up to an entry, those behind damage included. */
export function recordsOf({ fd, stat }: StateFile, lastSeq: number): RecordAt[] {
  return [...walkRecords(windowOn(fd), 0, stat.size, lastSeq)];
}

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

const WINDOW_BYTES = 64 * 1024;

/** The line of an entry, without its line end. Null where it is not whole. */
export function readLineAt(read: ReadAt, { start, bytes }: Pick<LineAt, "start" | "bytes">): Buffer | null {
  if (bytes > JOURNAL_LIMITS.entryBytes) return null;
  const line = read(start, bytes);
  return line.length === bytes && line[bytes - 1] === LINE_END ? line.subarray(0, -1) : null;
}

const LINE_END = 10;

/** Null where it was altered. */
export function intactEntryAt(read: ReadAt, at: LineAt): Entry | null {
  const line = readLineAt(read, at);
  const { entry, intact } = line === null ? { entry: null, intact: false } : readLine(line);
  return intact ? entry : null;
}

/** Its line and all of its versions have the hashes that they should have. */
export function isWhole(fd: number, { line, blobs }: RecordAt): boolean {
  const read: ReadAt = (offset, length) => readFully(fd, offset, length);
  if (line !== null && intactEntryAt(read, line) === null) return false;
  return blobs.every(({ sha, size, offset }) => hash("sha256", read(offset, size)) === sha);
}

/** Nothing of it counts as read yet. A log that may not be written can still be read. */
export function openSegment(path: string, firstSeq: number): OpenSegment {
  let isWritable = true;
  let file: StateFile | null;
  try {
    file = openStateFile(path, TO_APPEND);
  } catch (error) {
    if (!READ_ONLY.has(errnoOf(error) ?? "")) throw error;
    isWritable = false;
    file = openToRead(path);
  }
  if (file === null) throw gone(firstSeq);
  return emptySegment(file, isWritable, firstSeq);
}

/** The same file at the same place, to be written. */
export function openToWrite(segment: OpenSegment, path: string): OpenSegment {
  const file = openStateFile(path, TO_APPEND);
  if (file === null) throw gone(segment.firstSeq);
  return { ...segment, fd: file.fd, ino: file.stat.ino, isWritable: true };
}

export function createSegment(path: string, firstSeq: number): OpenSegment {
  const flags = TO_APPEND.flags | fs.constants.O_CREAT | fs.constants.O_EXCL;
  return emptySegment(openStateFile(path, { ...TO_APPEND, flags })!, true, firstSeq);
}

const TO_APPEND = { flags: fs.constants.O_RDWR | fs.constants.O_APPEND, maxBytes: JOURNAL_LIMITS.segmentBytes };
const READ_ONLY = new Set(["EACCES", "EPERM", "EROFS"]);

const gone = (seq: number) => damaged(`The segment of the journal that starts at entry ${seq} is gone.`, { seq });

function emptySegment({ fd, stat }: StateFile, isWritable: boolean, firstSeq: number): OpenSegment {
  return { fd, ino: stat.ino, isWritable, firstSeq, lines: [], blobs: new Map(), renewed: new Map(), end: 0 };
}

/** The next record of the segment counts as read. */
export function addRecord(open: OpenSegment, { line, blobs, renewed, time, end }: RecordAt): void {
  if (line !== null) open.lines.push(line);
  for (const blob of blobs) open.blobs.set(blob.sha, blob);
  for (const sha of renewed) open.renewed.set(sha, time);
  open.end = end;
}

/** What lies from this offset on does not count. */
export function dropFrom(open: OpenSegment, offset: number): void {
  open.end = offset;
  while ((open.lines.at(-1)?.start ?? -1) >= offset) open.lines.pop();
  for (const [sha, blob] of open.blobs) if (blob.offset >= offset) open.blobs.delete(sha);
}

/** Writes all pieces behind `end`, or leaves the file as it was. Gives the new end. */
export function appendWhole(fd: number, pieces: readonly Uint8Array[], end: number): number {
  const size = bytesIn(pieces);
  try {
    for (const piece of size <= MAX_JOINED_BYTES ? [Buffer.concat(pieces)] : pieces) {
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

/** Up to here one write of a copy takes less time than several writes. */
const MAX_JOINED_BYTES = 1024 * 1024;

/** Copies what follows the last whole record to a file of its own, makes that safe, and cuts it off here. */
export function moveTornAside(segment: OpenSegment, dir: string, now: Date): string {
  const name = `torn-${now.toISOString().replaceAll(":", "-")}-${randomBytes(4).toString("hex")}.bin`;
  try {
    const torn = readFully(segment.fd, segment.end, fs.fstatSync(segment.fd).size - segment.end);
    replaceStateFile(`${dir}/${name}`, [torn], true);
    fs.ftruncateSync(segment.fd, segment.end);
    return name;
  } catch (error) {
    throw logFailure(error, "The torn tail of the journal could not be moved aside");
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

const NO_ROOM = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
