// Long work: its caller follows it, and may end it.
import { setImmediate } from "node:timers/promises";
import { Deadline } from "../core/deadline.ts";
import type { CallOptions } from "./options.ts";

export type LongCall = Pick<CallOptions, "progress" | "signal" | "deadline">;

/** Long work has the time that it needs, unless its caller set an end. */
export function endOf({ deadline, signal }: LongCall): Deadline {
  return deadline ?? new Deadline(Number.POSITIVE_INFINITY, signal);
}

/** To be awaited at every step, of all parts of the work. */
export type Pulse = (message: () => string) => Promise<void>;

export function pulseOf(call: LongCall): Pulse {
  const { progress, signal } = call;
  const end = endOf(call);
  let done = 0;
  let next = progress === undefined && signal === undefined ? performance.now() + PAUSE_MS : 0;
  return async (message) => {
    done++;
    if (performance.now() < next) return;
    // The journal is read without a pause, and a signal of the system is handled only in one.
    await setImmediate();
    end.check();
    // A caller of JavaScript may give a promise: its failure ends the work.
    await progress?.({ done, message: message() });
    next = performance.now() + PAUSE_MS;
  };
}

const PAUSE_MS = 100;
