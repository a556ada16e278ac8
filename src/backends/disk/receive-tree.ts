// Takes a workspace that comes from elsewhere as a new directory: built in a private one beside it, renamed when it is whole.
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { LINK_MODE } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import { bytesOf } from "../../core/version.ts";
import type { FileItem, Receiver } from "../transfer.ts";
import { errnoOf } from "./errno.ts";
import { CREATE_ONLY, flushDirectory, writeParts } from "./io.ts";
import { inPrivate, type NewHistory, withNewHistory } from "./receive.ts";

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
