// The files that the log is cut into: opening, reading, appending, writing anew, and what is known of the one that is appended to.
import { hash, randomBytes } from "node:crypto";
import fs from "node:fs";
import { dirname } from "node:path";
import type { Entry, Sha } from "../../../core/backend.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { damaged, readLine, START, type Tail } from "../../journal/entry.ts";
import { isSeq } from "../../journal/entry-form.ts";
import { closeQuietly, flushDirectory, readFully, removeQuietly } from "../io.ts";
import { openStateFile, replaceStateFile, type StateFile } from "../state-file.ts";
import {
  type BlobAt,
  encodeRecord,
  type LineAt,
  type ReadAt,
  type RecordAt,
  type Stretch,
  walkRecords,
} from "./record.ts";

export interface Segment {
  /** The number of its first entry, which is also its name. */
  readonly firstSeq: number;
  readonly path: string;
}

/** A segment after which another one was started: nothing is added to it any more. */
export interface SealedSegment extends Segment {
  readonly lastSeq: number;
}

/** A segment, as far as the log was followed: what others append later is no part of it. */
export interface Part extends SealedSegment {
  /** Null of one that is sealed. */
  readonly open: OpenSegment | null;
}

/** The segment that is appended to. */
export interface OpenSegment extends Segment {
  readonly fd: number;
  readonly ino: number;
  readonly isWritable: boolean;
  readonly lines: LineAt[];
  readonly blobs: Map<Sha, BlobAt>;
  /** The offset behind the last whole record. */
  end: number;
}

export function listSegments(dir: string): Segment[] {
  const names = fs.readdirSync(dir).filter((name) => NAME.test(name));
  const segments = names.sort().map((name) => ({ firstSeq: Number.parseInt(name, 10), path: `${dir}/${name}` }));
  return segments.filter(({ firstSeq }) => isSeq(firstSeq));
}

const NAME = /^\d{16}\.log$/;

export const indexPath = (segmentPath: string): string => segmentPath.replace(/\.log$/, ".index");

/** Sixteen digits hold every safe integer, and names sort as numbers. */
export const segmentPath = (dir: string, firstSeq: number): string =>
  `${dir}/${String(firstSeq).padStart(16, "0")}.log`;

/** Null when it is not there. */
export function readSegment<T>(path: string, use: (file: StateFile) => T): T | null {
  const file = openStateFile(path);
  if (file === null) return null;
  try {
    return use(file);
  } finally {
    closeQuietly(file.fd);
  }
}

/** Its records up to an entry, those behind damage included. */
export function recordsOf({ fd, stat }: StateFile, lastSeq: number): RecordAt[] {
  return [...walkRecords(windowOn(fd), { from: 0, to: stat.size, settled: lastSeq })];
}

/**
 * Of the last segment: behind what is settled, a record counts only where all of its bytes have their hashes. One that
 * is damaged and was settled has the number that it should have.
 */
export function* wholeRecords(fd: number, after: number, stretch: Required<Stretch>): Generator<RecordAt> {
  const { settled } = stretch;
  let seq = after;
  for (const record of walkRecords(windowOn(fd), stretch)) {
    const { line } = record;
    const isSettled = line === null ? seq < settled : line.seq > seq && line.seq <= settled;
    const isDamaged = !isSettled && !isWhole(fd, record);
    if (isDamaged && seq >= settled) return;
    if (line !== null) seq = isDamaged ? seq + 1 : Math.max(seq, line.seq);
    yield isDamaged && line !== null ? { ...record, line: { ...line, seq } } : record;
  }
}

function isWhole(fd: number, { line, blobs, seen }: RecordAt): boolean {
  const read: ReadAt = (offset, length) => readFully(fd, offset, length);
  const isItself = ({ sha, size, offset }: BlobAt): boolean =>
    offset === 0 || hash("sha256", read(offset, size)) === sha;
  const isIntact = (bytes: Buffer | null): boolean => bytes !== null && readLine(bytes).intact;
  return (line === null || isIntact(readLineAt(read, line))) && blobs.every(isItself) && (!seen || isItself(seen));
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

/** Null where it was altered, or its line is not wanted. */
export function entryAt(read: ReadAt, at: LineAt, wanted?: (line: Buffer) => boolean): Entry | null {
  const line = readLineAt(read, at);
  if (line === null || wanted?.(line) === false) return null;
  const { entry, intact } = readLine(line);
  return intact ? entry : null;
}

/** To read; nothing of it counts as read yet. */
export function openSegment({ path, firstSeq }: Segment, flags: number = fs.constants.O_RDONLY): OpenSegment {
  const file = openStateFile(path, flags);
  if (file === null)
    throw damaged(`The segment of the journal that starts at entry ${firstSeq} is gone.`, { seq: firstSeq });
  const isWritable = (flags & TO_APPEND) === TO_APPEND;
  return { path, firstSeq, fd: file.fd, ino: file.stat.ino, isWritable, lines: [], blobs: new Map(), end: 0 };
}

/** The same file at the same place. */
export function openToWrite(open: OpenSegment): OpenSegment {
  const { fd, ino, isWritable } = openSegment(open, TO_APPEND);
  return { ...open, fd, ino, isWritable };
}

export function createSegment(segment: Segment): OpenSegment {
  return openSegment(segment, TO_APPEND | fs.constants.O_CREAT | fs.constants.O_EXCL);
}

const TO_APPEND = fs.constants.O_RDWR | fs.constants.O_APPEND;

/** The next record of the segment counts as read. */
export function addRecord(open: OpenSegment, { line, blobs, end }: RecordAt): void {
  if (line !== null) open.lines.push(line);
  for (const blob of blobs) addBlob(open.blobs, blob);
  open.end = end;
}

/** Of a version that is kept anew the bytes stay where they are. */
export function addBlob(blobs: Map<Sha, BlobAt>, blob: BlobAt): void {
  const known = blob.offset === 0 ? blobs.get(blob.sha) : undefined;
  blobs.set(blob.sha, known === undefined ? blob : { ...known, keptAt: blob.keptAt });
}

/** Writes all of it behind `end`, or leaves the file as it was. */
export function appendWhole(fd: number, bytes: Uint8Array, end: number): void {
  try {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
  } catch (error) {
    try {
      fs.ftruncateSync(fd, end);
    } catch {
      // The torn tail stays; the next append moves it aside.
    }
    throw error;
  }
}

/** Copies what follows the last whole record to a file of its own, makes that safe, and cuts it off here. */
export function moveTornAside({ fd, end }: OpenSegment, dir: string, now: Date): string {
  const name = `torn-${now.toISOString().replaceAll(":", "-")}-${randomBytes(4).toString("hex")}.bin`;
  const torn = readFully(fd, end, fs.fstatSync(fd).size - end);
  replaceStateFile(`${dir}/${name}`, [torn], true);
  fs.ftruncateSync(fd, end);
  return name;
}

/**
 * Writes a segment anew: without versions that are dropped, or since the pages of its file are not to be relied on any
 * more. In one step: a reader finds the segment as it was, or as it is. What sessions saw goes with it. Of a damaged one
 * nothing is dropped.
 */
export function rewriteWithout(path: string, shas: ReadonlySet<Sha>): void {
  readSegment(path, (file) => {
    const { size } = file.stat;
    const records = recordsOf(file, 0);
    if ((records.at(-1)?.end ?? 0) !== size)
      throw damaged("A segment of the journal is damaged: nothing of it can be dropped.");
    replaceStateFile(path, partsWithout(file.fd, records, shas), true);
    // Before anything is appended to the new file: its flush does not make its name safe.
    flushDirectory(dirname(path));
    removeQuietly(indexPath(path));
  });
}

function* partsWithout(fd: number, records: readonly RecordAt[], shas: ReadonlySet<Sha>): Generator<Buffer> {
  for (const { offset, end, seen, time, line: at, blobs } of records) {
    const kept = blobs.filter(({ sha }) => !shas.has(sha));
    if (kept.length === blobs.length && seen === undefined) yield readFully(fd, offset, end - offset);
    const line = at && readLineAt((start, length) => readFully(fd, start, length), at);
    if (kept.length === blobs.length || (line === null && kept.length === 0)) continue;
    const versions = kept.map(({ sha, size, offset: start }) =>
      start === 0 ? { sha } : { sha, size, parts: [readFully(fd, start, size)] },
    );
    yield encodeRecord({ ...(line && { line }), blobs: versions }, time);
  }
}

interface End {
  readonly open: OpenSegment | null;
  readonly tail: Tail;
}

/** The last segment, and the last entry, which may be torn or damaged. `settled`: entries up to this one were whole before. */
export function openEnd(segments: readonly Segment[], settled: number): End {
  const last = segments.at(-1);
  if (last === undefined) return { open: null, tail: START };
  const open = openSegment(last);
  try {
    const { size } = fs.fstatSync(open.fd);
    const after = last.firstSeq - 1;
    for (const record of wholeRecords(open.fd, after, { from: 0, to: size, settled })) addRecord(open, record);
    const line = open.lines.at(-1);
    const tail = line === undefined ? endOf(segments.slice(0, -1), after) : tailAt(open.fd, line);
    if (tail.seq !== settled - 1 || open.end === size) return { open, tail };
    // The record of the last one is there, and cannot be read: what is appended goes behind it.
    open.end = size;
    return { open, tail: { ...tail, seq: settled } };
  } catch (error) {
    closeQuietly(open.fd);
    throw error;
  }
}

/** One that was damaged keeps its number; what follows it chains to the hash that its bytes have now. */
function tailAt(fd: number, at: LineAt): Tail {
  const { entry, intact, computed } = readLine(readLineAt(windowOn(fd), at) ?? Buffer.alloc(0));
  return { seq: at.seq, hash: computed, at: intact && entry !== null ? entry.at : "" };
}

/** Of segments that are sealed. */
function endOf(segments: readonly Segment[], seq: number): Tail {
  const { open, tail } = openEnd(segments, seq);
  if (open !== null) closeQuietly(open.fd);
  if (tail.seq === seq) return tail;
  throw damaged(`Journal entry ${seq} is missing.`, { seq });
}
