// The segment that records are appended to: opening it, starting it, clearing a torn end away.
import { hash, randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Entry, Sha } from "../../../core/backend.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { damaged, readLine, type Tail } from "../../journal/entry.ts";
import { errnoOf } from "../errno.ts";
import { closeQuietly } from "../io.ts";
import { NO_FOLLOW } from "../paths/pin.ts";
import { createStateFile, openStateFile, type StateFile } from "../state-file.ts";
import { type BlobAt, HEADER_BYTES, type ReadAt, type Walked, walkRecords } from "./record.ts";
import { type LineAt, logFailure, openToRead, readFully, readLineAt, windowOn } from "./segment.ts";
import type { NumberedLine } from "./segment-index.ts";

export interface OpenSegment {
  readonly fd: number;
  /** False: it may be read only, or could be no more than that when it was opened. */
  readonly isWritable: boolean;
  readonly firstSeq: number;
  readonly lines: NumberedLine[];
  readonly blobs: Map<Sha, BlobAt>;
  /** Versions of older segments that were renewed here, and when. */
  readonly renewed: Map<Sha, number>;
  /** The offset behind the last whole record. */
  end: number;
}

/** Nothing of it counts as read yet. */
export function openSegment(path: string, firstSeq: number): OpenSegment {
  const { file, isWritable } = openToAppend(path);
  if (file === null) throw gone(firstSeq);
  return emptySegment(file.fd, isWritable, firstSeq);
}

/** The same file at the same place, to be written. */
export function openToWrite(segment: OpenSegment, path: string): OpenSegment {
  const file = openStateFile(path, TO_APPEND);
  if (file === null) throw gone(segment.firstSeq);
  return { ...segment, fd: file.fd, isWritable: true };
}

export function createSegment(path: string, firstSeq: number): OpenSegment {
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = fs.constants;
  return emptySegment(fs.openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | NO_FOLLOW, 0o600), true, firstSeq);
}

/** The next record of the segment counts as read. */
export function addRecord(open: OpenSegment, record: Walked): void {
  const { lineBytes, lineOffset, blobs, renewed, end, time } = record;
  if (lineBytes > 0) open.lines.push({ seq: open.firstSeq + open.lines.length, start: lineOffset, bytes: lineBytes });
  for (const blob of blobs) open.blobs.set(blob.sha, blob);
  for (const sha of renewed) open.renewed.set(sha, time);
  open.end = end;
}

/** Its last record is not whole. */
export function dropLast(open: OpenSegment): void {
  open.end = open.lines.pop()!.start - HEADER_BYTES;
  for (const [sha, { offset }] of open.blobs) if (offset > open.end) open.blobs.delete(sha);
}

/** Copies what follows the last whole record to a file of its own, makes that safe, and cuts it off here. */
export function moveTornAside(segment: OpenSegment, dir: string, now: Date): string {
  const name = `torn-${now.toISOString().replaceAll(":", "-")}-${randomBytes(4).toString("hex")}.bin`;
  try {
    const fd = createStateFile(`${dir}/${name}`);
    try {
      for (let at = segment.end; ; ) {
        const block = readFully(segment.fd, at, COPY_BYTES);
        if (block.length === 0) break;
        for (let done = 0; done < block.length; ) done += fs.writeSync(fd, block, done);
        at += block.length;
      }
      fs.fsyncSync(fd);
    } finally {
      closeQuietly(fd);
    }
    fs.ftruncateSync(segment.fd, segment.end);
    return name;
  } catch (error) {
    throw logFailure(error, "The torn tail of the journal could not be moved aside");
  }
}

function emptySegment(fd: number, isWritable: boolean, firstSeq: number): OpenSegment {
  return { fd, isWritable, firstSeq, lines: [], blobs: new Map(), renewed: new Map(), end: 0 };
}

/** A log that may not be written can still be read. */
function openToAppend(path: string): { readonly file: StateFile | null; readonly isWritable: boolean } {
  try {
    return { file: openStateFile(path, TO_APPEND), isWritable: true };
  } catch (error) {
    if (!READ_ONLY.has(errnoOf(error) ?? "")) throw error;
    return { file: openToRead(path), isWritable: false };
  }
}

const COPY_BYTES = 256 * 1024;
const TO_APPEND = {
  flags: fs.constants.O_RDWR | fs.constants.O_APPEND,
  maxBytes: JOURNAL_LIMITS.segmentBytes,
};
const READ_ONLY = new Set(["EACCES", "EPERM", "EROFS"]);

const gone = (seq: number) => damaged(`The segment of the journal that starts at entry ${seq} is gone.`, { seq });

/** What is kept in memory of the last entry, which may be large. */
export const tailAt = ({ seq, hash, at }: Entry): Tail => ({ seq, hash, at });

/** Null where there is none, or it was altered. */
export function intactEntryAt(read: ReadAt, at: LineAt): Entry | null {
  const line = readLineAt(read, at);
  const { entry, intact } = line === null ? { entry: null, intact: false } : readLine(line);
  return intact ? entry : null;
}

/** The last entry of a sealed segment, which must have this number. */
export function lastOf(path: string, seq: number): Tail {
  const file = openToRead(path);
  if (file === null) throw damaged(`Journal entry ${seq} is missing.`, { seq });
  try {
    const read = windowOn(file.fd);
    let last: Walked | null = null;
    for (const record of walkRecords(read, 0, file.stat.size)) if (record.lineBytes > 0) last = record;
    const entry = last === null ? null : intactEntryAt(read, { start: last.lineOffset, bytes: last.lineBytes });
    if (entry?.seq === seq) return tailAt(entry);
  } finally {
    closeQuietly(file.fd);
  }
  throw damaged(`Journal entry ${seq} is missing.`, { seq });
}

/** Its line and all of its versions have the hashes that they should have. */
export function isWhole(fd: number, { lineBytes, lineOffset, blobs }: Walked): boolean {
  if (lineBytes > 0) {
    const line = readLineAt((offset, length) => readFully(fd, offset, length), { start: lineOffset, bytes: lineBytes });
    if (line === null || !readLine(line).intact) return false;
  }
  return blobs.every((blob) => holdsBlob(fd, blob));
}

function holdsBlob(fd: number, { sha, size, offset }: BlobAt): boolean {
  return hash("sha256", readFully(fd, offset, size)) === sha;
}
