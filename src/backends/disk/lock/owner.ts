// Who holds a lock, written so that another process can tell by fact, never by time, whether that thread still runs.
import { randomBytes } from "node:crypto";
import fs from "node:fs";

export interface Owner {
  readonly pid: number;
  /** The thread as the kernel numbers it: a thread can end while its process lives on. */
  readonly thread: number;
  /** When that thread started, in clock ticks since boot: numbers are used again, this pair is not. */
  readonly start: string;
  readonly boot: string;
  readonly pidNamespace: string;
  readonly nonce: string;
}

/** Empty where the system does not tell: such an owner can never be judged. */
export function thisOwner(nonce: string): Owner {
  const [pid, , thread] = readLink("/proc/thread-self").split("/").map(Number);
  // another number means that /proc shows the processes of another namespace than ours
  const known = pid === process.pid && thread !== undefined;
  return {
    pid: process.pid,
    thread: known ? thread : 0,
    start: known ? (startOf(readProc(`/proc/${pid}/task/${thread}/stat`)) ?? "") : "",
    ...factsHere(),
    nonce,
  };
}

/** True when it certainly runs no more; false when it runs, or when that cannot be told here. */
export function isDead(owner: Owner, dir: string): boolean {
  const facts = factsHere();
  if (owner.boot === "" || facts.boot === "" || owner.start === "") return false;
  if (owner.boot !== facts.boot) return isLocalDisk(dir);
  if (owner.pidNamespace !== facts.pidNamespace || owner.pidNamespace === "") return false;
  return readLink("/proc/self") === String(process.pid) && hasEnded(owner);
}

/** Null for what no stet wrote. The nonce becomes a part of names, so it is none other than stet makes, or empty. */
export function parseOwner(text: string): Owner | null {
  try {
    const { pid, thread, start, boot, pidNamespace, nonce } = JSON.parse(text) as Record<keyof Owner, unknown>;
    if (!isNumber(pid) || pid === 0 || !isNumber(thread)) return null;
    if (!isShort(start) || !isShort(boot) || !isShort(pidNamespace)) return null;
    if (typeof nonce !== "string" || !(nonce === "" || NONCE.test(nonce))) return null;
    return { pid, thread, start, boot, pidNamespace, nonce };
  } catch {
    return null;
  }
}

export const newNonce = (): string => randomBytes(8).toString("hex");

const NONCE = /^[0-9a-f]{16}$/;

/** As the kernel numbers processes and threads. */
function isNumber(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length <= 100;
}

export function describeOwner(owner: Owner | null): string {
  if (owner === null) return "an unknown process";
  const facts = factsHere();
  if (owner.boot !== facts.boot) return `process ${owner.pid} of another machine or of before a restart`;
  if (owner.pidNamespace !== facts.pidNamespace) return `process ${owner.pid} of another container`;
  return owner.pid === process.pid ? "another thread of this process" : `process ${owner.pid}`;
}

interface Facts {
  readonly boot: string;
  readonly pidNamespace: string;
}

let facts: Facts | undefined;

function factsHere(): Facts {
  facts ??= {
    boot: (readProc("/proc/sys/kernel/random/boot_id") ?? "").trim(),
    pidNamespace: readLink("/proc/self/ns/pid"),
  };
  return facts;
}

/** A /proc that hides the processes of others looks as if they had ended: then only the kernel's word counts. */
function hasEnded({ pid, thread, start }: Owner): boolean {
  const stat = readProc(`/proc/${pid}/task/${thread}/stat`);
  if (stat !== null) return startOf(stat) !== start;
  return !exists(pid) || readProc(`/proc/${pid}/stat`) !== null;
}

/** Field 22 of `stat`, null for a zombie. Field 2 is a name in brackets that may itself hold spaces and brackets. */
function startOf(stat: string | null): string | null {
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ENDED.has(fields[0] ?? "") ? null : (fields[19] ?? null);
}

const ENDED = new Set(["Z", "X", "x"]);

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Only one kernel at a time can mount these, so a holder that another kernel wrote down is gone. */
const LOCAL_DISKS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
  0x01021994, // tmpfs
  0x794c7630, // overlay, whose writable layer must itself be local
]);

function isLocalDisk(dir: string): boolean {
  try {
    return LOCAL_DISKS.has(fs.statfsSync(dir).type);
  } catch {
    return false;
  }
}

/** Null when it is not there; whatever else prevents reading says nothing about a process and is thrown. */
function readProc(path: string): string | null {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}

function readLink(path: string): string {
  try {
    return fs.readlinkSync(path);
  } catch {
    return "";
  }
}
