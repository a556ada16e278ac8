// Versions that were read lately, kept in memory so that a stale proof can be explained even when they were not stored.
import type { Sha, Version } from "../../core/backend.ts";
import { createByteCache } from "../../core/byte-cache.ts";

export interface Recent {
  add(version: Version): void;
  get(sha: Sha): Version | undefined;
  drop(sha: Sha): void;
}

export function createRecent(maxBytes: number): Recent {
  const versions = createByteCache<Version>(maxBytes);
  return {
    ...versions,
    add(version) {
      if (version.size > maxBytes / 8) return;
      // The one that is known: it is old already, and another of the same bytes would have to become so.
      versions.add(version.sha, versions.get(version.sha) ?? withOwnMemory(version), version.size);
    },
  };
}

/** A small part may lie in a block of memory that it shares with others: to keep it would keep the whole block. */
function withOwnMemory(version: Version): Version {
  const parts = version.parts.map((part) => (part.buffer.byteLength > part.byteLength ? new Uint8Array(part) : part));
  return { ...version, parts };
}
