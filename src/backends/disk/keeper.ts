// Keeps new versions too, a moment after they were written: a checkout or a formatter may overwrite them before stet sees them again.
import type { Sha, Version } from "../backend.ts";

export interface Keeper {
  /** To be stored when things are quiet. A version that is replaced by stet meanwhile is kept by that change anyway. */
  later(versions: readonly Version[]): void;
  /** A version that waits to be stored. */
  get(sha: Sha): Version | undefined;
  flush(): Promise<void>;
}

/** Often enough that little can happen in between, seldom enough that a series of changes pays once. */
const QUIET_MS = 200;
const MOST_BYTES = 64 * 1024 * 1024;

export function createKeeper(store: (versions: readonly Version[]) => Promise<void>): Keeper {
  const waiting = new Map<Sha, Version>();
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const versions = [...waiting.values()];
    if (versions.length === 0) return;
    await store(versions);
    for (const { sha } of versions) waiting.delete(sha);
    bytes = 0;
  }

  /** A full disk must not bring the process down: what could not be stored waits for the next time. */
  const quietly = (): void => void flush().catch(() => undefined);

  return {
    later(versions) {
      for (const version of versions) {
        waiting.set(version.sha, version);
        bytes += version.size;
      }
      clearTimeout(timer);
      if (bytes > MOST_BYTES) return quietly();
      timer = setTimeout(quietly, QUIET_MS);
      timer.unref();
    },
    get: (sha) => waiting.get(sha),
    flush,
  };
}
