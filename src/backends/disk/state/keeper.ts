// Keeps new versions too, a moment after they were written: a checkout or a formatter may overwrite them before stet sees them again.
import type { Sha, Version } from "../../../core/backend.ts";

export interface Keeper {
  /** To be stored when things are quiet. */
  later(versions: readonly Version[]): void;
  /** This version was replaced by stet meanwhile, and is kept by that change. */
  isKept(sha: Sha): void;
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
    for (const { sha, size } of versions) if (waiting.delete(sha)) bytes -= size;
  }

  /** A full disk must not bring the process down: what could not be stored waits for the next time. */
  const quietly = (): void => void flush().catch(() => undefined);

  return {
    later(versions) {
      for (const version of versions) {
        if (!waiting.has(version.sha)) bytes += version.size;
        waiting.set(version.sha, version);
      }
      clearTimeout(timer);
      if (bytes > MOST_BYTES) return quietly();
      timer = setTimeout(quietly, QUIET_MS);
      timer.unref();
    },
    isKept(sha) {
      bytes -= waiting.get(sha)?.size ?? 0;
      waiting.delete(sha);
    },
    get: (sha) => waiting.get(sha),
    flush,
  };
}
