// Whether a disk keeps names as safe as the files that bear them.
import { statfsSync } from "node:fs";
import type { Dir } from "./pin.ts";

/**
 * True: flushing a new file makes its name safe too, and names become safe in the order in which they were changed. Else
 * a directory has to be flushed before anything relies on a name in it.
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
const BTRFS = 0x9123683e;
/** Nothing in it outlasts a power failure. */
const TMPFS = 0x01021994;
const IN_ORDER: ReadonlySet<number> = new Set([EXT4, XFS, BTRFS, TMPFS]);
