// The one lock of a workspace: exclusive between calls, Workspace objects, threads and processes, whatever ends them.
import type { Flavour } from "./lock-flavour.ts";
import { recordedKind } from "./lock-kind.ts";
import { type AcquireOptions, LockQueue, type Release } from "./lock-queue.ts";

export interface Lock {
  readonly kind: string;
  /** Null when somebody has it or waits for it. */
  tryAcquire(): Release | null;
  /** Refuses `busy`, saying who has it, when the time is over; `cancelled` when the signal says so. */
  acquire(options: AcquireOptions): Promise<Release>;
  close(): void;
}

export interface LockOptions {
  /** For a directory that has no lock yet; otherwise what is recorded there is used. */
  readonly flavour?: "flock" | "link";
}

/** `dir` must exist and hold nothing but the lock. */
export function openLock(dir: string, options: LockOptions = {}): Lock {
  const { flavour, identity } = recordedKind(dir, options.flavour);
  const shared = share(identity, () => flavour.open(dir));
  let closed = false;
  return {
    kind: flavour.kind,
    tryAcquire: () => (closed ? null : shared.queue.tryAcquire()),
    acquire: (how) => (closed ? Promise.reject(new Error("The lock was closed.")) : shared.queue.acquire(how)),
    close() {
      if (closed) return;
      closed = true;
      if (--shared.users === 0) {
        SHARED.delete(identity);
        shared.queue.close();
      }
    },
  };
}

interface Shared {
  readonly queue: LockQueue;
  users: number;
}

/** One queue for each lock in this thread, so that those who wait here wait in line and only the first one asks the system. */
const SHARED = new Map<string, Shared>();

function share(identity: string, open: () => Flavour): Shared {
  const known = SHARED.get(identity);
  if (known !== undefined) {
    known.users++;
    return known;
  }
  const shared = { queue: new LockQueue(open()), users: 1 };
  SHARED.set(identity, shared);
  return shared;
}
