// Lets other work run in a long loop: timers, signals and other calls get their turn only when the loop pauses.
import { setImmediate } from "node:timers/promises";

/** Await the result at every step of a loop: it lets others run whenever 20 ms have passed without a pause. */
export function yieldEvery(): () => Promise<void> | undefined {
  let next = performance.now() + PAUSE_MS;
  return () => (performance.now() < next ? undefined : pause());

  async function pause(): Promise<void> {
    await setImmediate();
    next = performance.now() + PAUSE_MS;
  }
}

const PAUSE_MS = 20;
