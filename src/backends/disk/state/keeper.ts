// Keeps new versions too, a moment after they were written: a checkout or a formatter may overwrite them before stet sees them again.
import type { Path, Sha, Version } from "../../../core/backend.ts";
import { shown } from "../../../core/printable.ts";
import type { State } from "./state.ts";

export interface Keeper {
  /** To be stored when things are quiet. */
  later(written: readonly Written[]): void;
  /** This version was replaced by stet meanwhile, and is kept by that change. */
  isKept(sha: Sha): void;
  /** A version that waits to be stored. */
  get(sha: Sha): Version | undefined;
  flush(): Promise<void>;
  /** The last flush. Warns of what cannot be stored: closing itself must not fail. */
  end(): Promise<void>;
}

/** A version, and the entry that put it at a path. */
export interface Written {
  readonly version: Version;
  readonly path: Path;
  readonly seq: number;
}

/** Often enough that little can happen in between, seldom enough that a series of changes pays once. */
const QUIET_MS = 200;
const RETRY_MS = 2000;
const MAX_BYTES = 64 * 1024 * 1024;

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

  /** A full disk must not bring the process down: what could not be stored is tried again. */
  const quietly = (): void => void flush().catch(() => flushIn(RETRY_MS));

  function flushIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(quietly, ms);
    timer.unref();
  }

  return {
    later(written) {
      for (const each of written) {
        const { sha, size } = each.version;
        if (!waiting.has(sha)) bytes += size;
        waiting.set(sha, each);
      }
      flushIn(bytes > MAX_BYTES ? 0 : QUIET_MS);
    },
    isKept(sha) {
      bytes -= waiting.get(sha)?.version.size ?? 0;
      waiting.delete(sha);
    },
    get: (sha) => waiting.get(sha)?.version,
    flush,
    end: () =>
      flush().catch(({ message }: Error) => {
        const [first, ...others] = new Set([...waiting.values()].map(({ path }) => shown(path)));
        const named = others.length === 0 ? first : `${first} and ${others.length} more`;
        waiting.clear();
        process.emitWarning(`stet could not keep the last version of ${named}: ${message} ${NEXT}`);
      }),
  };
}

const NEXT = "Free the disk, then read the file with stet; it is kept if it is unchanged.";

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
