// Where histories lie: in the user's own directory, each found by the identity of the root that it is of.
import { hash } from "node:crypto";
import fs from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import { errnoOf } from "./errno.ts";
import { flushDirectory } from "./io.ts";
import { makeMark } from "./mark.ts";
import { readStateFile, replaceStateFile } from "./state-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `STET_STATE`, else where systems keep what programs remember about a user. Undefined where the user has no home. */
export function stateHome(env: Environment = process.env): string | undefined {
  const given = env.STET_STATE?.trim();
  if (!given) return defaultStateHome(env);
  if (isAbsolute(given)) return given;
  throw new Refusal("invalid_input", `STET_STATE must be an absolute path; got ${shown(given)}.`);
}

export function defaultStateHome(env: Environment = process.env): string | undefined {
  const local = process.platform === "win32" ? env.LOCALAPPDATA : undefined;
  const ofUser = [env.XDG_STATE_HOME, local].find((path) => path !== undefined && isAbsolute(path));
  if (ofUser !== undefined) return join(ofUser, "stet");
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homeOfUser();
  return home === undefined ? undefined : join(home, ".local", "state", "stet");
}

/** As the machine knows it; undefined for many users in containers. */
export function homeOfUser(): string | undefined {
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : undefined;
  } catch {
    return undefined;
  }
}

/** What the home says about one history. */
export interface AboutHistory {
  /** The name of its directory: by which root it is found. */
  readonly id: string;
  readonly directory: string;
  /** The root that it is of, as it was last opened. */
  readonly root: string;
  /** When it was last changed: ISO 8601. */
  readonly usedAt: string;
}

/** Null when this root has none yet. A root that was moved is found, and its new path written down. */
export function findHistory(home: string, root: string): string | null {
  const directory = join(home, identityOf(root));
  const about = readAbout(directory);
  if (about === null) return null;
  if (about.root !== root) writeRoot(directory, root);
  return directory;
}

/** Begins a history for this root. */
export function makeHistory(home: string, root: string): string {
  const directory = join(home, identityOf(root));
  makeDirectories(join(directory, LOG));
  // Before its first entry: without a mark, nothing that a crash left would be finished.
  if (!fs.existsSync(join(directory, MARK))) makeMark(join(directory, MARK));
  makeHistoryIn(directory, root);
  return directory;
}

/**
 * Each name is flushed: where one on the way is not safe, a power failure takes all that is below it. Of a disk that is
 * read-only, the call that makes all of them says that a directory is missing.
 */
function makeDirectories(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return;
    if (errnoOf(error) !== "ENOENT" || path === dirname(path)) throw error;
    makeDirectories(dirname(path));
    fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  }
  flushDirectory(dirname(path));
}

/** In a directory that no root is found by until `linkHistory` gives it to one. Without a mark nothing is recovered. */
export function makeHistoryIn(directory: string, root: string): void {
  fs.mkdirSync(join(directory, LOG), { recursive: true, mode: 0o700 });
  writeRoot(directory, root);
  flushDirectory(directory);
}

export const LOG = "log";
export const MARK = "mark";

/** All histories of this user. What cannot be read is left out. */
export function listHistories(home: string): AboutHistory[] {
  const names = fs.existsSync(home) ? fs.readdirSync(home) : [];
  return names.flatMap((name) => {
    try {
      return (IDENTITY.test(name) && readAbout(join(home, name))) || [];
    } catch {
      return [];
    }
  });
}

/** False: its directory was deleted, moved away, or replaced by another one. */
export function isRootThere({ id, root }: AboutHistory): boolean {
  try {
    return identityOf(root) === id;
  } catch {
    return false;
  }
}

/** A history becomes that of another root, which has none. `path`: what the root is called, or will be. */
export function linkHistory(
  home: string,
  { directory }: Pick<AboutHistory, "directory">,
  root: string,
  path = root,
): string {
  const to = join(home, identityOf(root, path));
  if (readAbout(to) !== null) throw hasItsOwn(root);
  // It tells how far the files of the old root followed the log: nothing is rolled forward in the new one.
  fs.rmSync(join(directory, MARK), { force: true });
  fs.renameSync(directory, to);
  writeRoot(to, path);
  flushDirectory(home);
  return to;
}

export function hasItsOwn(root: string): Refusal {
  return new Refusal("already_exists", `${shown(root)} has a history of its own.`, {
    next: "Forget that one first, with stet history forget.",
  });
}

const BLOCK_BYTES = 512;

/** A small file takes a whole block. */
export function bytesOnDisk({ directory }: Pick<AboutHistory, "directory">): number {
  return fs.readdirSync(directory, { recursive: true, encoding: "utf8" }).reduce((sum, path) => {
    const stat = fs.lstatSync(join(directory, path), { throwIfNoEntry: false });
    return sum + (stat === undefined ? 0 : (stat.blocks ?? 0) * BLOCK_BYTES || stat.size);
  }, 0);
}

/** Of a root that was deleted. */
export function makeRootAgain(home: string, about: AboutHistory): void {
  fs.mkdirSync(about.root, { recursive: true });
  linkHistory(home, about, about.root);
}

/** Under another name first, so that half of it is never taken for a history. */
export function forgetHistory(home: string, { id, directory }: AboutHistory): void {
  const doomed = join(home, `forgotten-${id}`);
  fs.renameSync(directory, doomed);
  fs.rmSync(doomed, { recursive: true, force: true });
}

/** Device numbers change between starts on some systems, so a directory is known by its inode and the time of its birth. */
function identityOf(root: string, path = root): string {
  const { ino, birthtimeNs } = fs.statSync(root, { bigint: true });
  // Some file systems tell no birth: then the path is the second witness, and a moved root is not followed.
  const witness = birthtimeNs > 0n ? birthtimeNs.toString(16) : `p${hash("sha256", path).slice(0, 16)}`;
  return `${ino.toString(16)}-${witness}`;
}

const IDENTITY = /^[0-9a-f]+-p?[0-9a-f]+$/;
const ROOT = "root";
const PATH_BYTES = 64 * 1024;

/** Where the path of its root is gone or damaged, the history is there all the same: the path is for people. */
function readAbout(directory: string): AboutHistory | null {
  const states = [MARK, LOG, ROOT].map((name) => fs.lstatSync(join(directory, name), { throwIfNoEntry: false }));
  const used = states.find((stat) => stat !== undefined);
  if (used === undefined) return null;
  const root = readStateFile(join(directory, ROOT), PATH_BYTES)?.toString() ?? "";
  return { id: basename(directory), directory, root, usedAt: used.mtime.toISOString() };
}

function writeRoot(directory: string, root: string): void {
  try {
    replaceStateFile(join(directory, ROOT), [root], true);
  } catch (error) {
    // A history that can only be read is opened all the same.
    if (readAbout(directory) === null) throw error;
  }
}
