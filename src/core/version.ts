// Versions: bytes with their name, the sha256 of the whole.
import { createHash, hash as hashOnce } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Sha, Version } from "./backend.ts";
import { LIMITS } from "./limits.ts";

/** The name of the version that these bytes make. */
export function shaOf(parts: readonly Uint8Array[]): Sha {
  if (parts.length === 1) return hashOnce("sha256", parts[0]!, "hex") as Sha;
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex") as Sha;
}

/** For bytes that are too large to hold. */
export async function shaOfStream(chunks: AsyncIterable<Uint8Array>): Promise<Sha> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex") as Sha;
}

/** Together with the length this is faster than a pattern of 64 digits. */
const NOT_HEX = /[^0-9a-f]/;

/** Accepts any value: it may come from a file that others can write. */
export function isSha(value: unknown): value is Sha {
  return typeof value === "string" && value.length === 64 && !NOT_HEX.test(value);
}

/** A version made of these bytes. */
export function versionOf(parts: readonly Uint8Array[], mode?: number): Version {
  return { sha: shaOf(parts), size: sizeOf(parts), parts, mode };
}

/** As `versionOf`, with pauses between slices of a large file in which other work runs. */
export async function versionOfLarge(parts: readonly Uint8Array[], mode?: number): Promise<Version> {
  const size = sizeOf(parts);
  if (size <= LIMITS.sliceBytes) return versionOf(parts, mode);
  const hash = createHash("sha256");
  for (const part of parts) {
    for (let at = 0; at < part.length; at += LIMITS.sliceBytes) {
      hash.update(part.subarray(at, at + LIMITS.sliceBytes));
      await setImmediate();
    }
  }
  return { sha: hash.digest("hex") as Sha, size, parts, mode };
}

export function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((size, part) => size + part.length, 0);
}

/** One array: the part itself when there is one, else a copy. */
export function bytesOf(version: Version): Uint8Array {
  return version.parts.length === 1 ? version.parts[0]! : Buffer.concat(version.parts as Uint8Array[]);
}
