// A file of named parts that can be made again from the log: written whole, parts read one by one, believed with their checksum.
import { hash } from "node:crypto";
import { closeQuietly } from "../io.ts";
import { openStateFile, replaceStateFile } from "../state-file.ts";
import { readFully } from "./segment.ts";

export type Parts = Readonly<Record<string, Uint8Array>>;
export type Head = Readonly<Record<string, number | string>>;

/** All numbers are as this machine has them in memory. Not flushed: a damaged part is found by its checksum. */
export function writeIndexFile(path: string, head: Head, parts: Parts): void {
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
  replaceStateFile(path, [first, ...padded], false);
}

export interface IndexFile {
  readonly head: Head;
  /** Throws when it is damaged. */
  part(name: string): Uint8Array;
}

/** Gives what `use` makes of it; null when it is not there, or not what was written. */
export function withIndexFile<T>(path: string, use: (file: IndexFile) => T | null): T | null {
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

export const numbersIn = (part: Uint8Array): Uint32Array => new Uint32Array(part.buffer);
export const doublesIn = (part: Uint8Array): Float64Array => new Float64Array(part.buffer);
export const textIn = (part: Uint8Array): string => Buffer.from(part.buffer).toString("utf8");
export const bytesOfNumbers = (numbers: readonly number[]): Uint8Array =>
  new Uint8Array(Uint32Array.from(numbers).buffer);
export const bytesOfDoubles = (numbers: readonly number[]): Uint8Array =>
  new Uint8Array(Float64Array.from(numbers).buffer);

type Table = Record<string, [offset: number, length: number, checksum: string]>;

const HEAD_BYTES = 2048;
const ALIGNED = 8;
const CHECKSUM_CHARS = 16;
const MAX_BYTES = 1024 * 1024 * 1024;
const BYTE_ORDER = new Uint8Array(new Uint16Array([1]).buffer)[0]!;

const checksum = (bytes: Uint8Array): string => hash("sha256", bytes).slice(0, CHECKSUM_CHARS);
