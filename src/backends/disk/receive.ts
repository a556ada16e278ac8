// Takes a history that comes from elsewhere: built in a private directory of the home, given to its root when it is whole.
import { hash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { shown } from "../../core/printable.ts";
import { type HistoryItem, type Reached, type Receiver, requireArrived } from "../transfer.ts";
import { findHistory, LOG, linkHistory, makeHistoryIn } from "./home.ts";
import { flushDirectory } from "./io.ts";
import { Lock } from "./lock.ts";
import { INLINE_BYTES } from "./log/blobs.ts";
import { appendWhole, segmentPath } from "./log/segment.ts";
import { verifyLog } from "./log/verify.ts";
import { openObjects } from "./objects.ts";
import { createStateFile } from "./state-file.ts";
import { recordOf } from "./transfer.ts";

export interface NewHistory {
  add(item: HistoryItem): Promise<void>;
  /** Verifies what came, and makes it the history of `root`, which will be called `path`. Gives its directory. */
  finish(head: Reached, root: string): Promise<string>;
}

/** `path`: the root that it will be of. Nothing stays of it unless it was finished. */
export function withNewHistory<T>(home: string, path: string, work: (history: NewHistory) => Promise<T>): Promise<T> {
  return inPrivate(join(home, `new-${hash("sha256", path).slice(0, 16)}`), (own) => {
    const directory = join(own, "history");
    makeHistoryIn(directory, path);
    const writer = writerOf(directory);
    return work({
      add: writer.add,
      async finish(head, root) {
        writer.end();
        requireArrived(await verifyLog(join(directory, LOG)), head);
        return linkHistory(home, { directory }, root, path);
      },
    }).finally(writer.end);
  });
}

/** A root that has a history is refused. */
export async function receiveHistory<T>(
  home: string,
  root: string,
  work: (receiver: Receiver) => Promise<T>,
): Promise<T> {
  if (findHistory(home, root) !== null)
    throw new Refusal("already_exists", `${shown(root)} has a history of its own.`, {
      next: "Forget that one first, with stet history forget.",
    });
  return withNewHistory(home, root, (history) =>
    work({
      async add(item) {
        if (item.kind !== "file") await history.add(item);
      },
      async finish(head) {
        await history.finish(head, root);
      },
    }),
  );
}

/** A directory of this call alone, empty at first, removed at the end. What a process that died left there is removed. */
export async function inPrivate<T>(directory: string, work: (directory: string) => Promise<T>): Promise<T> {
  const locks = join(directory, "lock");
  fs.mkdirSync(locks, { recursive: true, mode: 0o700 });
  const lock = new Lock(locks, { shownAs: locks });
  const release = await lock.acquire({ timeoutMs: 0 }).catch((error) => {
    lock.close();
    throw error instanceof Refusal && error.kind === "busy" ? isBuilt(directory) : error;
  });
  try {
    for (const name of fs.readdirSync(directory)) if (name !== "lock") fs.rmSync(join(directory, name), REMOVE);
    return await work(directory);
  } finally {
    fs.rmSync(directory, REMOVE);
    release();
    lock.close();
  }
}

function isBuilt(directory: string): Refusal {
  return new Refusal("busy", `Another stet is at work in ${shown(directory)}.`, { next: "Wait until it has ended." });
}

const REMOVE = { recursive: true, force: true } as const;

/** Appends records as they came. Versions that are large, or that no entry follows, become files of their own. */
function writerOf(directory: string) {
  const dir = join(directory, LOG);
  const objects = openObjects(join(directory, "objects"));
  let seq = 0;
  let segment: { readonly fd: number; readonly firstSeq: number; end: number } | null = null;

  /** Begins a new one only behind an entry: a segment is called by its first. */
  function append(item: HistoryItem): void {
    if (segment !== null && segment.end >= LIMITS.segmentBytes && segment.firstSeq <= seq) end();
    segment ??= { fd: createStateFile(segmentPath(dir, seq + 1)), firstSeq: seq + 1, end: 0 };
    segment.end = appendWhole(segment.fd, recordOf(item), segment.end);
    if (item.kind === "entry") seq++;
  }

  function end(): void {
    if (segment === null) return;
    const { fd } = segment;
    segment = null;
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    flushDirectory(dir);
  }

  return {
    end,
    async add(item: HistoryItem): Promise<void> {
      if (item.kind === "entry") return append(item);
      const { version, keptAt } = item;
      const isFull = segment !== null && segment.firstSeq > seq && segment.end >= LIMITS.segmentBytes;
      if (version.size <= INLINE_BYTES && !isFull) return append(item);
      await objects.put(version, true);
      const time = keptAt / 1000;
      fs.utimesSync(join(directory, "objects", version.sha), time, time);
    },
  };
}
