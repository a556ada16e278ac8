// Bounds what the calls of one owner hold in memory: files they work on and unread answers. Where little is left, the next call waits.
import type { Cancellation } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";

export interface Allowance {
  /** Runs a call when there is room for it; refuses it, before anything is done, when there is none for long. */
  hold<T>(owner: string, call: Weighed, act: () => Promise<T>): Promise<T>;
  /** Bytes of answers that the owner's clients have not read yet. */
  unread(owner: string): number;
  /** So many more of them, or fewer. */
  count(owner: string, bytes: number): void;
}

export interface Weighed {
  /** The bytes that it works on. Asked only when it matters. */
  readonly needs: () => Promise<number>;
  readonly signal: Cancellation;
}

interface Account {
  calls: number;
  held: number;
  unread: number;
  /** When something was last given back: so long as that goes on, a call that waits gets its turn. */
  gaveAt: number;
  /** Calls that wait for room, in the order they came; each looks whether there is enough for it. */
  readonly waiting: Set<() => void>;
}

/** So many calls are let in without a look at their files, unless answers wait. */
const FEW = 2;
/** What each of them counts as: this part of the whole, which is more than the largest file. */
const UNSEEN = 1 / 4;
/** Any call and its answer. */
const MIN_BYTES = 64 * 1024;
/** When nothing is given back for so long, a call that waits is refused. */
const WAIT_MS = 10_000;

export function createAllowance(maxBytes: number, waitMs = WAIT_MS): Allowance {
  const accounts = new Map<string, Account>();

  function of(owner: string): Account {
    const account = accounts.get(owner) ?? {
      calls: 0,
      held: 0,
      unread: 0,
      gaveAt: performance.now(),
      waiting: new Set(),
    };
    accounts.set(owner, account);
    return account;
  }

  function hasRoom({ calls, held, unread }: Account, bytes: number): boolean {
    return (calls === 0 && unread === 0) || held + unread + bytes <= maxBytes;
  }

  function enter(account: Account, bytes: number): void {
    account.calls += 1;
    account.held += bytes;
  }

  function leave(owner: string, bytes: number): void {
    const account = of(owner);
    account.calls -= 1;
    account.held -= bytes;
    gave(owner, account);
  }

  function gave(owner: string, account: Account): void {
    account.gaveAt = performance.now();
    for (const look of account.waiting) look();
    if (account.calls === 0 && account.unread === 0 && account.waiting.size === 0) accounts.delete(owner);
  }

  /** Its place is taken when this resolves. */
  function room(account: Account, bytes: number, signal: Cancellation): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!hasRoom(account, bytes)) return;
        enter(account, bytes);
        end();
        resolve();
      };
      const giveUp = (): void => {
        const patience = account.gaveAt + waitMs - performance.now();
        if (!signal.aborted && patience > 0) {
          timer = setTimeout(giveUp, patience);
          return;
        }
        end();
        reject(signal.aborted ? cancelled(signal) : full(account, maxBytes));
      };
      let timer = setTimeout(giveUp, waitMs);
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        account.waiting.delete(look);
      };
      signal.addEventListener("abort", giveUp);
      account.waiting.add(look);
      if (signal.aborted) giveUp();
      else look();
    });
  }

  async function begin(owner: string, { needs, signal }: Weighed): Promise<number> {
    const account = of(owner);
    if (account.calls < FEW && account.unread === 0) {
      enter(account, maxBytes * UNSEEN);
      return maxBytes * UNSEEN;
    }
    const bytes = Math.max(MIN_BYTES, await needs());
    await room(of(owner), bytes, signal);
    return bytes;
  }

  return {
    async hold(owner, call, act) {
      const bytes = await begin(owner, call);
      try {
        return await act();
      } finally {
        // by then the answer is written, and counted as unread
        setImmediate(leave, owner, bytes);
      }
    },
    unread: (owner) => accounts.get(owner)?.unread ?? 0,
    count(owner, bytes) {
      const account = of(owner);
      account.unread += bytes;
      if (bytes < 0) gave(owner, account);
    },
  };
}

function full({ calls, unread }: Account, maxBytes: number): Refusal {
  const [waiting, most] = [unread, maxBytes].map((bytes) => (bytes / 1024 / 1024).toFixed(1));
  return new Refusal(
    "busy",
    `There is no room for this call: ${calls} others are being worked on, and ${waiting} MiB of answers have not been read, of ${most} MiB that a client may hold. Nothing was done.`,
    { next: "Read the answers to earlier calls, and try again with fewer at once." },
  );
}

function cancelled({ reason }: Cancellation): Refusal {
  return new Refusal("cancelled", "The call was cancelled.", {
    next: "Call again if it is still wanted.",
    cause: reason,
  });
}
