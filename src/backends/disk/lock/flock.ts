// The lock by the operating system: held by an open file, so it goes when its holder goes, however that ends.
import fs from "node:fs";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { loadNative, type Native } from "../native.ts";
import { createStateFile, openStateFile } from "../state/file.ts";
import type { Flavour, FlavourKind } from "./contract.ts";
import { describeOwner, newNonce, parseOwner, thisOwner } from "./owner.ts";

/** Its meaning differs between systems (record locks of the open file, whole-file locks), so the name says which. */
export const flock: FlavourKind = {
  kind: `flock ${process.platform}`,

  unusable(dir) {
    const native = loadNative();
    if (typeof native === "string") return native;
    const probe = `${dir}/probe-${newNonce()}`;
    const fd = createStateFile(probe);
    try {
      return native.tryLock(fd) ? null : "the file system does not grant locks";
    } catch (error) {
      return `the file system takes no locks (${(error as NodeJS.ErrnoException).code})`;
    } finally {
      fs.closeSync(fd);
      fs.unlinkSync(probe);
    }
  },

  open(dir) {
    const native = loadNative();
    if (typeof native === "string") throw new Error(native);
    return openFlock(native, dir);
  },
};

/**
 * A process that gives the lock back could take it again before one that waits gets to ask. That is quick, and unfair,
 * so it is allowed for a short turn only: then the lock is left to others if there are any, which they show by a shared
 * lock on a second file while they wait.
 */
function openFlock(native: Native, dir: string): Flavour {
  const heldPath = `${dir}/held`;
  // Of this one alone: when it is found here again, no other has taken the lock since.
  const record = Buffer.from(`${JSON.stringify(thisOwner(newNonce())).padEnd(RECORD_BYTES - 1)}\n`);
  let fd = openLockFile(heldPath);
  const waiting = openBeside(fd, `${dir}/waiting`);
  let inLine = false;
  let alone = false;
  let turn: { readonly began: number; ceded: number | null } | null = null;

  function leaveLine(): void {
    if (inLine) native.unlock(waiting);
    inLine = false;
  }

  function othersWait(): boolean {
    if (!native.tryLock(waiting)) return true;
    native.unlock(waiting);
    return false;
  }

  function mustCede(now: number): boolean {
    if (turn === null || now - turn.began < TURN_MS) return false;
    if (turn.ceded === null && othersWait()) turn.ceded = now;
    if (turn.ceded !== null && now - turn.ceded < CEDE_MS && readRecord(fd).equals(record)) return true;
    turn = null;
    return false;
  }

  function tryHeld(): boolean {
    if (!native.tryLock(fd)) return false;
    try {
      if (fs.fstatSync(fd).nlink > 0) return true;
      // the file was removed: processes that open it from now on would not see a lock on this one
      const removed = fd;
      fd = openLockFile(heldPath);
      fs.closeSync(removed);
    } catch (error) {
      native.unlock(fd);
      throw error;
    }
    return tryHeld();
  }

  function writeOwn(): void {
    try {
      alone = readRecord(fd).equals(record);
      if (!alone) writeRecord(fd, record);
    } catch (error) {
      native.unlock(fd);
      throw error;
    }
  }

  return {
    take(waits) {
      const now = performance.now();
      if (mustCede(now)) return false;
      if (!tryHeld()) {
        turn = null;
        inLine ||= waits && native.tryLock(waiting, { shared: true });
        return false;
      }
      turn ??= { began: now, ceded: null };
      leaveLine();
      writeOwn();
      return true;
    },
    isAlone: () => alone,
    giveUp: leaveLine,
    drop: () => native.unlock(fd),
    holder: () => describeOwner(parseOwner(readRecord(fd).toString())),
    close() {
      fs.closeSync(fd);
      fs.closeSync(waiting);
    },
  };
}

const RECORD_BYTES = 256;
const TURN_MS = 5;
/** Longer than those who wait sleep between two tries. */
const CEDE_MS = 10;

function openLockFile(path: string): number {
  const { O_RDWR, O_CREAT } = fs.constants;
  const file = openStateFile(path, { flags: O_RDWR | O_CREAT, maxBytes: JOURNAL_LIMITS.lockBytes });
  // Where it had to be made and could not, the directory itself is gone.
  if (file === null) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT", errno: -2 });
  return file.fd;
}

/** Both or neither. */
function openBeside(first: number, path: string): number {
  try {
    return openLockFile(path);
  } catch (error) {
    fs.closeSync(first);
    throw error;
  }
}

/** On a full disk the lock works without; but the record of the holder before must not stay. */
function writeRecord(fd: number, record: Buffer): void {
  try {
    fs.writeSync(fd, record, 0, record.length, 0);
  } catch {
    fs.ftruncateSync(fd, 0);
  }
}

/** Good until the next one is read. */
function readRecord(fd: number): Buffer {
  return RECORD.subarray(0, fs.readSync(fd, RECORD, 0, RECORD_BYTES, 0));
}

const RECORD = Buffer.alloc(RECORD_BYTES);
