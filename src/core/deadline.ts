// One deadline and one AbortSignal per call, asked between steps, never after a commit has begun.
import type { Cancellation } from "./cancellation.ts";
import { Refusal } from "./failure.ts";

export interface Deadline {
  /** Throws a refusal when the time is up or the caller has gone away. */
  check(): void;
  /** As `check`. What follows counts and must be told, so `untilSettled` waits for it: a commit, the note that a file was shown. */
  settle(): Resume;
  remainingMs(): number;
  /** The work's result, or a refusal when the time is up first. For work that changes nothing. */
  race<T>(work: T | Promise<T>): Promise<T>;
  /** The result of a whole call, or a refusal when the time is up before anything in it was settled. */
  untilSettled<T>(work: Promise<T>): Promise<T>;
}

/** Nothing came of it: the deadline holds again. Once. */
export type Resume = () => void;

export function startDeadline(ms: number, signal?: Cancellation): Deadline {
  const end = performance.now() + ms;
  const remainingMs = (): number => Math.max(0, end - performance.now());
  let settled = 0;
  /** Those that would have been cut while something was settled. */
  const missed = new Set<() => void>();
  // One for the whole call, so that it is journalled once wherever it is met.
  let refusal: Refusal | undefined;
  const over = (): Refusal => {
    refusal ??= signal?.aborted ? cancelled(signal) : timedOut(ms);
    return refusal;
  };
  const check = (): void => {
    if (refusal !== undefined || signal?.aborted || performance.now() >= end) throw over();
  };
  const race = async <T>(work: Promise<T>, mayCut: () => boolean): Promise<T> => {
    let stop = (): void => undefined;
    const cut = new Promise<never>((_resolve, reject) => {
      const refuse = (): void => {
        if (mayCut()) reject(over());
        else missed.add(refuse);
      };
      const listen = (): void => {
        if (signal?.aborted) refuse();
        const timer = setTimeout(refuse, timerMs({ remainingMs }));
        signal?.addEventListener("abort", refuse);
        stop = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", refuse);
          missed.delete(refuse);
        };
      };
      // Most calls are done within this turn: a timer and a listener are for those that are not.
      const nextTurn = setImmediate(listen);
      stop = () => clearImmediate(nextTurn);
    });
    try {
      return await Promise.race([work, cut]);
    } finally {
      stop();
    }
  };
  return {
    check,
    remainingMs,
    race: async (work) => (work instanceof Promise ? race(work, () => true) : work),
    untilSettled: (work) => race(work, () => settled === 0),
    settle() {
      check();
      settled += 1;
      return () => {
        settled -= 1;
        for (const refuse of [...missed]) refuse();
      };
    },
  };
}

/** Timers take no more; a longer one would fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** For a timer that ends what the deadline is for. */
export function timerMs({ remainingMs }: Pick<Deadline, "remainingMs">): number {
  return Math.min(remainingMs(), LONGEST_TIMER);
}

function timedOut(ms: number): Refusal {
  return new Refusal("timeout", `The call took longer than ${ms / 1000} s and was stopped.`, {
    next: "Try again, or ask for less in one call.",
  });
}

function cancelled(signal: Cancellation | undefined): Refusal {
  return new Refusal("cancelled", "The call was cancelled.", {
    next: "Call again if it is still wanted.",
    cause: signal?.reason,
  });
}
