// How much memory the search program may take: in JSON it notes every match of a line before it says the first, and a
// note is seventy times as long as a letter. Only Linux tells what a process holds, and what it has open.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";

const MIB = 1024 * 1024;
/** For the program, and a thread for every core, which keeps states of the pattern. */
const ALWAYS = (20 + 6 * availableParallelism()) * MIB;
/** Of what it has open: a line is held twice while the buffer for it grows. */
const TIMES = 3;
/** How often it is looked at. It notes matches at some MiB in ten milliseconds; from all it has noted, faster. */
export const LOOK_MS = 5;

/** Asked again and again while the program runs: whether it has taken more by now than its input justifies. */
export function appetiteOf(pid: number): () => boolean {
  let input = 0;
  return () => {
    const held = process.platform === "linux" ? heldBy(pid) : 0;
    if (held <= ALWAYS) return false;
    input = Math.max(input, openIn(pid));
    return held > ALWAYS + TIMES * input;
  };
}

/** In bytes, without what it shares with others. None where the system does not tell, or it has just ended. */
function heldBy(pid: number): number {
  try {
    return 1024 * Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function openIn(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).reduce((sum, fd) => sum + sizeOf(`/proc/${pid}/fd/${fd}`), 0);
  } catch {
    return 0;
  }
}

function sizeOf(place: string): number {
  try {
    const stat = statSync(place);
    return stat.isFile() ? stat.size : 0;
  } catch {
    return 0;
  }
}
