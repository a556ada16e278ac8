// A file that can be made again from the log: named parts, written whole, read one by one, believed with their checksum.
import { hash } from "node:crypto";
import { closeQuietly, readFully } from "../io.ts";
import { openStateFile, replaceStateFile } from "../state-file.ts";

export type Parts = Readonly<Record<string, Uint8Array>>;
export type Head = Readonly<Record<string, number | string>>;

/** All numbers are as this machine has them in memory. Not flushed, and no failure: the next one who asks makes it again. */
export function writeParts(path: string, head: Head, parts: Parts): void {
  let offset = 0;
  const table: Table = {};
  const padded = Object.entries(parts).map(([name, part]) => {
    table[name] = [offset, part.byteLength, checksum(part)];
    const bytes = Buffer.alloc(Math.ceil(part.byteLength / ALIGNED) * ALIGNED);
    bytes.set(part);
    offset += bytes.length;
    return bytes;
  });
  const text = JSON.stringify({ ...head, byteOrder: BYTE_ORDER, parts: table });
  const first = Buffer.from(`${checksum(Buffer.from(text))} ${text}`.padEnd(HEAD_BYTES));
  try {
    replaceStateFile(path, [first, ...padded], false);
  } catch {
    // The disk is full, or may only be read.
  }
}

export interface IndexedParts {
  readonly head: Head;
  /** Throws when it is damaged. */
  part(name: string): Uint8Array;
}

/** Gives what `use` makes of it; null when it is not there, or not what was written. */
export function readParts<T>(path: string, use: (file: IndexedParts) => T | null): T | null {
  try {
    const file = openStateFile(path, { maxBytes: MAX_BYTES });
    if (file === null) return null;
    try {
      const first = readFully(file.fd, 0, HEAD_BYTES).toString("utf8").trimEnd();
      const text = first.slice(CHECKSUM_CHARS + 1);
      if (checksum(Buffer.from(text)) !== first.slice(0, CHECKSUM_CHARS)) return null;
      const { parts, byteOrder, ...head } = JSON.parse(text) as Head & { parts: Table };
      if (byteOrder !== BYTE_ORDER) return null;
      const part = (name: string): Uint8Array => {
        const [offset, length, sum] = parts[name]!;
        // A buffer of its own, so that numbers lie where numbers may lie.
        const bytes = new Uint8Array(length);
        bytes.set(readFully(file.fd, HEAD_BYTES + offset, length));
        if (checksum(bytes) !== sum) throw new Error("damaged");
        return bytes;
      };
      return use({ head, part });
    } finally {
      closeQuietly(file.fd);
    }
  } catch {
    return null;
  }
}

type Table = Record<string, [offset: number, length: number, checksum: string]>;

const HEAD_BYTES = 2048;
const ALIGNED = 8;
const CHECKSUM_CHARS = 16;
const MAX_BYTES = 1024 * 1024 * 1024;
const BYTE_ORDER = new Uint8Array(new Uint16Array([1]).buffer)[0]!;

const checksum = (bytes: Uint8Array): string => hash("sha256", bytes).slice(0, CHECKSUM_CHARS);
