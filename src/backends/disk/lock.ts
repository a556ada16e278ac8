// The one lock of a workspace: exclusive between calls, Workspace objects, threads, processes and containers on one mount.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Cancellation } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { limit, type Place } from "../../core/queue.ts";
import { type Holder, leaseHolder, systemHolder } from "./lock-holders.ts";
import { loadNative, type Native } from "./native.ts";
import { readStateFile } from "./state-file.ts";

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
