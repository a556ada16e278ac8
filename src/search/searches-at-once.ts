// How many searches work at once, each in a process or a thread of its own: the others wait in line, as long as their time allows.
import { availableParallelism } from "node:os";
import type { Cancellation } from "../core/cancellation.ts";
import { type Deadline, timerMs } from "../core/deadline.ts";
import { Refusal } from "../core/failure.ts";
import { cancelled } from "./endings.ts";

/** For the whole of this process. Some wait for the disk, so there is work for more than there are cores. */
export const MOST_AT_ONCE: number = Math.max(4, 2 * availableParallelism());

let free = MOST_AT_ONCE;
/** In the order in which they came. */
const waiting = new Set<() => void>();

/** Not to be called within `work`: every running search could then wait for a place that only another one can give back. */
export async function inTurn<T>(
  deadline: Deadline,
  signal: Cancellation | undefined,
  work: () => Promise<T>,
): Promise<T> {
  deadline.check();
  if (signal?.aborted) throw cancelled(signal);
  if (free > 0) free -= 1;
  else await ourTurn(deadline, signal);
  try {
    return await work();
  } finally {
    handOn();
  }
}

function ourTurn(deadline: Deadline, signal: Cancellation | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      waiting.delete(called);
    };
    const called = (): void => {
      leave();
      resolve();
    };
    const giveUp = (): void => {
      leave();
      reject(signal?.aborted ? cancelled(signal) : waitedTooLong());
    };
    const timer = setTimeout(giveUp, timerMs(deadline));
    signal?.addEventListener("abort", giveUp);
    waiting.add(called);
  });
}

function handOn(): void {
  const [next] = waiting;
  if (next === undefined) free += 1;
  else next();
}

function waitedTooLong(): Refusal {
  return new Refusal("timeout", "Other searches took so long that this one did not get its turn.", {
    next: "Try again when fewer searches are under way.",
  });
}
