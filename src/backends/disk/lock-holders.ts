// The two ways to exclude other processes: the lock of the operating system, and a lease where there is none.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { hostname } from "node:os";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { errnoOf } from "./errno.ts";
import { removeQuietly } from "./io.ts";
import type { Native } from "./native.ts";
import { openStateFile, readStateFile } from "./state-file.ts";

export interface Holder {
  /** Tries once. */
  take(): boolean;
  /** Of a lock that is held: it is certain that no other process or thread has held it since this one did. */
  isAlone(): boolean;
  /** False: another process took it over, since this one gave no sign of life for too long. */
  isHeld(): boolean;
  /** Must not fail: the work is done, and those who wait must go on. */
  drop(): void;
  /** Who has it now, as far as can be told. */
  describe(): string;
  close(): void;
}

/**
 * Held by an open file, so it goes when its holder goes, however that ends. A process that gives it back could take it
 * again before one that waits gets to ask: while others use it too, a turn is short, and a pause follows it.
 */
export function systemHolder(native: Native, dir: string): Holder {
  // Of this one alone: when it is found here again, no other has taken the lock since.
  const record = Buffer.from(ownerText().padEnd(RECORD_BYTES));
  const spare = Buffer.alloc(RECORD_BYTES);
  let held = openLockFile(`${dir}/held`);
  let isAlone = false;
  let wasTaken = false;
  let othersAt = Number.NEGATIVE_INFINITY;
  let turnSince = 0;
  let pauseUntil = 0;

  const readRecord = (): Buffer => spare.subarray(0, fs.readSync(held, spare, 0, RECORD_BYTES, 0));

  function tryHeld(): boolean {
    if (!native.tryLock(held)) return false;
    if (fs.fstatSync(held).nlink > 0) return true;
    // The file was removed: processes that open it from now on would not see a lock on this one.
    const removed = held;
    held = openLockFile(`${dir}/held`);
    fs.closeSync(removed);
    return tryHeld();
  }

  /** On a full disk the lock works without; but the record of the holder before must not stay. */
  function writeRecord(): void {
    try {
      isAlone = readRecord().equals(record);
      if (!isAlone) fs.writeSync(held, record, 0, RECORD_BYTES, 0);
    } catch {
      fs.ftruncateSync(held, 0);
    }
  }

  return {
    take() {
      const now = performance.now();
      if (now < pauseUntil) return false;
      const isTaken = tryHeld();
      if (isTaken) writeRecord();
      if (!isTaken || (wasTaken && !isAlone)) othersAt = now;
      wasTaken ||= isTaken;
      turnSince = isTaken ? turnSince || now : 0;
      return isTaken;
    },
    isAlone: () => isAlone,
    isHeld: () => true,
    drop() {
      native.unlock(held);
      const now = performance.now();
      if (now - turnSince < MAX_TURN_MS || now - othersAt > OTHERS_MS) return;
      turnSince = 0;
      pauseUntil = now + PAUSE_MS;
    },
    describe: () => describeOwner(readRecord().toString()),
    close: () => fs.closeSync(held),
  };
}

const RECORD_BYTES = 256;
const MAX_TURN_MS = 20;
const PAUSE_MS = 3;
/** For so long others that had or wanted the lock count as still there. */
const OTHERS_MS = 1000;

function openLockFile(path: string): number {
  const flags = fs.constants.O_RDWR | fs.constants.O_CREAT;
  const file = openStateFile(path, { flags, maxBytes: JOURNAL_LIMITS.lockBytes });
  // Where it had to be made and could not, the directory itself is gone.
  if (file === null) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT", errno: -2 });
  return file.fd;
}

/** Longer than a program that still runs is ever held up. */
const LEASE_MS = 20_000;

/**
 * A file that its holder touches again and again, and that another takes over when that ends. Times are those that the
 * file system gives to two files, so clocks of machines do not matter, and it works across containers on one mount. Only
 * the process that makes `dead-NONCE` may replace the holder with that nonce; the time of that file is now.
 */
export function leaseHolder(dir: string, leaseMs = LEASE_MS): Holder {
  const owner = ownerText();
  const held = `${dir}/held`;
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function create(path: string): boolean {
    try {
      fs.writeFileSync(path, owner, { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (errnoOf(error) === "EEXIST") return false;
      // It may have been made, and not written.
      if (textOf(path) === "") removeQuietly(path);
      throw error;
    }
  }

  function takeOver(): boolean {
    // It costs writes, so it is tried now and then only.
    if (performance.now() - lookedAt < leaseMs / 20) return false;
    lookedAt = performance.now();
    const text = textOf(held);
    const right = `${dir}/dead-${nonceIn(text)}`;
    if (!create(right)) return false;
    try {
      if (textOf(held) !== text) return false;
      const aliveAt = fs.statSync(held, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
      if (fs.statSync(right).mtimeMs - aliveAt <= leaseMs) return false;
      fs.renameSync(right, held);
      return true;
    } finally {
      removeQuietly(right);
    }
  }

  /** Writes what is there already: the file system then gives the time. */
  function touch(): void {
    try {
      if (isHeld()) fs.writeFileSync(held, owner, { flag: "r+" });
    } catch {
      // The file is gone, or the disk is full: the next touch may come through.
    }
  }

  const isHeld = (): boolean => textOf(held) === owner;
  function drop(): void {
    clearInterval(timer);
    if (isHeld()) removeQuietly(held);
  }
  return {
    take() {
      // Of a holder that could not remove it, it is still there.
      if (!create(held) && !isHeld() && !takeOver()) return false;
      timer = setInterval(touch, leaseMs / 20).unref();
      return true;
    },
    isAlone: () => false,
    isHeld,
    drop,
    describe: () => `${describeOwner(textOf(held))} (if it runs no more, remove the file "held" of the lock)`,
    close: drop,
  };
}

const nonceIn = (text: string): string => /"nonce":"([0-9a-f]{16})"/.exec(text)?.[1] ?? "unknown";

/** Empty where it cannot be read. */
function textOf(path: string): string {
  try {
    return readStateFile(path, JOURNAL_LIMITS.lockBytes)?.toString("utf8") ?? "";
  } catch {
    return "";
  }
}

/** One line of text that no other holder has. */
const ownerText = (): string =>
  JSON.stringify({ pid: process.pid, host: hostname(), nonce: randomBytes(8).toString("hex") });

function describeOwner(text: string): string {
  const [, pid, host] = /^\{"pid":(\d{1,10}),"host":"([^"]{0,100})"/.exec(text) ?? [];
  if (pid === undefined) return "an unknown process";
  if (host !== hostname()) return `process ${pid} on another host, or in another container`;
  return Number(pid) === process.pid ? "another thread of this process" : `process ${pid}`;
}
