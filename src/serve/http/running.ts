// Requests under way: so many for each token, and what a shutdown waits for.
import { createShares } from "../calls/shares.ts";
import { busy, type Denial } from "./denial.ts";

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
