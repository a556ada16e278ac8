// Reaches the directory that holds a canonical path and opens what is in it, following no link at all.
import { lstatSync, mkdirSync, readlinkSync, rmdirSync, type Stats } from "node:fs";
import type { Path } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { namesOf } from "../../../core/paths.ts";
import { shown } from "../../../core/printable.ts";
import { changed, checkName, noSuchDirectory, notADirectory, notAFile } from "../../paths.ts";
import { errnoOf, refusalOf } from "../errno.ts";
import { flushDirectory } from "../io.ts";
import { Dir, type OpenFile } from "./pin.ts";
import { type Root, refusePseudo } from "./root.ts";

/** A name in a directory that is held until `release`. */
export interface Place {
  readonly path: Path;
  readonly dir: Dir;
  readonly name: string;
  /** Directories that had to be made, outermost first. */
  readonly made: readonly Path[];
}

/** `sync`: the parent of every directory made, so that a crash cannot take it away again. Nothing that it made stays when it throws. */
export function placeOf(
  root: Root,
  path: Path,
  { createParents = false, sync = false }: { readonly createParents?: boolean; readonly sync?: boolean } = {},
): Place {
  const names = namesOf(path);
  const name = names.pop();
  if (name === undefined) throw notAFile(path);
  const made: Path[] = [];
  const make = (dir: Dir, missing: string, directory: string): void => {
    checkName(path, missing);
    refusePseudo(root, dir, path);
    if (makeOne(dir, missing, path)) made.push(directory as Path);
    if (sync) flushDirectory(dir.self);
  };
  try {
    const dir = untilStable(() => descend(root, names, path, createParents ? make : undefined));
    return { path, dir, name, made };
  } catch (error) {
    removeEmpty(root, made);
    throw error;
  }
}

export function withPlace<T>(root: Root, path: Path, use: (place: Place) => T): T {
  const place = placeOf(root, path);
  try {
    return use(place);
  } finally {
    release(root, place);
  }
}

export function release(root: Root, { dir }: Pick<Place, "dir">): void {
  if (dir !== root.dir) dir.close();
}

/** Removes directories that were made for nothing; one that has been filled meanwhile stays. */
export function removeEmpty(root: Root, directories: readonly Path[]): void {
  for (const path of directories.toReversed()) {
    try {
      withPlace(root, path, ({ dir, name }) => rmdirSync(dir.at(name)));
    } catch {
      return;
    }
  }
}

/** The bytes of the target of a link, and its state. */
export interface Link {
  readonly target: Buffer;
  readonly stat: Stats;
}

/** The descriptor and the state of one and the same inode, to be closed by the caller; null when there is no such file. */
export function openRegular(root: Root, path: Path): OpenFile | null {
  const found = openFileOrLink(root, path);
  if (found !== null && !("fd" in found)) throw changed(path);
  return found;
}

export function openFileOrLink(root: Root, path: Path): OpenFile | Link | null {
  try {
    return withPlace(root, path, (place) => openAt(root, place));
  } catch (error) {
    if (error instanceof Refusal && error.kind === "not_found") return null;
    throw error;
  }
}

export function openAt(root: Root, { path, dir, name }: Place): OpenFile | Link | null {
  return untilStable(() => {
    try {
      return root.pinning.open(dir, name, (stat, self) => {
        if (!stat.isFile()) throw notRegular(stat, path);
        refusePseudo(root, { dev: stat.dev, self }, path);
      });
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return null;
      const refusal = refusalOf(error, path, "open");
      if (refusal.kind !== "path_changed") throw refusal;
    }
    return readLink(path, dir.at(name));
  });
}

function readLink(path: Path, place: string): Link | null {
  try {
    return { target: readlinkSync(place, { encoding: "buffer" }), stat: lstatSync(place) };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw errnoOf(error) === "EINVAL" ? changed(path) : refusalOf(error, path, "open");
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

/**
 * The directory of these names, pinned, in one attempt; `release` it afterwards. `onMissing` may make what is not there.
 * A canonical path holds no link: one that is met has just been put there.
 */
export function descend(root: Root, names: readonly string[], path: string, onMissing?: OnMissing): Dir {
  let here = root.dir;
  try {
    for (const [depth, name] of names.entries()) {
      const soFar = (): string => names.slice(0, depth + 1).join("/");
      let next = step(root, here, name, path);
      if (next === "missing") {
        if (onMissing === undefined) throw noSuchDirectory(path, soFar());
        onMissing(here, name, soFar());
        next = step(root, here, name, path);
      }
      if (next === "other") throw notADirectory(path, soFar());
      if (!(next instanceof Dir)) throw changed(path);
      release(root, { dir: here });
      here = next;
    }
    return here;
  } catch (error) {
    release(root, { dir: here });
    throw refusalOf(error, path, "reach");
  }
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
