// How far the files of the tree follow the log: numbers that are written after each commit, and never flushed.
import fs from "node:fs";
import { uptime } from "node:os";
import { dirname } from "node:path";
import { errnoOf } from "./errno.ts";
import { flushDirectory } from "./io.ts";
import { NO_FOLLOW } from "./paths/pin.ts";
import { replaceStateFile } from "./state-file.ts";

export interface Reached {
  /** Up to this entry the files are in place, unless the power failed since. */
  readonly placed: number;
  /** Up to this entry the files are safe on the disk. */
  readonly safe: number;
  /** False: the machine was started anew since, so what is not safe may be lost. */
  readonly isSameBoot: boolean;
}

export interface Mark {
  /** Null where nothing was marked: the tree is as it is, and nothing is left to do for it. */
  read(): Reached | null;
  place(seq: number): void;
  secure(seq: number): void;
  /** Something is left half done: until `resume`, which a recovery calls, nothing more counts as placed. */
  hold(): void;
  resume(): void;
  close(): void;
}

/** Safe from a power failure: one that is missing means that there is nothing to recover. */
export function makeMark(path: string, seq = 0): void {
  replaceStateFile(path, [encode(seq)], true);
  flushDirectory(dirname(path));
}

export function openMark(path: string): Mark {
  const bytes = Buffer.alloc(MARK_BYTES);
  let fd: number | undefined;
  let isHeld = false;
  const write = (seq: number, from: number, to: number): void => {
    fd ??= openToWrite(path);
    if (fd === undefined) makeMark(path, seq);
    else fs.writeSync(fd, encode(seq), from, to - from, from);
  };
  return {
    read() {
      fd ??= openToWrite(path);
      if (fd === undefined || fs.readSync(fd, bytes, 0, MARK_BYTES, 0) < MARK_BYTES) return null;
      const isSameBoot = isThisBoot(bytes.toString("latin1", 8, SAFE_AT));
      return { placed: bytes.readDoubleLE(0), safe: bytes.readDoubleLE(SAFE_AT), isSameBoot };
    },
    place(seq) {
      if (!isHeld) write(seq, 0, SAFE_AT);
    },
    secure: (seq) => write(seq, SAFE_AT, MARK_BYTES),
    hold() {
      isHeld = true;
    },
    resume() {
      isHeld = false;
    },
    close() {
      if (fd !== undefined) fs.closeSync(fd);
      fd = undefined;
    },
  };
}

function encode(seq: number): Buffer {
  const bytes = Buffer.alloc(MARK_BYTES);
  bytes.writeDoubleLE(seq, 0);
  BOOT.copy(bytes, 8);
  bytes.writeDoubleLE(seq, SAFE_AT);
  return bytes;
}

/** A history that may not be written can still be read. */
function openToWrite(path: string): number | undefined {
  try {
    return fs.openSync(path, fs.constants.O_RDWR | NO_FOLLOW);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    return fs.openSync(path, fs.constants.O_RDONLY | NO_FOLLOW);
  }
}

/** Changes with every start of the machine. */
const BOOT = Buffer.from(bootId().padEnd(36).slice(0, 36), "latin1");
const SAFE_AT = 8 + BOOT.length;
const MARK_BYTES = SAFE_AT + 8;

/** Where there is no id, the second of the start, which a clock that is set moves a little. */
function bootId(): string {
  try {
    return fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return `${Math.round(Date.now() / 1000 - uptime())}`;
  }
}

function isThisBoot(id: string): boolean {
  const here = BOOT.toString("latin1");
  return id === here || Math.abs(Number(id) - Number(here)) < MAX_CLOCK_STEP_S;
}

/** No machine starts twice in this time. */
const MAX_CLOCK_STEP_S = 10;
