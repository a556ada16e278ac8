// How safe names are on a disk: what a flush of a file makes of its own name, and of everything done to names before.
import fs from "node:fs";
import { basename } from "node:path";
import type { Dir } from "../paths/pin.ts";

/**
 * all: names become safe in the order in which they were changed, and a flush makes all of them safe up to there. A power
 * failure leaves what the end of the process at some moment since the last flush would leave.
 * none: a directory has to be flushed before anything relies on a name in it. So it is with Btrfs: there a file that is
 * flushed makes its own name safe, ahead of all others.
 */
export type NameOrder = "all" | "none";

export function nameOrderOf(dir: Dir): NameOrder {
  if (process.platform !== "linux") return "none";
  try {
    const type = fs.statfsSync(dir.self).type >>> 0;
    if (type === EXT) return hasJournal(dir.dev) ? "all" : "none";
    return KNOWN.get(type) ?? "none";
  } catch {
    return "none";
  }
}

/** ext2, ext3 and ext4 alike, with a journal or without. */
const EXT = 0xef53;
const KNOWN: ReadonlyMap<number, NameOrder> = new Map([
  [0x58465342, "all"], // XFS
  [0x01021994, "all"], // tmpfs: nothing in it outlasts a power failure
]);

/** The driver names the task that writes the journal, or says that there is none. */
function hasJournal(dev: number): boolean {
  const device = basename(fs.readlinkSync(`/sys/dev/block/${numbersOf(BigInt(dev))}`));
  return /^\d+\s*$/.test(fs.readFileSync(`/sys/fs/ext4/${device}/journal_task`, "utf8"));
}

/** Major and minor, as the kernel packs them into one number. */
export function numbersOf(dev: bigint): string {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xfffff000n);
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
}
