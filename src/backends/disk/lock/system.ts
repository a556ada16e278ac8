// The lock by the operating system: held by an open file, so it goes when its holder goes, however that ends.
import fs from "node:fs";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import type { Native } from "../native.ts";
import { openStateFile } from "../state-file.ts";
import { describeOwner, type Holder, ownerText } from "./holder.ts";

/**
 * A process that gives the lock back could take it again before one that waits gets to ask. That is quick, and unfair:
 * while others use it too, a turn is short, and a pause follows that is longer than those who wait sleep.
 */
export function systemHolder(native: Native, dir: string): Holder {
  // Of this one alone: when it is found here again, no other has taken the lock since.
  const record = Buffer.from(ownerText().padEnd(RECORD_BYTES));
  let held = openLockFile(`${dir}/held`);
  let isAlone = false;
  let wasTaken = false;
  let othersAt = Number.NEGATIVE_INFINITY;
  let turnSince = 0;
  let pauseUntil = 0;

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
      if (now - turnSince < TURN_MS || now - othersAt > OTHERS_MS) return;
      turnSince = 0;
      pauseUntil = now + PAUSE_MS;
    },
    describe: () => describeOwner(readRecord(held).toString()),
    close: () => fs.closeSync(held),
  };
}

const RECORD_BYTES = 256;
const TURN_MS = 20;
const PAUSE_MS = 3;
/** For so long others that had or wanted the lock count as still there. */
const OTHERS_MS = 1000;
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
