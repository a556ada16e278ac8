// A file that can be made again from the log: a head and parts that are read one by one, each believed with its checksum.
import { hash } from "node:crypto";
import { closeQuietly, readFully } from "../io.ts";
import { openStateFile, replaceStateFile } from "../state-file.ts";

/** Not flushed, and no failure: the next one who asks makes it again. */
export function saveDerived(path: string, head: object, parts: readonly Uint8Array[] = []): void {
  const table = parts.map((part) => [part.byteLength, hash("sha256", part)]);
  const text = Buffer.from(JSON.stringify({ ...head, table }));
  const first = `${hash("sha256", text)}${String(text.length).padStart(LENGTH_CHARS)}`;
  try {
    replaceStateFile(path, [first, text, ...parts], false);
  } catch {
    // The disk is full, or may only be read.
  }
}

/** What `use` makes of it; null when it is not there, or not what was saved. */
export function readDerived<Head, T>(
  path: string,
  use: (head: Head, part: (n: number) => Buffer) => T | null,
): T | null {
  try {
    const file = openStateFile(path);
    if (file === null) return null;
    const read = (at: number, length: number, sum: string): Buffer => {
      const bytes = readFully(file.fd, at, Math.min(length, file.stat.size));
      if (hash("sha256", bytes) !== sum) throw new Error("damaged");
      return bytes;
    };
    try {
      const first = readFully(file.fd, 0, FIRST_BYTES).toString("latin1");
      const text = read(FIRST_BYTES, Number(first.slice(SUM_CHARS)), first.slice(0, SUM_CHARS));
      const { table, ...head } = JSON.parse(text.toString()) as Head & { table: [length: number, sum: string][] };
      const startOf = (n: number) => table.slice(0, n).reduce((at, [length]) => at + length, FIRST_BYTES + text.length);
      return use(head as Head, (n) => read(startOf(n), ...table[n]!));
    } finally {
      closeQuietly(file.fd);
    }
  } catch {
    return null;
  }
}

const SUM_CHARS = 64;
const LENGTH_CHARS = 16;
const FIRST_BYTES = SUM_CHARS + LENGTH_CHARS;
