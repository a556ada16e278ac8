// Takes what comes from elsewhere, built in a private directory until it is whole: a history for a root, or a new directory.
import { hash } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { LINK_MODE, type Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { shown } from "../../core/printable.ts";
import { bytesOf } from "../../core/version.ts";
import { isPath } from "../journal/entry-form.ts";
import type { FileItem, Item, Receiver } from "../transfer.ts";
import { refusalOf } from "./errno.ts";
import { keepBlobs, openHistory } from "./history.ts";
import { findHistory, hasItsOwn, linkHistory, makeHistoryIn } from "./home.ts";
import { flushDirectory } from "./io.ts";
import { Lock } from "./lock.ts";

interface NewHistory {
  add(item: Item): Promise<void>;
  /** Makes what came the history of `root`, which will be called `path`. Gives its directory. */
  finish(root: string): Promise<string>;
}

/** `path`: the root that it will be of. Nothing stays of it unless it was finished. */
function withNewHistory<T>(home: string, path: string, work: (history: NewHistory) => Promise<T>): Promise<T> {
  return inPrivate(join(home, `new-${hash("sha256", path).slice(0, 16)}`), async (own) => {
    const directory = join(own, "history");
    makeHistoryIn(directory, path);
    const history = openHistory(directory, LIMITS);
    const { log, objects } = history;
    try {
      return await work({
        async add(item) {
          if (item.kind === "entry") log.copy(item.line);
          if (item.kind !== "version") return;
          const { version, keptAt } = item;
          log.keep(await keepBlobs(history, [version], "full"), { keptAt });
          if (objects.find(version.sha) !== null) objects.renew(version.sha, keptAt);
        },
        async finish(root) {
          await log.flush();
          history.close();
          return linkHistory(home, { directory }, root, path);
        },
      });
    } finally {
      history.close();
    }
  });
}

/** A root that has a history is refused. */
export async function receiveHistory<T>(
  home: string,
  root: string,
  work: (receiver: Receiver) => Promise<T>,
): Promise<T> {
  if (findHistory(home, root) !== null) throw hasItsOwn(root);
  return withNewHistory(home, root, ({ add, finish }) => work({ add, finish: async () => void (await finish(root)) }));
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
      if (item.kind === "file") inWords(item.path, () => place(tree, item, later));
      else await history?.add(item);
    },
    async finish({ head }) {
      // Links are made last, so nothing is written through one; then the times of directories, the innermost first.
      for (const make of later.toReversed()) make();
      fs.chmodSync(tree, 0o777 & ~process.umask());
      refuseTaken(path);
      const made = history === null || head.seq === 0 ? null : await history.finish(tree);
      try {
        if (fs.existsSync(path)) fs.rmdirSync(path);
        fs.renameSync(tree, path);
      } catch (error) {
        if (made !== null) fs.rmSync(made, REMOVE);
        throw error;
      }
      flushDirectory(dirname(path));
    },
  };
}

function place(tree: string, { path, mtimeMs, version }: FileItem, later: (() => void)[]): void {
  const at = join(tree, checkedPath(path));
  if (version === null) {
    fs.mkdirSync(at, { recursive: true });
    later.push(() => fs.utimesSync(at, mtimeMs / 1000, mtimeMs / 1000));
    return;
  }
  fs.mkdirSync(dirname(at), { recursive: true });
  if (version.mode === LINK_MODE) {
    later.push(() => inWords(path, () => fs.symlinkSync(Buffer.from(bytesOf(version)), at)));
    return;
  }
  fs.writeFileSync(at, bytesOf(version), { flag: "wx", flush: true });
  fs.chmodSync(at, (version.mode ?? 0o644) & 0o1777);
  fs.utimesSync(at, mtimeMs / 1000, mtimeMs / 1000);
}

/** The database is not believed about names: each must stay in the directory, and out of its `.stet`. */
function checkedPath(path: Path): string {
  if (isPath(path) && !OWN.test(path)) return path;
  throw new Refusal("invalid_path", `${shown(path)} cannot be the name of a file in a directory.`, {
    path,
    next: "Rename it where it is, and pull again.",
  });
}

const OWN = /(?:^|\/)\.stet(?:\/|$)/i;

/** An empty directory may be there. */
function refuseTaken(path: string): void {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isDirectory() && fs.readdirSync(path).length === 0)) return;
  throw new Refusal("already_exists", `${shown(path)} is there already, and is not an empty directory.`, {
    next: "Name a directory that is not there yet.",
  });
}

/** Where a file system does not tell the case of letters apart, two names can be one: that exists already. */
function inWords(path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    throw refusalOf(error, path, "write");
  }
}
