// The segment that entries are appended to: opening it, starting it, finding its last entry, clearing a torn end away.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Entry, EntryDraft } from "../../../core/backend.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import {
  damaged,
  ENDING_BYTES,
  hashOfEnding,
  placeAfter,
  readLine,
  START,
  seal,
  type Tail,
} from "../../journal/entry.ts";
import { errnoOf } from "../errno.ts";
import { closeQuietly } from "../io.ts";
import { NO_FOLLOW } from "../paths/pin.ts";
import { createStateFile, openStateFile, type StateFile } from "../state/file.ts";
import { journalFailure, linesBackward, openToRead, wholeEnd } from "./segment.ts";

export interface OpenSegment {
  readonly fd: number;
  /** False: it may be read only, or could be no more than that when it was opened. */
  readonly writable: boolean;
  readonly firstSeq: number;
  /** The offset behind the last whole line that was read. */
  end: number;
  size: number;
}

/** An entry that can still be removed. */
export interface Appended {
  readonly entry: Entry;
  readonly bytes: number;
  readonly before: Tail;
  /** The one before, where both were appended together. */
  readonly last: Appended | null;
}

/** Nothing of it counts as read yet. */
export function openSegment(path: string, firstSeq: number): OpenSegment {
  const { file, writable } = openToAppend(path);
  if (file === null) throw gone(firstSeq);
  return { fd: file.fd, writable, firstSeq, end: 0, size: file.stat.size };
}

/** The same file at the same place, to be written. */
export function openedToWrite(segment: OpenSegment, path: string): OpenSegment {
  const file = openStateFile(path, TO_APPEND);
  if (file === null) throw gone(segment.firstSeq);
  return { ...segment, fd: file.fd, writable: true };
}

export function createSegment(path: string, firstSeq: number): OpenSegment {
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = fs.constants;
  const fd = fs.openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | NO_FOLLOW, 0o600);
  return { fd, writable: true, firstSeq, end: 0, size: 0 };
}

/** Whether the last entry that was read is still there. */
export function endsWith({ fd, end }: OpenSegment, { hash }: Tail): boolean {
  if (end === 0) return true;
  const read = fs.readSync(fd, ENDING, 0, ENDING_BYTES, end - ENDING_BYTES);
  return read === ENDING_BYTES && hashOfEnding(ENDING) === hash;
}

const ENDING = Buffer.alloc(ENDING_BYTES);

export function lastEntry(segment: OpenSegment): Tail {
  const line = lastLine(segment.fd, segment.end);
  const { entry, intact } = readLine(line);
  if (entry !== null && intact && entry.seq >= segment.firstSeq) return tailAt(entry);
  throw damaged("The last entry of the journal was altered.");
}

/** What is kept in memory of the last entry, which may be large. */
export const tailAt = ({ seq, hash, at }: Entry): Tail => ({ seq, hash, at });

/** The tail when the last segment holds no entry yet: it was started, and the writing of its first line failed. */
export function tailBefore(segment: OpenSegment, previousPath: string | undefined): Tail {
  if (segment.firstSeq === 1) return START;
  if (previousPath === undefined) throw damaged("The journal has only its last, empty segment.");
  const previous = openSegment(previousPath, 0);
  try {
    previous.end = wholeEnd(previous.fd, 0, previous.size);
    const tail = previous.end > 0 ? lastEntry(previous) : START;
    if (tail.seq === segment.firstSeq - 1) return tail;
  } finally {
    closeQuietly(previous.fd);
  }
  throw damaged(`Journal entry ${segment.firstSeq - 1} is missing.`, { seq: segment.firstSeq - 1 });
}

/** All of it is here and nothing behind it: what else was done to the file was not done by stet. */
export function isAsLeft({ fd, end, size }: OpenSegment): boolean {
  if (end === 0 || size !== end) return false;
  const now = fs.fstatSync(fd);
  return now.nlink > 0 && now.size === end;
}

export interface Sealed {
  readonly entry: Entry;
  readonly bytes: Buffer;
  /** With all before it. */
  readonly upTo: number;
}

/** Each follows the one before. Up to the first that is no entry; throws when none is left. */
export function sealTogether(drafts: readonly EntryDraft[], tail: Tail, now: Date): Sealed[] {
  const sealed: Sealed[] = [];
  for (const draft of drafts) {
    try {
      const last = sealed.at(-1);
      const { entry, line } = seal(draft, placeAfter(last?.entry ?? tail, now));
      const bytes = Buffer.from(`${line}\n`);
      sealed.push({ entry, bytes, upTo: (last?.upTo ?? 0) + bytes.length });
    } catch (error) {
      if (sealed.length > 0) return sealed;
      throw error;
    }
  }
  return sealed;
}

/** Copies what follows the last whole line to a file of its own and makes that safe before it is cut off here. */
export function moveAside(segment: OpenSegment, dir: string, now: Date): string {
  const name = `torn-${now.toISOString().replaceAll(":", "-")}-${randomBytes(4).toString("hex")}.bin`;
  try {
    moveTo(segment, `${dir}/${name}`);
    return name;
  } catch (error) {
    throw journalFailure(error, "The torn tail of the journal could not be moved aside");
  }
}

function moveTo(segment: OpenSegment, path: string): void {
  const fd = createStateFile(path);
  try {
    copyTail(segment, fd);
    fs.fsyncSync(fd);
  } catch (error) {
    fs.rmSync(path, { force: true });
    throw error;
  } finally {
    closeQuietly(fd);
  }
  fs.ftruncateSync(segment.fd, segment.end);
  segment.size = segment.end;
}

function copyTail(segment: OpenSegment, to: number): void {
  const block = Buffer.allocUnsafe(COPY_BYTES);
  for (let at = segment.end; at < segment.size; ) {
    const count = fs.readSync(segment.fd, block, 0, Math.min(block.length, segment.size - at), at);
    if (count === 0) throw damaged("The journal became shorter while its torn tail was moved aside.");
    for (let done = 0; done < count; ) done += fs.writeSync(to, block, done, count - done);
    at += count;
  }
}

const COPY_BYTES = 256 * 1024;

/** A journal that may not be written can still be read. */
function openToAppend(path: string): { readonly file: StateFile | null; readonly writable: boolean } {
  try {
    return { file: openStateFile(path, TO_APPEND), writable: true };
  } catch (error) {
    if (!READ_ONLY.has(errnoOf(error) ?? "")) throw error;
    return { file: openToRead(path), writable: false };
  }
}

const TO_APPEND = {
  flags: fs.constants.O_RDWR | fs.constants.O_APPEND,
  maxBytes: JOURNAL_LIMITS.segmentBytes,
};

const READ_ONLY = new Set(["EACCES", "EPERM", "EROFS"]);

const gone = (seq: number) => damaged(`The segment of the journal that starts at entry ${seq} is gone.`, { seq });

function lastLine(fd: number, end: number): Buffer {
  for (const [line] of linesBackward(fd, end)) if (line !== undefined) return line;
  throw damaged("The journal became shorter while it was read.");
}
