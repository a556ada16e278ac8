// Versions that were read lately, kept in memory so that a stale proof can be explained even when nobody stored them.
import type { Sha, Version } from "../backends/backend.ts";

export interface Recent {
  add(version: Version): void;
  get(sha: Sha): Version | undefined;
}

export function createRecent(maxBytes: number): Recent {
  const versions = new Map<Sha, Version>();
  let bytes = 0;
  return {
    get: (sha) => versions.get(sha),
    add(version) {
      if (version.size > maxBytes / 8) return;
      if (versions.delete(version.sha)) bytes -= version.size;
      versions.set(version.sha, version);
      bytes += version.size;
      for (const [sha, oldest] of versions) {
        if (bytes <= maxBytes) break;
        versions.delete(sha);
        bytes -= oldest.size;
      }
    },
  };
}
