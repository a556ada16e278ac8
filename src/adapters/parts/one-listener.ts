// One listener on a signal for all calls that wait for it: frameworks give the same one to all calls of a run.
import type { Cancellation } from "../../core/cancellation.ts";

const known = new WeakMap<Cancellation, Cancellation>();

/** The same signal for as many listeners as there are calls, without a warning of Node.js that they may be too many. */
export function oneListener(signal: Cancellation): Cancellation {
  const found = known.get(signal);
  if (found !== undefined) return found;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const made: Cancellation = {
    get aborted() {
      return signal.aborted;
    },
    get reason() {
      return signal.reason;
    },
    addEventListener(type, listener) {
      if (listeners.size === 0) signal.addEventListener(type, tell);
      listeners.add(listener);
    },
    removeEventListener(type, listener) {
      listeners.delete(listener);
      if (listeners.size === 0) signal.removeEventListener(type, tell);
    },
  };
  known.set(signal, made);
  return made;
}
