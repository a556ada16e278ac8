// Reaches the directory that holds a canonical path and opens what is in it, following no link at all.
import { lstatSync, mkdirSync, readlinkSync, rmdirSync, type Stats } from "node:fs";
import type { Path } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { checkName, namesOf, noSuchDirectory, notADirectory } from "../../../core/paths.ts";
import { shown } from "../../../core/printable.ts";
import { changed, notAFile } from "../../path-refusals.ts";
import { errnoOf, refusalOf } from "../errno.ts";
import type { Dir, OpenFile } from "./pin.ts";
import { type Root, refusePseudo } from "./root.ts";

export interface ParentOptions {
  readonly createParents?: boolean;
  /** Syncs the parent of every directory made, so that a crash cannot take it away again. */
  readonly sync?: boolean;
}

/** `made` names the directories that had to be made, outermost first. They are removed again when `use` throws. */
export function withParent<T>(
  root: Root,
  path: Path,
  { createParents, sync }: ParentOptions,
  use: (dir: Dir, name: string, made: readonly Path[]) => T,
): T {
  const names = namesOf(path);
  const name = names.pop();
  if (name === undefined)
    throw new Refusal("not_a_file", "The path names the workspace itself.", {
      path: "",
      next: "Name a file in the workspace.",
    });
  const made: Path[] = [];
  const make = (dir: Dir, missing: string, directory: string): void => {
    checkName(path, missing);
    if (makeOne(dir, missing, path)) made.push(directory as Path);
    if (sync) dir.fsync();
  };
  try {
    const dir = untilStable(() => descend(root, names, path, createParents ? make : undefined));
    try {
      if (dir !== root.dir && dir.dev !== root.dev) refusePseudo(dir.self, path);
      return use(dir, name, made);
    } finally {
      release(root, dir);
    }
  } catch (error) {
    removeEmpty(root, made);
    throw error;
  }
}

/** Removes directories that were made for nothing; one that has been filled meanwhile stays. */
export function removeEmpty(root: Root, directories: readonly Path[]): void {
  for (const path of directories.toReversed()) {
    try {
      withParent(root, path, {}, (dir, name) => rmdirSync(dir.at(name)));
    } catch {
      return;
    }
  }
}

/** The descriptor and the state of one and the same inode, to be closed by the caller; null when there is no such file. */
export function openRegular(root: Root, path: Path): OpenFile | null {
  return atPath(root, path, (dir, name) => root.pinning.open(dir, name, accept));

  function accept(stat: Stats, self: string): void {
    if (!stat.isFile()) throw notRegular(stat, path);
    if (stat.dev !== root.dev) refusePseudo(self, path);
  }
}

/** The bytes of the target of a link, and its state; null when nothing is there. */
export function readLink(root: Root, path: Path): { readonly target: Buffer; readonly stat: Stats } | null {
  return atPath(root, path, (dir, name) => {
    try {
      return { target: readlinkSync(dir.at(name), { encoding: "buffer" }), stat: lstatSync(dir.at(name)) };
    } catch (error) {
      throw errnoOf(error) === "EINVAL" ? changed(path) : error;
    }
  });
}

function atPath<T>(root: Root, path: Path, use: (dir: Dir, name: string) => T): T | null {
  const names = namesOf(path);
  const name = names.pop();
  if (name === undefined) throw notAFile(path);
  try {
    return untilStable(() => {
      const dir = descend(root, names, path);
      try {
        return use(dir, name);
      } finally {
        release(root, dir);
      }
    });
  } catch (error) {
    const refusal = refusalOf(error, path, "open");
    if (refusal.kind === "not_found") return null;
    throw refusal;
  }
}

function notRegular(stat: Stats, path: string): Refusal {
  if (stat.isSymbolicLink()) return changed(path);
  if (stat.isDirectory()) return notAFile(path);
  const what = stat.isFIFO() ? "a named pipe" : stat.isSocket() ? "a socket" : "a device";
  return new Refusal("not_a_file", `${shown(path)} is ${what}, not a regular file.`, {
    path,
    next: "Use a regular file.",
    details: { special: what },
  });
}

type OnMissing = (dir: Dir, name: string, directory: string) => void;

/** The directory of these names, pinned, in one attempt; `release` it afterwards. `onMissing` may make what is not there. */
export function descend(root: Root, names: readonly string[], path: string, onMissing?: OnMissing): Dir {
  let here = root.dir;
  try {
    for (let depth = 1; depth <= names.length; depth++) {
      const next = down(root, here, names.slice(0, depth), path, onMissing);
      release(root, here);
      here = next;
    }
    return here;
  } catch (error) {
    release(root, here);
    throw refusalOf(error, path, "reach");
  }
}

export function release(root: Root, dir: Dir): void {
  if (dir !== root.dir) dir.close();
}

/** A canonical path holds no link: one that is met has just been put there. */
function down(root: Root, here: Dir, names: readonly string[], path: string, onMissing?: OnMissing): Dir {
  const name = names[names.length - 1]!;
  let next = step(root, here, name, path);
  if (next === "missing" && onMissing !== undefined) {
    onMissing(here, name, names.join("/"));
    next = step(root, here, name, path);
    if (next === "missing") throw changed(path);
  }
  if (next === "missing") throw noSuchDirectory(path, names.join("/"));
  if (next === "other") throw notADirectory(path, names.join("/"));
  if (next === "link") throw changed(path);
  return next;
}

/** The directory of that name, pinned, or what is there instead. `path` is for messages. */
export function step(root: Root, parent: Dir, name: string, path: string): Dir | "missing" | "link" | "other" {
  try {
    return root.pinning.enter(parent, name);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT") return "missing";
    if (code !== "ENOTDIR" && code !== "ELOOP") throw refusalOf(error, path, "open a directory on the way to");
  }
  const stat = lstatSync(parent.at(name), { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) throw changed(path);
  return stat.isSymbolicLink() ? "link" : "other";
}

/** Starts over when something was swapped half-way. An attempt must leave nothing behind when it throws. */
export function untilStable<T>(attempt: () => T): T {
  for (let left = MAX_ATTEMPTS; ; left--) {
    try {
      return attempt();
    } catch (error) {
      if (left === 1 || !(error instanceof Refusal) || error.kind !== "path_changed") throw error;
    }
  }
}

/** Against a swap every 10 µs, about the fastest there is, half of the attempts come through: ten suffice for nearly every call. */
const MAX_ATTEMPTS = 10;

/** False when another process made it first. */
function makeOne(dir: Dir, name: string, path: string): boolean {
  try {
    mkdirSync(dir.at(name));
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw refusalOf(error, path, "make a directory for");
  }
}
