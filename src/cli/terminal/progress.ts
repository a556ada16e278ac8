// Progress of long work for a person who waits, and commands that run until the person ends them.
import { printable } from "../../core/printable.ts";
import type { CallOptions } from "../../kernel/session.ts";
import type { Terminal } from "../options/command.ts";

/** Shown on a terminal only, in one line that the next takes the place of. */
export function progressIn(terminal: Terminal): NonNullable<CallOptions["progress"]> {
  return ({ message }) => terminal.progress(printable(message));
}

export function untilEnded({ signal }: Terminal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
