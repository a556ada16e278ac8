// Versions that were read lately, kept in memory so that a stale proof can be explained even when they were not stored.
import type { Sha, Version } from "../../core/backend.ts";

export interface Recent {
  add(version: Version): void;
  get(sha: Sha): Version | undefined;
  drop(sha: Sha): void;
}

/** What a version costs beside its bytes: a name, a few objects, an entry in a map. */
const OVERHEAD = 512;

export function createRecent(maxBytes: number): Recent {
  const versions = new Map<Sha, Version>();
  let bytes = 0;
  const drop = (sha: Sha): void => {
    const known = versions.get(sha);
    if (known === undefined) return;
    bytes -= known.size + OVERHEAD;
    versions.delete(sha);
  };
  return {
    get: (sha) => versions.get(sha),
    drop,
    add(version) {
      if (version.size > maxBytes / 8) return;
      // The one that is known: it is old already, and another of the same bytes would have to become so.
      const kept = versions.get(version.sha) ?? withOwnMemory(version);
      drop(version.sha);
      versions.set(version.sha, kept);
      bytes += version.size + OVERHEAD;
      for (const sha of versions.keys()) {
        if (bytes <= maxBytes) break;
        drop(sha);
      }
    },
  };
}

/** A small part may lie in a block of memory that it shares with others: to keep it would keep the whole block. */
function withOwnMemory(version: Version): Version {
  const parts = version.parts.map((part) => (part.buffer.byteLength > part.byteLength ? new Uint8Array(part) : part));
  return { ...version, parts };
}
