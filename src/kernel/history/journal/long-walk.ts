// Long walks through the history: they tell their progress now and then, and can be cancelled in between.
import { setImmediate } from "node:timers/promises";
import { Refusal } from "../../../core/failure.ts";
import type { CallOptions } from "../../session.ts";

/** To be awaited at every step, of all parts of the work. */
export type Pulse = (message: () => string) => Promise<void>;

export function pulseOf({ progress, signal, deadline }: Pick<CallOptions, "progress" | "signal" | "deadline">): Pulse {
  let done = 0;
  const isHeard = progress !== undefined || signal !== undefined;
  let next = isHeard ? 0 : performance.now() + PAUSE_MS;
  return async (message) => {
    done++;
    if (performance.now() < next) return;
    // The journal is read without a pause: a signal of the system is heard only when one is made.
    await setImmediate();
    refuseCancelled(signal);
    deadline?.check();
    // A promise that it gives is awaited, so that its failure reaches the caller.
    await progress?.({ done, message: message() });
    next = performance.now() + PAUSE_MS;
  };
}

/** Also the last thing before what cannot be taken back. */
export function refuseCancelled(signal: CallOptions["signal"]): void {
  if (signal?.aborted) throw new Refusal("cancelled", "The call was cancelled.", { cause: signal.reason });
}

const PAUSE_MS = 100;
