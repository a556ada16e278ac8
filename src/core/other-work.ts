// Room for other work in a long loop: timers, signals and other calls are handled only when the loop pauses.
import { setImmediate } from "node:timers/promises";

/** To be awaited at every step; it pauses when the last time was a while ago. */
export function otherWorkNowAndThen(): () => Promise<void> | undefined {
  let next = performance.now() + PAUSE_MS;
  return () => (performance.now() < next ? undefined : pause());

  async function pause(): Promise<void> {
    await setImmediate();
    next = performance.now() + PAUSE_MS;
  }
}

const PAUSE_MS = 20;
