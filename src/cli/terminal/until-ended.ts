// For commands that go on until the person ends them.
import type { Terminal } from "../options/command.ts";

export function untilEnded({ signal }: Terminal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
