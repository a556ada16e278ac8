// The segment that entries are appended to: opening it, starting it, finding its last entry, clearing a torn end away.
import fs from "node:fs";
import type { Sha } from "../backend.ts";
import { damaged, GENESIS, readLine } from "../entry.ts";
import { linesBackward, wholeEnd } from "./segment.ts";

export interface OpenSegment {
  readonly fd: number;
  /** False: it may be read only, or could be no more than that when it was opened. */
  readonly writable: boolean;
  readonly firstSeq: number;
  /** The offset behind the last whole line that was read. */
  end: number;
  size: number;
}

/** The last entry of a journal, or where it starts. */
export interface Tail {
  readonly seq: number;
  readonly hash: Sha;
}

export const START: Tail = { seq: 0, hash: GENESIS };

/** Nothing of it counts as read yet. */
export function openSegment(path: string, firstSeq: number): OpenSegment {
  const { fd, writable } = openToAppend(path);
  return { fd, writable, firstSeq, end: 0, size: fs.fstatSync(fd).size };
}

/** The same file at the same place, to be written. */
export function openedToWrite(segment: OpenSegment, path: string): OpenSegment {
  return { ...segment, fd: fs.openSync(path, TO_APPEND), writable: true };
}

export function createSegment(path: string, firstSeq: number): OpenSegment {
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
  const fd = fs.openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  return { fd, writable: true, firstSeq, end: 0, size: 0 };
}

export function lastEntry(segment: OpenSegment): Tail {
  const line = lastLine(segment.fd, segment.end);
  const { entry, intact } = readLine(line);
  if (entry !== null && intact && entry.seq >= segment.firstSeq) return { seq: entry.seq, hash: entry.hash };
  throw damaged("The last entry of the journal was altered.");
}

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
    fs.closeSync(previous.fd);
  }
  throw damaged(`Journal entry ${segment.firstSeq - 1} is missing.`, { seq: segment.firstSeq - 1 });
}

/** Copies what follows the last whole line to another file and makes that safe before it is cut off here. */
export function moveAside(segment: OpenSegment, path: string): void {
  const torn = Buffer.alloc(segment.size - segment.end);
  for (let done = 0; done < torn.length; ) {
    const count = fs.readSync(segment.fd, torn, done, torn.length - done, segment.end + done);
    if (count === 0) throw damaged("The journal became shorter while its torn tail was moved aside.");
    done += count;
  }
  try {
    fs.writeFileSync(path, torn, { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") fs.rmSync(path, { force: true });
    throw error;
  }
  fs.ftruncateSync(segment.fd, segment.end);
  segment.size = segment.end;
}

/** A journal that may not be written can still be read. */
function openToAppend(path: string): Pick<OpenSegment, "fd" | "writable"> {
  try {
    return { fd: fs.openSync(path, TO_APPEND), writable: true };
  } catch (error) {
    if (!READ_ONLY.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return { fd: fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW), writable: false };
  }
}

const TO_APPEND = fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW;

const READ_ONLY = new Set(["EACCES", "EPERM", "EROFS"]);

function lastLine(fd: number, end: number): Buffer {
  for (const [line] of linesBackward(fd, end)) if (line !== undefined) return line;
  throw damaged("The journal became shorter while it was read.");
}
