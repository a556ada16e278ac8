// The one lock of a workspace: exclusive between calls, Workspace objects, threads and processes, whatever ends them.
import { closeSync } from "node:fs";
import { type RecordedKind, recordedKind } from "./kind.ts";
import { type AcquireOptions, LockQueue, type Release } from "./queue.ts";

export interface Lock {
  readonly kind: string;
  /** Null when it is held or waited for. */
  tryAcquire(): Release | null;
  /** Refuses `busy`, saying who has it, when the time is over; `cancelled` when the signal says so. */
  acquire(options: AcquireOptions): Promise<Release>;
  close(): void;
}

export interface LockOptions {
  /** For a directory that has no lock yet; otherwise what is recorded there is used. */
  readonly flavour?: "flock" | "link";
  /** The directory as its owner knows it, for the words of a refusal. */
  readonly shownAs?: string;
}

/** `dir` must exist and hold nothing but the lock. */
export function openLock(dir: string, options: LockOptions = {}): Lock {
  const recorded = recordedKind(dir, options.flavour, options.shownAs);
  const { flavour, identity } = recorded;
  const shared = share(recorded, dir);
  let closed = false;
  return {
    kind: flavour.kind,
    tryAcquire: () => (closed ? null : taken(shared.queue.tryAcquire())),
    async acquire(how) {
      if (closed) throw new Error("The lock was closed.");
      return taken(await shared.queue.acquire(how));
    },
    close() {
      if (closed) return;
      closed = true;
      if (--shared.users === 0) {
        SHARED.delete(identity);
        shared.queue.close();
        closeSync(shared.pin);
      }
    },
  };

  /** Others in this thread use the same queue. */
  function taken<R extends Release | null>(release: R): R {
    if (release === null) return release;
    const isAlone = release.isAlone && shared.last === recorded;
    shared.last = recorded;
    return Object.assign(release, { isAlone });
  }
}

/** Opened when it is first needed: reading never needs it, and gets along with a kind that this process cannot use. */
export function lockWhenNeeded(dir: string, options: LockOptions): Pick<Lock, "acquire" | "close"> {
  let lock: Lock | undefined;
  return {
    async acquire(how) {
      lock ??= openLock(dir, options);
      return lock.acquire(how);
    },
    close: () => lock?.close(),
  };
}

interface Shared {
  readonly queue: LockQueue;
  readonly pin: number;
  users: number;
  /** Who of them had it last. */
  last: unknown;
}

/** One queue for each lock in this thread, so that those who wait here wait in line and only the first one asks the system. */
const SHARED = new Map<string, Shared>();

function share({ flavour, identity, pin }: RecordedKind, dir: string): Shared {
  const known = SHARED.get(identity);
  if (known !== undefined) {
    closeSync(pin);
    known.users++;
    return known;
  }
  try {
    const shared = { queue: new LockQueue(flavour.open(dir)), pin, users: 1, last: undefined };
    SHARED.set(identity, shared);
    return shared;
  } catch (error) {
    closeSync(pin);
    throw error;
  }
}
