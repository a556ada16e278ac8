// The bytes that files had when they were last read or written here: what the database names the same need not be sent again.
import type { Path, Sha } from "../../../core/backend.ts";
import { type ByteCache, createByteCache } from "../../../core/byte-cache.ts";
import { sizeOf } from "../../../core/version.ts";
import type { Database } from "../connection/database.ts";

/** Of all workspaces of a pool together. */
const MAX_BYTES = 16 * 1024 ** 2;
/** A larger one is not kept here, and is written by itself and read in pieces. */
export const LARGEST = 256 * 1024;

export interface Known {
  readonly sha: Sha;
  readonly bytes: Buffer;
}

const pools = new WeakMap<object, ByteCache<Known>>();

/** `bytes` are not to be written to, and not to be given out: others go by them. */
export function lately({ pool, ws }: Database): {
  at(path: Path): Known | undefined;
  add(path: Path, sha: Sha, parts: readonly Uint8Array[]): void;
} {
  const files = pools.get(pool) ?? createByteCache<Known>(MAX_BYTES);
  pools.set(pool, files);
  const keyOf = (path: Path): string => `${ws} ${path}`;
  return {
    at: (path) => files.get(keyOf(path)),
    add(path, sha, parts) {
      const size = sizeOf(parts);
      if (size > LARGEST) files.drop(keyOf(path));
      else files.add(keyOf(path), { sha, bytes: Buffer.concat(parts as Uint8Array[]) }, size);
    },
  };
}
