// How a search says that it was ended before it was done.
import { Refusal } from "../kernel/failure.ts";

export const SIMPLER = "Use a simpler pattern, or search in fewer files.";

export function tookTooLong(): Refusal {
  return new Refusal("timeout", "The search took too long and was stopped.", { next: SIMPLER });
}

export function cancelled(signal: AbortSignal): Refusal {
  return new Refusal("cancelled", "The search was cancelled.", { cause: signal.reason });
}
