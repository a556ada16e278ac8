// Takes what comes from elsewhere, built in a private directory until it is whole: a history for a root, or a new directory.
import { hash } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { LINK_MODE } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { shown } from "../../core/printable.ts";
import { bytesOf } from "../../core/version.ts";
import { type FileItem, type HistoryItem, type Reached, type Receiver, requireArrived } from "../transfer.ts";
import { errnoOf } from "./errno.ts";
import { findHistory, LOG, linkHistory, makeHistoryIn } from "./home.ts";
import { CREATE_ONLY, flushDirectory, writeParts } from "./io.ts";
import { Lock } from "./lock.ts";
import { INLINE_BYTES } from "./log/blobs.ts";
import { appendWhole, segmentPath } from "./log/segment.ts";
import { verifyLog } from "./log/verify.ts";
import { openObjects } from "./objects.ts";
import { createStateFile } from "./state-file.ts";
import { recordOf } from "./transfer.ts";

interface NewHistory {
  add(item: HistoryItem): Promise<void>;
  /** Verifies what came, and makes it the history of `root`, which will be called `path`. Gives its directory. */
  finish(head: Reached, root: string): Promise<string>;
}

/** `path`: the root that it will be of. Nothing stays of it unless it was finished. */
function withNewHistory<T>(home: string, path: string, work: (history: NewHistory) => Promise<T>): Promise<T> {
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
async function inPrivate<T>(directory: string, work: (directory: string) => Promise<T>): Promise<T> {
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

/** `home`: where its history is made; null makes none. Nothing stays of it unless it was finished. */
export async function receiveDirectory<T>(
  target: string,
  home: string | null,
  work: (receiver: Receiver) => Promise<T>,
): Promise<T> {
  refuseTaken(target);
  fs.mkdirSync(dirname(target), { recursive: true });
  const path = join(fs.realpathSync(dirname(target)), basename(target));
  return inPrivate(join(dirname(path), `.${basename(path)}.pulling`), (own) => {
    refuseTaken(path);
    const build = (history: NewHistory | null): Promise<T> => work(receiverOf(join(own, "tree"), path, history));
    return home === null ? build(null) : withNewHistory(home, path, build);
  });
}

function receiverOf(tree: string, path: string, history: NewHistory | null): Receiver {
  const later: (() => void)[] = [];
  fs.mkdirSync(tree, { mode: 0o700 });
  return {
    async add(item) {
      if (item.kind === "file") await place(tree, item, later);
      else await history?.add(item);
    },
    async finish(head) {
      // Links are made last, so nothing is written through one; then the times of directories, the innermost first.
      for (const make of later.toReversed()) make();
      fs.chmodSync(tree, 0o777 & ~process.umask());
      refuseTaken(path);
      const made = history === null || head.seq === 0 ? null : await history.finish(head, tree);
      try {
        if (fs.existsSync(path)) fs.rmdirSync(path);
        fs.renameSync(tree, path);
      } catch (error) {
        if (made !== null) fs.rmSync(made, { recursive: true, force: true });
        throw error;
      }
      flushDirectory(dirname(path));
    },
  };
}

async function place(tree: string, { path, mtimeMs, version }: FileItem, later: (() => void)[]): Promise<void> {
  const at = join(tree, checkedPath(path));
  if (version === null) {
    fs.mkdirSync(at, { recursive: true });
    later.push(() => fs.utimesSync(at, mtimeMs / 1000, mtimeMs / 1000));
    return;
  }
  fs.mkdirSync(dirname(at), { recursive: true });
  if (version.mode === LINK_MODE) {
    later.push(() => namedOnce(path, () => fs.symlinkSync(Buffer.from(bytesOf(version)), at)));
    return;
  }
  const fd = namedOnce(path, () => fs.openSync(at, CREATE_ONLY, 0o600));
  try {
    await writeParts(fd, version.parts);
    fs.fchmodSync(fd, (version.mode ?? 0o644) & 0o1777);
    fs.futimesSync(fd, mtimeMs / 1000, mtimeMs / 1000);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** The database is not believed about names: each must stay in the directory, and out of its `.stet`. */
function checkedPath(path: string): string {
  const isSafe = path
    .split("/")
    .every((name) => name !== "" && name !== "." && name !== ".." && !UNFIT.test(name) && !OWN.test(name));
  if (isSafe) return path;
  throw new Refusal("invalid_path", `${shown(path)} cannot be the name of a file in a directory.`, {
    path,
    next: "Rename it where it is, and pull again.",
  });
}

const OWN = /^\.stet$/i;
/** Elsewhere than on Windows a backslash is a character like any other. */
const UNFIT = process.platform === "win32" ? /[\0\\]/ : /\0/;

/** An empty directory may be there. */
function refuseTaken(path: string): void {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isDirectory() && fs.readdirSync(path).length === 0)) return;
  throw new Refusal("already_exists", `${shown(path)} is there already, and is not an empty directory.`, {
    next: "Name a directory that is not there yet.",
  });
}

/** On file systems that do not tell the case of letters apart, two names can be one. */
function namedOnce<T>(path: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    throw new Refusal("already_exists", `${shown(path)} has the name of another file, as this file system sees it.`, {
      path,
      next: "Rename one of them where they are, and pull again.",
    });
  }
}
