// The lock without the system's own: a file that its holder touches again and again, and that another takes over when that ends.
import fs from "node:fs";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { errnoOf } from "../errno.ts";
import { removeQuietly } from "../io.ts";
import { readStateFile } from "../state-file.ts";
import { describeOwner, type Holder, ownerText } from "./holder.ts";

/** Longer than a program that still runs is ever held up. One that is stopped for longer learns from `isHeld` that it lost the lock. */
const LEASE_MS = 20_000;

/**
 * Times are compared as the file system gives them to two files, so the clocks of machines do not matter. Only the process that makes
 * `dead-NONCE` may replace the holder with that nonce.
 */
export function leaseHolder(dir: string, leaseMs = LEASE_MS): Holder {
  const owner = ownerText();
  const held = `${dir}/held`;
  const clock = `${dir}/clock-${nonceIn(owner)}`;
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function create(path: string): boolean {
    let fd: number;
    try {
      fd = fs.openSync(path, "wx", 0o600);
    } catch (error) {
      if (errnoOf(error) === "EEXIST") return false;
      throw error;
    }
    try {
      fs.writeFileSync(fd, owner);
      return true;
    } catch (error) {
      removeQuietly(path);
      throw error;
    } finally {
      fs.closeSync(fd);
    }
  }

  function isStale(): boolean {
    fs.writeFileSync(clock, "");
    const then = fs.statSync(held, { throwIfNoEntry: false })?.mtimeMs;
    return then !== undefined && fs.statSync(clock).mtimeMs - then > leaseMs;
  }

  function takeOver(): boolean {
    // It costs writes, so it is tried now and then only.
    if (performance.now() - lookedAt < leaseMs / 20) return false;
    lookedAt = performance.now();
    const text = textOf(held);
    const right = `${dir}/dead-${nonceIn(text)}`;
    if (!isStale() || !create(right)) return false;
    try {
      if (textOf(held) !== text || !isStale()) return false;
      fs.renameSync(right, held);
      return true;
    } finally {
      removeQuietly(right);
    }
  }

  const isHeld = (): boolean => textOf(held) === owner;
  const remove = (): void => {
    if (isHeld()) removeQuietly(held);
  };
  return {
    take() {
      // Of a holder that could not remove it, it is still there.
      if (!create(held) && !isHeld() && !takeOver()) return false;
      timer = setInterval(() => isHeld() && touch(held, owner), leaseMs / 20).unref();
      return true;
    },
    isAlone: () => false,
    isHeld,
    drop() {
      clearInterval(timer);
      remove();
    },
    describe: () => `${describeOwner(textOf(held))} (if it runs no more, remove the file "held" of the lock)`,
    close() {
      remove();
      removeQuietly(clock);
    },
  };
}

/** Writes what is there already: the file system then gives the time. Without a sign of life another process takes over. */
function touch(path: string, text: string): void {
  try {
    fs.writeFileSync(path, text, { flag: "r+" });
  } catch {
    // The file is gone, or the disk is full: the next touch may come through.
  }
}

function nonceIn(text: string): string {
  return /"nonce":"([0-9a-f]{16})"/.exec(text)?.[1] ?? "unknown";
}

/** Empty where it cannot be read. */
function textOf(path: string): string {
  try {
    return readStateFile(path, JOURNAL_LIMITS.lockBytes)?.toString("utf8") ?? "";
  } catch {
    return "";
  }
}
