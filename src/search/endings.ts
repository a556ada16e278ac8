// How a search says that it was ended before it was done.
import type { Cancellation, Deadline } from "../kernel/deadline.ts";
import { Refusal } from "../kernel/failure.ts";

/** Timers take no more; a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

export function timerMs(deadline: Deadline): number {
  return Math.min(deadline.remainingMs(), LONGEST_TIMER);
}

export const SIMPLER = "Use a simpler pattern, or search in fewer files.";

export function tookTooLong(): Refusal {
  return new Refusal("timeout", "The search took too long and was stopped.", { next: SIMPLER });
}

export function cancelled(signal: Cancellation): Refusal {
  return new Refusal("cancelled", "The search was cancelled.", { cause: signal.reason });
}
