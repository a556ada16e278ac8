// Reads a file that stet opens by itself: a regular one, of a bounded size. Anything else could keep it waiting or fill memory.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Why it was not read, in words that follow "it". */
export class Unfit extends Error {
  override readonly name = "Unfit";
}

/** Follows links; opens pipes without waiting for anybody, and reads no more than the limit of a file that grows meanwhile. */
export function readRegularFile(path: string, maxBytes: number): Buffer {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Unfit("is not a file");
    if (stat.size > maxBytes) throw tooLarge(maxBytes);
    const bytes = Buffer.allocUnsafe(maxBytes < ROOM ? maxBytes + 1 : stat.size + 1);
    let end = 0;
    for (let got = -1; got !== 0 && end < bytes.length; end += got) {
      got = readSync(fd, bytes, end, bytes.length - end, null);
    }
    if (end === bytes.length) throw end > maxBytes ? tooLarge(maxBytes) : new Unfit("grew while it was read");
    return bytes.subarray(0, end);
  } finally {
    closeSync(fd);
  }
}

/** So much is had at once without a thought. */
const ROOM = 1024 * 1024;

function tooLarge(maxBytes: number): Unfit {
  return new Unfit(`has more than the ${maxBytes.toLocaleString("en-US")} bytes that it may have`);
}
