// Makes the files that the log speaks of safe on the disk, now and then: a recovery after a power failure looks only at what came later.
import type { Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { parentOf } from "../../core/paths.ts";
import { errnoOf } from "./errno.ts";
import { flushesDone } from "./flushes.ts";
import type { History } from "./history.ts";
import { closeQuietly, flushData, flushDirectory } from "./io.ts";
import { readEntries } from "./log/query.ts";
import { openRegular, withPlace } from "./paths/reach.ts";
import type { Root } from "./paths/root.ts";

/** So long after a change its files are made safe, with those of all changes since. */
const LATER_MS = 2000;

export interface Checkpoints {
  /** After a change. */
  soon(): void;
  /** The last one. After a restart, what others did to files since is not taken for what a power failure did. */
  end(): Promise<void>;
}

/** Nothing depends on them: one that fails is made up for by the next. */
export function createCheckpoints(root: Root, history: () => History | null): Checkpoints {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    const open = history();
    if (open === null || running !== null) return;
    running = checkpoint(root, open)
      .catch(() => undefined)
      .finally(() => {
        running = null;
      });
  }

  return {
    soon() {
      timer ??= setTimeout(begin, LATER_MS).unref();
    },
    async end() {
      await running;
      begin();
      await running;
    },
  };
}

/** Needs no lock. */
async function checkpoint(root: Root, { log, mark }: History): Promise<void> {
  const reached = mark.read();
  if (reached === null || !reached.isSameBoot || reached.placed === reached.safe) return;
  const { placed, safe } = reached;
  const range = { sinceSeq: safe + 1, untilSeq: placed };
  const entries = [...readEntries(log.reach(), { ...range, outcomes: ["applied", "aborted"] })];
  const paths = new Set<Path>(entries.flatMap(({ changes }) => changes.map(({ path }) => path)));
  // "fast" leaves it to the system: entries that a power failure takes must not count as safe.
  await log.flush({ isLocked: false });
  await flushesDone();
  for (const path of paths) await unlessGone(() => flushFile(root, path));
  const firsts = new Map([...paths].map((path) => [parentOf(path), path]));
  for (const path of firsts.values())
    await unlessGone(async () => withPlace(root, path, ({ dir }) => flushDirectory(dir.self)));
  mark.secure(placed);
}

/** Where others took the directory away, there is nothing of ours to make safe. */
async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal) && !["ENOENT", "ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "")) throw error;
  }
}

async function flushFile(root: Root, path: Path): Promise<void> {
  const file = openRegular(root, path);
  if (file === null) return;
  try {
    await flushData(file.fd);
  } finally {
    closeQuietly(file.fd);
  }
}
