// Where the state of a workspace lies: reaching its directory and the ones in it, following no link, and making them.
import fs from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { errnoOf, isNoDirectory } from "../errno.ts";
import type { Dir } from "../paths/pin.ts";
import { openRoot, type Root } from "../paths/root.ts";
import type { Whereabouts } from "../paths/same-directory.ts";

export const STATE_NAME = ".stet";

/** As the directories are called in which an adoption builds the new state, and gathers the old one. */
export const ADOPTING = "adopting-";
export const MOVING = "moving-";
/** Only one that died on its way leaves such a directory behind. */
export const isMoving = (name: string): boolean => /^moving-[0-9a-f]{32}$/.test(name);

export interface StateDirectory {
  readonly dir: Dir;
  /** Absolute, links resolved. */
  readonly path: string;
}

/** Null when there is none yet and none shall be made. `stateDir` is absolute: the owner's choice instead of `.stet`. */
export function openStateDirectory(root: Root, stateDir: string | undefined, create: boolean): StateDirectory | null {
  if (stateDir !== undefined) {
    if (create) fs.mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    if (fs.statSync(stateDir, { throwIfNoEntry: false }) === undefined) return null;
    const { dir, path } = openRoot(stateDir);
    return { dir, path };
  }
  // To try and fail takes ten times as long.
  if (!create && fs.lstatSync(root.dir.at(STATE_NAME), { throwIfNoEntry: false }) === undefined) return null;
  try {
    const dir = enterOrNull(root, root.dir, STATE_NAME) ?? (create ? makeAndEnter(root, root.dir, STATE_NAME) : null);
    return dir === null ? null : { dir, path: `${root.path === "/" ? "" : root.path}/${STATE_NAME}` };
  } catch (error) {
    if (!isNoDirectory(error)) throw error;
    throw new Refusal(
      "unsupported",
      `${STATE_NAME} in the workspace is not a directory of its own: files can be read, but nothing is changed, undone or written down.`,
      { cause: error, next: "The owner of the workspace removes it.", details: { stateNotUsed: "is not a directory" } },
    );
  }
}

export function placeOf(root: Root, stateDir: string | undefined): Whereabouts {
  return stateDir === undefined ? { parent: root.dir, name: STATE_NAME } : { followed: stateDir };
}

export function enterOrNull(root: Root, parent: Dir, name: string): Dir | null {
  try {
    return root.pinning.enter(parent, name);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** Ours alone: kept versions may hold what the files in the workspace do not show to other users. */
export function makeAndEnter(root: Root, parent: Dir, name: string): Dir {
  try {
    fs.mkdirSync(parent.at(name), { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  return root.pinning.enter(parent, name);
}
