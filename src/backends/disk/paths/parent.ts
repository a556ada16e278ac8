// Reaches the directory that holds a canonical path, following no link at all, and makes missing directories when asked.
import { mkdirSync, rmdirSync } from "node:fs";
import type { Path } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { checkName, namesOf, noSuchDirectory, notADirectory } from "../../../core/paths.ts";
import { changed } from "../../path-refusals.ts";
import { errnoOf, refusalOf } from "../errno.ts";
import { step, untilStable } from "./one-name.ts";
import type { Dir } from "./pin.ts";
import { refusePseudo } from "./pseudo-file-systems.ts";
import type { Root } from "./root.ts";

export interface ParentOptions {
  readonly createParents?: boolean;
  /** Syncs the parent of every directory made, so that a crash cannot take it away again. */
  readonly sync?: boolean;
}

/** `made` names the directories that had to be made, outermost first. They are removed again when `use` throws. */
export function withParent<T>(
  root: Root,
  path: Path,
  options: ParentOptions,
  use: (dir: Dir, name: string, made: readonly Path[]) => T,
): T {
  const names = namesOf(path);
  const name = names.pop();
  if (name === undefined) throw theRootItself();
  const made: Path[] = [];
  try {
    const dir = untilStable(() => descend(root, names, path, options.createParents ? make : undefined));
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

  function make(dir: Dir, missing: string, directory: string): void {
    checkName(path, missing);
    if (makeOne(dir, missing, path)) made.push(directory as Path);
    if (options.sync) dir.fsync();
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

function theRootItself(): Refusal {
  return new Refusal("not_a_file", "The path names the workspace itself.", {
    path: "",
    next: "Name a file in the workspace.",
  });
}
