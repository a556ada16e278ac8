// Makes the files that the log speaks of safe on the disk, now and then: a recovery after a power failure looks only at what came later.
import type { Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { errnoOf } from "./errno.ts";
import { flushesDone } from "./flushes.ts";
import type { History } from "./history.ts";
import { closeQuietly, flushData } from "./io.ts";
import { readEntries } from "./log/query.ts";
import { openRegular, withPlace } from "./paths/reach.ts";
import type { Root } from "./paths/root.ts";

/** So many entries may be left to look at after a power failure. */
const MAX_UNSAFE = 256;

/** So long after the last change its files are made safe. */
const QUIET_MS = 2000;

export interface Checkpoints {
  /** After a change: when things are quiet, or many changes have come together. */
  soon(): void;
  /** The last one. After a restart, what others did to files since is not taken for what a power failure did. */
  end(): Promise<void>;
}

/** Nothing depends on them: one that fails is made up for by the next. */
export function createCheckpoints(root: Root, history: () => History | null): Checkpoints {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  function begin(atLeast: number): void {
    const open = history();
    if (open === null || running !== null) return;
    running = checkpoint(root, open, atLeast)
      .catch(() => undefined)
      .finally(() => {
        running = null;
      });
  }

  return {
    soon() {
      clearTimeout(timer);
      timer = setTimeout(begin, QUIET_MS, 1).unref();
      begin(MAX_UNSAFE);
    },
    async end() {
      clearTimeout(timer);
      await running;
      begin(1);
      await running;
    },
  };
}

/** Does nothing unless so many entries have come together. Needs no lock. */
async function checkpoint(root: Root, { log, mark }: History, atLeast: number): Promise<void> {
  const reached = mark.read();
  if (reached === null || !reached.isSameBoot) return;
  const { placed, safe } = reached;
  if (placed - safe < atLeast) return;
  const paths = new Set<Path>();
  for (const { changes } of readEntries(log.reach(), {
    sinceSeq: safe + 1,
    untilSeq: placed,
    outcomes: ["applied", "aborted"],
  }))
    for (const { path } of changes) paths.add(path);
  // "fast" leaves it to the system: entries that a power failure takes must not count as safe.
  await log.flush({ isLocked: false });
  await flushesDone();
  const parents = new Set<string>();
  for (const path of paths) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    try {
      await flushFile(root, path);
      if (!parents.has(parent)) withPlace(root, path, ({ dir }) => dir.fsync());
    } catch (error) {
      // Where others took the directory away, there is nothing of ours to make safe.
      if (!(error instanceof Refusal) && !GONE.has(errnoOf(error) ?? "")) throw error;
    }
    parents.add(parent);
  }
  mark.secure(placed);
}

const GONE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

async function flushFile(root: Root, path: Path): Promise<void> {
  const file = openRegular(root, path);
  if (file === null) return;
  try {
    await flushData(file.fd);
  } finally {
    closeQuietly(file.fd);
  }
}
