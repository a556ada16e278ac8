// Versions that were read lately, kept in memory so that a stale proof can be explained even when nobody stored them.
import type { Sha, Version } from "../backends/backend.ts";

export interface Recent {
  add(version: Version): void;
  get(sha: Sha): Version | undefined;
  drop(sha: Sha): void;
}

export function createRecent(maxBytes: number): Recent {
  const versions = new Map<Sha, Version>();
  let bytes = 0;
  const drop = (sha: Sha): void => {
    bytes -= versions.get(sha)?.size ?? 0;
    versions.delete(sha);
  };
  return {
    get: (sha) => versions.get(sha),
    drop,
    add(version) {
      if (version.size > maxBytes / 8) return;
      // The one that is known: it is old already, and another of the same bytes would have to become so.
      const kept = versions.get(version.sha) ?? version;
      drop(version.sha);
      versions.set(version.sha, kept);
      bytes += version.size;
      for (const sha of versions.keys()) {
        if (bytes <= maxBytes) break;
        drop(sha);
      }
    },
  };
}
