// How many searches work at once, each in a process or a thread of its own: the others wait in line, as long as their time allows.
import { availableParallelism } from "node:os";
import type { Cancellation } from "../core/cancellation.ts";
import { type Deadline, timerMs } from "../core/deadline.ts";
import { Refusal } from "../core/failure.ts";
import { createTurns } from "../core/sharing/turns.ts";
import { cancelled } from "./endings.ts";

/** For the whole of this process. Some wait for the disk, so there is work for more than there are cores. */
export const MOST_AT_ONCE: number = Math.max(4, 2 * availableParallelism());

const turns = createTurns(MOST_AT_ONCE);

/**
 * Not to be called within `work`: every running search could then wait for a place that only another one can give back.
 * `tenant`: one of several that this process serves.
 */
export async function inTurn<T>({ deadline, signal, tenant }: Searcher, work: () => Promise<T>): Promise<T> {
  deadline.check();
  if (signal?.aborted) throw cancelled(signal);
  const place = turns.enter(tenant);
  try {
    if (place.turn !== undefined) await inTime(place.turn, deadline, signal);
    return await work();
  } finally {
    place.leave();
  }
}

export interface Searcher {
  readonly deadline: Deadline;
  readonly signal: Cancellation | undefined;
  readonly tenant: string | undefined;
}

function inTime(turn: Promise<void>, deadline: Deadline, signal: Cancellation | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    };
    const giveUp = (): void => {
      over();
      reject(signal?.aborted ? cancelled(signal) : waitedTooLong());
    };
    const timer = setTimeout(giveUp, timerMs(deadline));
    signal?.addEventListener("abort", giveUp);
    void turn.then(() => {
      over();
      resolve();
    });
  });
}

function waitedTooLong(): Refusal {
  return new Refusal("timeout", "Other searches took so long that this one did not get its turn.", {
    next: "Try again when fewer searches are under way.",
  });
}
