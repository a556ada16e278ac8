// Whether a disk keeps names as safe as the files that bear them.
import { statfsSync } from "node:fs";
import type { Dir } from "./pin.ts";

/**
 * True: names become safe in the order in which they were changed, and flushing a file makes all of them safe up to its
 * own. Else a directory has to be flushed before anything relies on a name in it. So it is with Btrfs: there a file that
 * is flushed makes its own names safe, ahead of all others.
 */
export function keepsNamesInOrder(dir: Dir): boolean {
  if (process.platform !== "linux") return false;
  try {
    return IN_ORDER.has(statfsSync(dir.self).type >>> 0);
  } catch {
    return false;
  }
}

const EXT4 = 0xef53;
const XFS = 0x58465342;
/** Nothing in it outlasts a power failure. */
const TMPFS = 0x01021994;
const IN_ORDER: ReadonlySet<number> = new Set([EXT4, XFS, TMPFS]);
