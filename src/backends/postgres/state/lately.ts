// The bytes that files had when they were last read or written here: what the database names the same need not be sent again.
import type { Path, Sha } from "../../../core/backend.ts";
import { sizeOf } from "../../../core/version.ts";
import type { Database } from "../connection/database.ts";

/** Of all workspaces of a pool together. */
const MOST_BYTES = 16 * 1024 ** 2;
/** A larger one is not kept here, and is read in pieces. */
export const LARGEST = 256 * 1024;
/** What one costs beside its bytes. */
const OVERHEAD = 512;

export interface Known {
  readonly sha: Sha;
  readonly bytes: Buffer;
}

interface Lately {
  readonly files: Map<string, Known>;
  bytes: number;
}

const pools = new WeakMap<object, Lately>();

/** `bytes` are not to be written to, and not to be given out: others go by them. */
export function lately({ pool, ws }: Database): {
  at(path: Path): Known | undefined;
  add(path: Path, sha: Sha, parts: readonly Uint8Array[]): void;
} {
  const all = pools.get(pool) ?? { files: new Map(), bytes: 0 };
  pools.set(pool, all);
  const keyOf = (path: Path): string => `${ws} ${path}`;

  function drop(key: string): void {
    const known = all.files.get(key);
    if (known === undefined) return;
    all.bytes -= known.bytes.length + OVERHEAD;
    all.files.delete(key);
  }

  return {
    at: (path) => all.files.get(keyOf(path)),
    add(path, sha, parts) {
      const key = keyOf(path);
      drop(key);
      if (sizeOf(parts) > LARGEST) return;
      const bytes = Buffer.concat(parts as Uint8Array[]);
      all.files.set(key, { sha, bytes });
      all.bytes += bytes.length + OVERHEAD;
      for (const oldest of all.files.keys()) {
        if (all.bytes <= MOST_BYTES) break;
        drop(oldest);
      }
    },
  };
}
