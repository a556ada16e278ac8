// Which paths that another program printed may have led elsewhere while it ran: a directory that is swapped for a link shows.
import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Path } from "../../core/backend.ts";
import { parentOf } from "../../core/paths.ts";
import type { Ripgrep } from "./process.ts";

/** File systems take the time from a clock that moves in ticks, of 10 ms at most. */
export const LAG_MS = 12;
const BATCH = 4096;

export function momentBefore(): number {
  return Date.now() - LAG_MS;
}

/**
 * Moving a directory, also there and back, changes its own ctime, which no call can set. Directories are looked at from
 * the deepest up: what is found unmoved had not been moved either when those below it were looked at. The root itself
 * is one of them only where it was entered by its name.
 */
export async function movedSince<P extends Path>(
  { directory, pinned }: Pick<Ripgrep, "directory" | "pinned">,
  paths: readonly P[],
  since: number,
): Promise<ReadonlySet<P>> {
  const still = new Map<string, boolean>();
  // A longer path is never above a shorter one.
  const fromBelow = [...holdersOf(paths)].sort((a, b) => b.length - a.length);
  for (const [n, dir] of fromBelow.entries()) {
    if (n % BATCH === BATCH - 1) await otherWork();
    still.set(dir, isUnmoved(look(join(directory, dir)), since));
  }
  if (!pinned && paths.length > 0 && !isUnmoved(look(directory), since)) return new Set(paths);
  // From above: what lies in a directory that was moved was moved with it.
  still.set("", true);
  for (const dir of fromBelow.reverse()) if (!still.get(parentOf(dir))) still.set(dir, false);
  const moved = new Set<P>();
  for (const path of paths) if (!stays(path, directory, since, still)) moved.add(path);
  return moved;
}

/** An entry of the root can be swapped without a trace in any directory but the root, so it has to speak for itself. */
function stays(path: string, directory: string, since: number, still: ReadonlyMap<string, boolean>): boolean {
  if (path.includes("/")) return still.get(parentOf(path)) === true;
  const stat = look(join(directory, path));
  return stat !== undefined && !stat.isSymbolicLink() && stat.ctimeMs < since;
}

function isUnmoved(stat: Stats | undefined, since: number): boolean {
  return stat?.isDirectory() === true && stat.ctimeMs < since;
}

function holdersOf(paths: readonly string[]): ReadonlySet<string> {
  const holders = new Set<string>();
  for (const path of paths) {
    for (let dir = parentOf(path); dir !== "" && !holders.has(dir); dir = parentOf(dir)) holders.add(dir);
  }
  return holders;
}

export function look(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return;
  }
}
