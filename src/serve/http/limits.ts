// What each caller may have: so many calls a second, so many at once; and the requests that a shutdown waits for.
import { busy, type Denial } from "./denial.ts";

export interface RateLimit {
  /** Takes `cost` out of the bucket; undefined when it was there, else after how many seconds it will be. */
  take(key: string, cost?: number): number | undefined;
  /** Whether the bucket is empty, without taking from it. */
  isEmpty(key: string): boolean;
}

/** Full buckets are forgotten; above this many keys the oldest one goes, so that addresses cannot fill the memory. */
const MAX_KEYS = 10_000;

export function createRateLimit({
  perSecond,
  burst,
}: {
  readonly perSecond: number;
  readonly burst: number;
}): RateLimit {
  const buckets = new Map<string, { level: number; at: number }>();

  function levelOf(key: string): number {
    const bucket = buckets.get(key);
    return bucket === undefined
      ? burst
      : Math.min(burst, bucket.level + ((performance.now() - bucket.at) / 1000) * perSecond);
  }

  return {
    take(key, cost = 1) {
      const level = levelOf(key);
      if (level < cost) return Math.max(1, Math.ceil((Math.min(cost, burst) - level) / perSecond));
      buckets.delete(key);
      buckets.set(key, { level: level - cost, at: performance.now() });
      if (buckets.size > MAX_KEYS) buckets.delete(buckets.keys().next().value!);
      return undefined;
    },

    isEmpty: (key) => levelOf(key) < 1,
  };
}

export interface Shares {
  /** False when the owner has as many as one may have. Else it holds one more, until it gives it back. */
  take(owner: string): boolean;
  giveBack(owner: string): void;
  held(owner: string): number;
}

export function createShares(most: number): Shares {
  const counts = new Map<string, number>();
  const held = (owner: string): number => counts.get(owner) ?? 0;
  return {
    take(owner) {
      if (held(owner) >= most) return false;
      counts.set(owner, held(owner) + 1);
      return true;
    },
    giveBack(owner) {
      if (held(owner) > 1) counts.set(owner, held(owner) - 1);
      else counts.delete(owner);
    },
    held,
  };
}

export interface Running {
  readonly closing: boolean;
  /** A request that is on its way in; `finished` settles when its answer is out. */
  enter(principal: string, finished: Promise<void>): Entered | Denial;
  /** Lets no request begin any more, and waits for calls, but not for streams, for at most so long. */
  close(graceMs: number): Promise<void>;
  /** Gives answers and streams that were just ended the time to go out. */
  drain(): Promise<void>;
}

export interface Entered {
  /** It has come in completely, and is a call: worth waiting for. Refused when a shutdown began meanwhile. */
  begin(): Denial | undefined;
  leave(): void;
}

const FLUSH_MS = 500;

export function createRunning(max: number): Running {
  const shares = createShares(max);
  const answers = new Set<Promise<void>>();
  const calls = new Set<Promise<void>>();
  let closing = false;
  return {
    get closing() {
      return closing;
    },
    enter(principal, finished) {
      if (closing) return CLOSING;
      if (!shares.take(principal)) return busy("Too many requests with this token are under way.");
      keepIn(answers, finished);
      return {
        begin() {
          if (closing) return CLOSING;
          keepIn(calls, finished);
          return undefined;
        },
        leave: () => shares.giveBack(principal),
      };
    },
    close(graceMs) {
      closing = true;
      return settledWithin(calls, graceMs);
    },
    drain: () => settledWithin(answers, FLUSH_MS),
  };
}

function keepIn(set: Set<Promise<void>>, finished: Promise<void>): void {
  set.add(finished);
  void finished.then(() => set.delete(finished));
}

async function settledWithin(promises: Iterable<Promise<void>>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.all(promises), late]);
  clearTimeout(timer);
}

const CLOSING: Denial = {
  status: 503,
  message: "The server is shutting down.",
  headers: { connection: "close", "retry-after": "5" },
};
