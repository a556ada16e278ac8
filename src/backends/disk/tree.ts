// What stet has in the tree itself: `.stet/`, with the lock and the temporary files of changes under way. Nothing in it is believed.
import fs from "node:fs";
import { type FailureKind, Refusal } from "../../core/failure.ts";
import { errnoOf } from "./errno.ts";
import { Lock } from "./lock.ts";
import { type Dir, isSameFile } from "./paths/pin.ts";
import type { Root } from "./paths/root.ts";
import { isOurs } from "./state-file.ts";

export const STATE_NAME = ".stet";

export interface Tree {
  readonly lock: Lock;
  /** Holds new versions on their way to their place, and what they displaced. */
  readonly dir: Dir;
  /** False: it was moved, removed or replaced since it was opened. */
  isThere(): boolean;
  /** Names of temporary files of any process. */
  leftOver(): readonly string[];
  close(): void;
}

/** Makes what is missing. */
export function openTree(root: Root): Tree {
  const dir = makeAndEnter(root);
  try {
    refuseAnothers(dir);
    refuseOldFormat(dir);
    ignoreForGit(dir.at(".gitignore"));
    const opened = fs.statSync(dir.self, { bigint: true });
    const lock = new Lock(dir.self, { shownAs: STATE_NAME });
    return {
      lock,
      dir,
      isThere: () => isSameFile(fs.lstatSync(root.dir.at(STATE_NAME), { bigint: true, throwIfNoEntry: false }), opened),
      leftOver: () => fs.readdirSync(dir.self).filter((name) => TEMPORARY.test(name)),
      close() {
        lock.close();
        dir.close();
      },
    };
  } catch (error) {
    dir.close();
    throw error;
  }
}

/** As temporary files are called: by the entry that they are of, and the place of their change in it. */
const TEMPORARY = /^(\d{1,15})-(\d{1,9})(-back)?$/;

function makeAndEnter(root: Root): Dir {
  try {
    fs.mkdirSync(root.dir.at(STATE_NAME), { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  try {
    return root.pinning.enter(root.dir, STATE_NAME);
  } catch (error) {
    // Something else, or a link, which is not followed.
    if (!["ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "")) throw error;
    throw unusable("unsupported", "is not a directory", `removes ${STATE_NAME}`, error);
  }
}

/** Who can write there could change what is on its way to its place. */
function refuseAnothers(dir: Dir): void {
  const stat = dir.stat();
  if (process.geteuid === undefined || (isOurs(stat) && (stat.mode & 0o022) === 0)) return;
  throw unusable(
    "permission_denied",
    "can be written by another user",
    `removes ${STATE_NAME}, or takes the right to write it from others`,
  );
}

/** Never released: what lies there is left alone. */
function refuseOldFormat(dir: Dir): void {
  if (fs.lstatSync(dir.at("format"), { throwIfNoEntry: false }) === undefined) return;
  throw unusable(
    "unsupported",
    "holds a history of format 1, which this stet does not read",
    `moves ${STATE_NAME} away`,
  );
}

function unusable(kind: FailureKind, why: string, next: string, cause?: unknown): Refusal {
  return new Refusal(kind, `${STATE_NAME} ${why}: files can be read, not changed.`, {
    next: `The owner of the workspace ${next}.`,
    cause,
  });
}

/** An owner's own file of that name stays as it is. */
function ignoreForGit(path: string): void {
  try {
    fs.writeFileSync(path, "*\n", { flag: "wx" });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}
