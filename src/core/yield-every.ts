// Lets other work run in a long loop: timers, signals and other calls get their turn only when the loop pauses.
import { setImmediate } from "node:timers/promises";

/** Await the result at every step: it pauses when the last pause was a while ago. */
export function yieldEvery(): () => Promise<void> | undefined {
  let next = performance.now() + PAUSE_MS;
  return () => (performance.now() < next ? undefined : pause());

  async function pause(): Promise<void> {
    await setImmediate();
    next = performance.now() + PAUSE_MS;
  }
}

const PAUSE_MS = 20;
