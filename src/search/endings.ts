// How a search says that it was ended before it was done, or did not look everywhere.
import type { Cancellation } from "../core/cancellation.ts";
import { Refusal } from "../core/failure.ts";

export const SIMPLER = "Use a simpler pattern, or search in fewer files.";

export function tookTooLong(): Refusal {
  return new Refusal("timeout", "The search took too long and was stopped.", { next: SIMPLER });
}

export function cancelled(signal: Cancellation): Refusal {
  return new Refusal("cancelled", "The search was cancelled.", {
    next: "Search again if it is still wanted.",
    cause: signal.reason,
  });
}

/** Of what the system lends to processes: files, threads, memory. */
export function noneLeft(code: string, cause: unknown): Refusal {
  return new Refusal(
    "busy",
    `The search could not be started: too much is open or running on this machine (${code}).`,
    {
      next: "Wait a moment, then retry.",
      cause,
    },
  );
}

/** A file or directory that has gone or is closed to us counts as none; one that only cannot be opened just now does not. */
export function isPassedOver(error: unknown): error is Refusal {
  return error instanceof Refusal && !CROWDED.has(error.failure.details?.errno);
}

const CROWDED: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);
