// What a way to exclude other processes must be able to do, and how the process that has the lock is described to those who wait.
import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

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

/** One line of text that no other holder has. Process numbers mean something within one start of a machine and one container only. */
export function ownerText(): string {
  return JSON.stringify({ pid: process.pid, where: where(), nonce: randomBytes(8).toString("hex") });
}

export function describeOwner(text: string): string {
  const [, pid, at] = /^\{"pid":(\d{1,10}),"where":"([^"]{0,100})"/.exec(text) ?? [];
  if (pid === undefined) return "an unknown process";
  if (at !== where()) return `process ${pid} of another container or machine, or of before a restart`;
  return Number(pid) === process.pid ? "another thread of this process" : `process ${pid}`;
}

function where(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
