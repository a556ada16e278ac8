// The one lock of a workspace: exclusive between calls, Workspace objects, threads, processes and containers on one mount.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { hostname } from "node:os";
import type { Cancellation } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { limit, type Place } from "../../core/queue.ts";
import { errnoOf } from "./errno.ts";
import { removeQuietly } from "./io.ts";
import { loadNative, type Native } from "./native.ts";
import { openStateFile, readStateFile } from "./state-file.ts";

export interface Release {
  /** Gives the lock back. Calling it again does nothing. */
  (): void;
  readonly isAlone: boolean;
  isHeld(): boolean;
}

export interface LockOptions {
  /** The directory as its owner knows it, for the words of a refusal. */
  readonly shownAs?: string;
  /** After this time without a sign of life a lease may be taken over. */
  readonly leaseMs?: number;
}

/** `dir` must exist. Nothing is opened before the lock is first needed: reading never needs it. */
export class Lock {
  readonly #open: () => Holder;
  #holder: Holder | undefined;
  /** Callers in this thread: the first of them asks the system. */
  readonly #queue = limit(1);
  #users = 0;
  #isHeld = false;
  #isClosed = false;

  constructor(dir: string, options: LockOptions = {}) {
    this.#open = () => openHolder(dir, options);
  }

  /** Refuses `busy`, saying who has it, when the time is over; when the signal is aborted, `cancelled` or its own refusal. */
  async acquire({ timeoutMs, signal }: { timeoutMs: number; signal?: Cancellation | undefined }): Promise<Release> {
    if (this.#isClosed) throw new Error("The lock was closed.");
    this.#holder ??= this.#open();
    const holder = this.#holder;
    const place = this.#queue.enter();
    this.#users++;
    let turn = place.turn?.then(() => {
      turn = undefined;
    });
    const until = performance.now() + timeoutMs;
    try {
      for (let tries = 0; ; tries++) {
        // First: a commit that another has taken along must not be made a second time.
        if (signal?.aborted) throw cancelled(signal);
        if (turn === undefined && holder.take()) return this.#hold(holder, place);
        const left = until - performance.now();
        if (left <= 0) throw busy(this.#isHeld ? "another call in this process" : holder.describe(), timeoutMs);
        await pause(turn === undefined ? Math.min(left, pauseAfter(tries)) : left, signal, turn);
      }
    } catch (error) {
      this.#leave(place);
      throw error;
    }
  }

  /** Who holds it keeps it, and who waits gets it; then the descriptors go. */
  close(): void {
    this.#isClosed = true;
    this.#closeIfUnused();
  }

  #hold(holder: Holder, place: Place): Release {
    this.#isHeld = true;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      holder.drop();
      this.#isHeld = false;
      this.#leave(place);
    };
    return Object.assign(release, { isAlone: holder.isAlone(), isHeld: holder.isHeld });
  }

  #leave(place: Place): void {
    this.#users--;
    place.leave();
    this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (!this.#isClosed || this.#users > 0) return;
    this.#holder?.close();
    this.#holder = undefined;
  }
}

/** Rarely when the holder takes really long. */
const pauseAfter = (tries: number): number => (tries < 1000 ? 0.5 + Math.random() * 2 : 10);

/** Until the time is over, the turn comes, or the signal is aborted. */
function pause(ms: number, signal: Cancellation | undefined, turn: Promise<void> | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    void turn?.then(end);
  });
}

export function cancelled({ reason }: Cancellation): Refusal {
  if (reason instanceof Refusal) return reason;
  return new Refusal("cancelled", "The call was cancelled while it waited for the workspace.", {
    next: "Call again if it is still wanted.",
    cause: reason,
  });
}

function busy(holder: string, waitedMs: number): Refusal {
  return new Refusal("busy", `The workspace is in use by ${holder}; waited ${waitedMs} ms.`, {
    next: "Try again in a moment.",
    details: { holder },
  });
}

/** Locks of the system differ between systems (record locks of the open file, whole-file locks), so the name says which. */
const SYSTEM = `system ${process.platform}`;
const LEASE = "lease";

/** The first process that opens a workspace chooses: processes that lock in different ways would not see each other. */
function openHolder(dir: string, { shownAs = dir, leaseMs }: LockOptions): Holder {
  const native = loadNative();
  const kind = recorded(dir) ?? record(dir, native);
  if (kind === LEASE) return leaseHolder(dir, leaseMs);
  if (kind === SYSTEM && typeof native !== "string") return systemHolder(native, dir);
  const why = kind === SYSTEM ? native : "this stet does not know it";
  const shown = /^[a-z0-9 ]{1,24}$/.test(kind) ? `"${kind}"` : "of a kind that stet did not write";
  const at = `${shownAs}/lock-kind`;
  throw new Refusal(
    "unsupported",
    `The lock of this workspace is ${shown}, recorded in ${at}, which cannot be used here: ${why}. Files can be read, but not changed.`,
    { next: `Stop every stet on this workspace, remove ${at}, and make the next change with this one.` },
  );
}

const recorded = (dir: string): string | undefined =>
  readStateFile(`${dir}/lock-kind`, JOURNAL_LIMITS.lockBytes)?.toString("utf8").trim();

/** Appears with its content, never empty, also after a power failure. */
function record(dir: string, native: Native | string): string {
  const mine = `${dir}/lock-kind.${randomBytes(8).toString("hex")}`;
  const fd = fs.openSync(mine, "wx", 0o600);
  try {
    fs.writeFileSync(fd, `${takesLocks(native, fd) ? SYSTEM : LEASE}\n`);
    fs.fsyncSync(fd);
    fs.linkSync(mine, `${dir}/lock-kind`);
  } catch {
    // Another process was faster, or there are no hard links: then the same choice may be made twice.
    if (recorded(dir) === undefined) fs.renameSync(mine, `${dir}/lock-kind`);
  } finally {
    fs.closeSync(fd);
    fs.rmSync(mine, { force: true });
  }
  return recorded(dir) ?? LEASE;
}

export function takesLocks(native: Native | string, fd: number): boolean {
  try {
    return typeof native !== "string" && native.tryLock(fd);
  } catch {
    return false;
  }
}

// The two ways to exclude other processes: the lock of the operating system, and a lease where there is none.

interface Holder {
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
function systemHolder(native: Native, dir: string): Holder {
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
  const file = openStateFile(path, flags);
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
function leaseHolder(dir: string, leaseMs = LEASE_MS): Holder {
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
