// Whether a program waits for a pipe or a terminal that took the place of a file: it would wait for as long as it may.
import { readdirSync, readFileSync } from "node:fs";

/** Where Linux has a thread sleep that opens or reads a pipe without a writer, or reads a terminal. */
const WAITING = /^(?:wait_for_partner|fifo_open|(?:anon_|fifo_)?pipe_(?:read|wait)|n_tty_read|wait_woken)$/;

/** False where the system does not tell. */
export function isStuck(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    const tasks = `/proc/${pid}/task`;
    return readdirSync(tasks).some((thread) => WAITING.test(readFileSync(`${tasks}/${thread}/wchan`, "latin1")));
  } catch {
    return false;
  }
}
