// Whether a file system keeps names in order: once a flush returns, everything done to names before it is safe as well.
import fs from "node:fs";
import { basename } from "node:path";
import type { Dir } from "./pin.ts";

/**
 * True only where it is known: XFS, and ext4 with a journal. A power failure leaves there what the end of a process at
 * some moment after the last flush would leave. ext4 without a journal has the same magic number and no order at all.
 */
export function keepsOrder(dir: Dir): boolean {
  if (process.platform !== "linux") return false;
  try {
    const type = fs.statfsSync(dir.self).type >>> 0;
    return type === XFS || (type === EXT && hasJournal(dir.dev));
  } catch {
    return false;
  }
}

const XFS = 0x58465342;
/** ext2, ext3 and ext4 alike. */
const EXT = 0xef53;

/** The kernel names the task that writes the journal, or says that there is none. */
function hasJournal(dev: number): boolean {
  const { major, minor } = numbersOf(BigInt(dev));
  const device = basename(fs.readlinkSync(`/sys/dev/block/${major}:${minor}`));
  return /^\d+\s*$/.test(fs.readFileSync(`/sys/fs/ext4/${device}/journal_task`, "utf8"));
}

/** As the kernel packs the two numbers of a device into one. */
export function numbersOf(dev: bigint): { readonly major: bigint; readonly minor: bigint } {
  return {
    major: ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xfffff000n),
    minor: (dev & 0xffn) | ((dev >> 12n) & 0xffffff00n),
  };
}
