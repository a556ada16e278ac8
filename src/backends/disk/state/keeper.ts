// Keeps new versions too, a moment after they were written: a checkout or a formatter may overwrite them before stet sees them again.
import type { Path, Sha, Version } from "../../../core/backend.ts";
import type { State } from "./state.ts";

export interface Keeper {
  /** To be stored when things are quiet. */
  later(written: readonly Written[]): void;
  /** This version was replaced by stet meanwhile, and is kept by that change. */
  isKept(sha: Sha): void;
  /** A version that waits to be stored. */
  get(sha: Sha): Version | undefined;
  flush(): Promise<void>;
}

/** A version, and the entry that put it at a path. */
export interface Written {
  readonly version: Version;
  readonly path: Path;
  readonly seq: number;
}

/** Often enough that little can happen in between, seldom enough that a series of changes pays once. */
const QUIET_MS = 200;
const MOST_BYTES = 64 * 1024 * 1024;

export function createKeeper(store: (written: readonly Written[]) => Promise<void>): Keeper {
  const waiting = new Map<Sha, Written>();
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const written = [...waiting.values()];
    if (written.length === 0) return;
    await store(written);
    for (const { version } of written) if (waiting.delete(version.sha)) bytes -= version.size;
  }

  /** A full disk must not bring the process down: what could not be stored waits for the next time. */
  const quietly = (): void => void flush().catch(() => undefined);

  return {
    later(written) {
      for (const each of written) {
        const { sha, size } = each.version;
        if (!waiting.has(sha)) bytes += size;
        waiting.set(sha, each);
      }
      clearTimeout(timer);
      if (bytes > MOST_BYTES) return quietly();
      timer = setTimeout(quietly, QUIET_MS);
      timer.unref();
    },
    isKept(sha) {
      bytes -= waiting.get(sha)?.version.size ?? 0;
      waiting.delete(sha);
    },
    get: (sha) => waiting.get(sha)?.version,
    flush,
  };
}

/**
 * Those that no change replaced since, of whatever process: a change keeps what it replaces, once nothing of it is
 * pending. What is not in the store after that was dropped for good.
 */
export async function stillToKeep(state: State, written: readonly Written[]): Promise<Version[]> {
  const left: Version[] = [];
  for (const each of written) if (state.pending.mayHold || !(await isReplaced(state, each))) left.push(each.version);
  return left;
}

async function isReplaced({ journal }: State, { version: { sha }, path, seq }: Written): Promise<boolean> {
  if (journal.head(path)?.sha === sha) return false;
  for await (const { changes } of journal.log({ path, sinceSeq: seq + 1, outcomes: ["applied"] }))
    if (changes.some((change) => change.path === path && change.from === sha)) return true;
  return false;
}
