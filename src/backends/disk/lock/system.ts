// The lock by the operating system: held by an open file, so it goes when its holder goes, however that ends.
import fs from "node:fs";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import type { Native } from "../native.ts";
import { openStateFile } from "../state-file.ts";
import { describeOwner, type Holder, ownerText } from "./holder.ts";

/**
 * A process that gives the lock back could take it again before one that waits gets to ask. That is quick, and unfair,
 * so it is allowed for a short turn only: then the lock is left to others if there are any, which they show by a shared
 * lock on a second file while they wait.
 */
export function systemHolder(native: Native, dir: string): Holder {
  // Of this one alone: when it is found here again, no other has taken the lock since.
  const record = Buffer.from(ownerText().padEnd(RECORD_BYTES));
  let held = openLockFile(`${dir}/held`);
  const waiting = openLockFile(`${dir}/waiting`);
  let isInLine = false;
  let isAlone = false;
  let turnSince = 0;
  let cededAt = 0;

  function othersWait(): boolean {
    if (!native.tryLock(waiting)) return true;
    native.unlock(waiting);
    return false;
  }

  function mustCede(now: number): boolean {
    if (turnSince === 0 || now - turnSince < TURN_MS) return false;
    if (cededAt === 0 && othersWait()) cededAt = now;
    if (cededAt > 0 && now - cededAt < CEDE_MS && readRecord(held).equals(record)) return true;
    turnSince = cededAt = 0;
    return false;
  }

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
      isAlone = readRecord(held).equals(record);
      if (!isAlone) fs.writeSync(held, record, 0, RECORD_BYTES, 0);
    } catch {
      fs.ftruncateSync(held, 0);
    }
  }

  function giveUp(): void {
    if (isInLine) native.unlock(waiting);
    isInLine = false;
  }

  return {
    take() {
      const now = performance.now();
      if (mustCede(now)) return false;
      if (!tryHeld()) {
        turnSince = 0;
        isInLine ||= native.tryLock(waiting, { shared: true });
        return false;
      }
      turnSince ||= now;
      giveUp();
      writeRecord();
      return true;
    },
    isAlone: () => isAlone,
    isHeld: () => true,
    giveUp,
    drop: () => native.unlock(held),
    describe: () => describeOwner(readRecord(held).toString()),
    close() {
      fs.closeSync(held);
      fs.closeSync(waiting);
    },
  };
}

const RECORD_BYTES = 256;
const TURN_MS = 5;
/** Longer than those who wait sleep between two tries. */
const CEDE_MS = 10;
const { O_RDWR, O_CREAT } = fs.constants;

function openLockFile(path: string): number {
  const file = openStateFile(path, { flags: O_RDWR | O_CREAT, maxBytes: JOURNAL_LIMITS.lockBytes });
  // Where it had to be made and could not, the directory itself is gone.
  if (file === null) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT", errno: -2 });
  return file.fd;
}

const SPARE = Buffer.alloc(RECORD_BYTES);

/** Good until the next one is read. */
function readRecord(fd: number): Buffer {
  return SPARE.subarray(0, fs.readSync(fd, SPARE, 0, RECORD_BYTES, 0));
}
