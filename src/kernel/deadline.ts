// One deadline and one AbortSignal per call, asked between steps, never after a commit has begun.
import { Refusal } from "./failure.ts";

export interface Deadline {
  /** Throws a refusal when the time is up or the caller has gone away. */
  check(): void;
  remainingMs(): number;
}

export function startDeadline(ms: number, signal?: AbortSignal): Deadline {
  const end = performance.now() + ms;
  return {
    remainingMs: () => Math.max(0, end - performance.now()),
    check() {
      if (signal?.aborted) {
        throw new Refusal("cancelled", "The call was cancelled before anything was changed.", { cause: signal.reason });
      }
      if (performance.now() < end) return;
      throw new Refusal(
        "timeout",
        `The call took longer than ${ms / 1000} s and was stopped before anything changed.`,
        {
          next: "Try again, or ask for less in one call.",
        },
      );
    },
  };
}
