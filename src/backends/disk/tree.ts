// What stet has in the tree itself: `.stet/`, with the lock and the temporary files of changes under way. Nothing in it is believed.
import fs from "node:fs";
import { Refusal } from "../../core/failure.ts";
import { errnoOf } from "./errno.ts";
import { removeQuietly } from "./io.ts";
import { Lock } from "./lock.ts";
import type { Dir } from "./paths/pin.ts";
import type { Root } from "./paths/root.ts";
import { stillThere } from "./paths/same-directory.ts";
import { isOurs } from "./state-file.ts";

export const STATE_NAME = ".stet";

export interface Tree {
  readonly lock: Lock;
  /** Holds new versions on their way to their place, and what they displaced. */
  readonly temporary: Dir;
  /** False: it was moved, removed or replaced since it was opened. */
  isThere(): boolean;
  /** Names of temporary files of any process. */
  leftOver(): readonly string[];
  close(): void;
}

/** Makes what is missing. */
export function openTree(root: Root): Tree {
  const opened: Dir[] = [];
  const enter = (parent: Dir, name: string): Dir => {
    const dir = makeAndEnter(root, parent, name);
    opened.push(dir);
    return dir;
  };
  try {
    const base = enter(root.dir, STATE_NAME);
    refuseAnothers(base);
    refuseOldFormat(base);
    ignoreForGit(base.at(".gitignore"));
    const locks = enter(base, "lock");
    const lock = new Lock(locks.self, { shownAs: `${STATE_NAME}/lock` });
    const temporary = enter(base, "tmp");
    const inPlace = [
      stillThere(base, { parent: root.dir, name: STATE_NAME }),
      stillThere(locks, { parent: base, name: "lock" }),
      stillThere(temporary, { parent: base, name: "tmp" }),
    ];
    return {
      lock,
      temporary,
      isThere: () => inPlace.every((still) => still() !== null),
      leftOver: () => fs.readdirSync(temporary.self).filter((name) => TEMPORARY.test(name)),
      close() {
        lock.close();
        for (const dir of opened) dir.close();
      },
    };
  } catch (error) {
    for (const dir of opened) dir.close();
    throw error;
  }
}

/** As temporary files are called: by the entry that they are of, and the place of their change in it. */
export const TEMPORARY = /^(\d{1,15})-(\d{1,9})(-back)?$/;

export function sweep(tree: Tree): void {
  for (const name of tree.leftOver()) removeQuietly(tree.temporary.at(name));
}

function makeAndEnter(root: Root, parent: Dir, name: string): Dir {
  try {
    return root.pinning.enter(parent, name);
  } catch (error) {
    const code = errnoOf(error) ?? "";
    // Something else, or a link, which is not followed.
    if (["ENOTDIR", "ELOOP"].includes(code))
      throw notADirectory(name === STATE_NAME ? name : `${STATE_NAME}/${name}`, error);
    if (code !== "ENOENT") throw error;
  }
  try {
    fs.mkdirSync(parent.at(name), { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  return root.pinning.enter(parent, name);
}

function notADirectory(name: string, cause: unknown): Refusal {
  return new Refusal("unsupported", `${name} in the workspace is not a directory: files can be read, not changed.`, {
    cause,
    next: "The owner of the workspace removes it.",
  });
}

/** Who can write there could change what is on its way to its place. */
function refuseAnothers(base: Dir): void {
  const stat = base.stat();
  if (process.geteuid === undefined || (isOurs(stat) && (stat.mode & 0o022) === 0)) return;
  throw new Refusal(
    "permission_denied",
    `${STATE_NAME} in the workspace can be written by another user: files can be read, not changed.`,
    { next: `The owner of the workspace removes ${STATE_NAME}, or takes the right to write it from others.` },
  );
}

/** Never released: what lies there is left alone. */
function refuseOldFormat(base: Dir): void {
  if (fs.lstatSync(base.at("format"), { throwIfNoEntry: false }) === undefined) return;
  throw new Refusal(
    "unsupported",
    `${STATE_NAME} holds a history of format 1, which this stet does not read: files can be read, not changed.`,
    { next: `The owner of the workspace moves ${STATE_NAME} away.` },
  );
}

/** An owner's own file of that name stays as it is. */
function ignoreForGit(path: string): void {
  try {
    fs.writeFileSync(path, "*\n", { flag: "wx" });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}
