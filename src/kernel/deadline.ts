// One deadline and one AbortSignal per call, asked between steps, never after a commit has begun.
import { Refusal } from "./failure.ts";

export interface Deadline {
  /** Throws a refusal when the time is up or the caller has gone away. */
  check(): void;
  remainingMs(): number;
  /** The work's result, or a refusal when the time is up first. For work that changes nothing. */
  race<T>(work: T | Promise<T>): Promise<T>;
}

export function startDeadline(ms: number, signal?: AbortSignal): Deadline {
  const end = performance.now() + ms;
  return {
    remainingMs: () => Math.max(0, end - performance.now()),
    async race(work) {
      if (!(work instanceof Promise)) return work;
      let stop: () => void = () => undefined;
      const over = new Promise<never>((_resolve, reject) => {
        const timer = setTimeout(() => reject(timedOut(ms)), Math.max(0, end - performance.now()));
        const aborted = (): void => reject(cancelled(signal));
        signal?.addEventListener("abort", aborted, { once: true });
        stop = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", aborted);
        };
      });
      try {
        return await Promise.race([work, over]);
      } finally {
        stop();
      }
    },
    check() {
      if (signal?.aborted) throw cancelled(signal);
      if (performance.now() >= end) throw timedOut(ms);
    },
  };
}

function timedOut(ms: number): Refusal {
  return new Refusal("timeout", `The call took longer than ${ms / 1000} s and was stopped before anything changed.`, {
    next: "Try again, or ask for less in one call.",
  });
}

function cancelled(signal: AbortSignal | undefined): Refusal {
  return new Refusal("cancelled", "The call was cancelled before anything was changed.", { cause: signal?.reason });
}
