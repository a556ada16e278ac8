// The deadline of a call, and the progress that it reports.
import { setImmediate } from "node:timers/promises";
import { Deadline } from "../core/deadline.ts";
import type { CallOptions } from "./options.ts";
import type { Session } from "./session.ts";

export type LongCall = Pick<CallOptions, "progress" | "signal" | "deadline">;

export function deadlineOf({ workspace }: Session, { deadline, deadlineMs, signal }: CallOptions): Deadline {
  return deadline ?? new Deadline(deadlineMs ?? workspace.limits.callMs, signal);
}

/** Without a deadline of the caller's there is none: long work takes its time. */
export function endOf({ deadline, signal }: LongCall): Deadline {
  return deadline ?? new Deadline(Number.POSITIVE_INFINITY, signal);
}

/** To be awaited at every step of the work. */
export type Pulse = (message: () => string) => Promise<void>;

export function pulseOf(call: LongCall): Pulse {
  const { progress, signal } = call;
  const end = endOf(call);
  let done = 0;
  let next = progress === undefined && signal === undefined ? performance.now() + PAUSE_MS : 0;
  return async (message) => {
    done++;
    if (performance.now() < next) return;
    // Reading the journal never yields by itself, and a signal of the system is handled only between turns.
    await setImmediate();
    end.check();
    // JavaScript callers may return a promise: its failure ends the work.
    await progress?.({ done, message: message() });
    next = performance.now() + PAUSE_MS;
  };
}

const PAUSE_MS = 100;
