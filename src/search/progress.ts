// Tells now and then how far a search has come: a quarter of a second passes before the first word and between two.
import type { CallOptions, Progress } from "../kernel/session.ts";

/** Counted while the search runs. */
export interface Tally {
  /** Undefined where the engine tells only of files with matches; then the milliseconds are told that grow instead. */
  files: number | undefined;
  matches: number;
}

const PAUSE_MS = 250;

export async function telling<T>(
  progress: CallOptions["progress"],
  tally: Tally,
  told: (tally: Tally) => string,
  work: () => Promise<T>,
): Promise<T> {
  if (progress === undefined) return work();
  const start = performance.now();
  let before = 0;
  const timer = setInterval(() => {
    const done = tally.files ?? Math.round(performance.now() - start);
    if (done <= before) return;
    before = done;
    void tell(progress, { done, message: told(tally) });
  }, PAUSE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** A listener that fails is no reason to fail, be it at once or later. */
async function tell(progress: (update: Progress) => unknown, update: Progress): Promise<void> {
  try {
    await progress(update);
  } catch {
    // The listener that failed is the only one.
  }
}

export function counted(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;
}
