// A tree of copies on disk, of which it is known how every directory was left: what another program deletes there shows.
import fs from "node:fs";
import { join } from "node:path";
import { parentOf } from "../../../core/paths.ts";
import { yieldEvery } from "../../../core/yield-every.ts";

export interface Tree {
  readonly directory: string;
  /** Every change of the tree, in one go: nothing of it is half done where others can look. */
  change(work: (hands: Hands) => void): void;
  /** Nothing was deleted at or below this directory. */
  isWhole(below: string): Promise<boolean>;
  giveUp(): void;
  isGivenUp(): boolean;
  /** Directories that were made for what is in them, and whose times are not known. */
  untimed(): readonly string[];
  hasDirectory(path: string): boolean;
}

export interface Hands {
  file(path: string, mtime: number, parts: readonly Uint8Array[]): void;
  link(path: string): void;
  directory(path: string, mtime: number): void;
  /** A file or a link: directories stay. */
  remove(path: string): void;
}

/** The tree is not what was made of it. */
export class Damaged extends Error {
  override readonly name = "Damaged";
}

type Left = Pick<fs.Stats, "ino" | "ctimeMs" | "mtimeMs">;

const FILES = "files";

/** In an empty directory, which is this tree's alone. */
export function plantTree(place: string): Tree {
  const directory = join(place, FILES);
  const temporary = join(place, "being-written");
  const at = (path: string): string => (path === "" ? directory : `${directory}/${path}`);
  /** How each directory was left; undefined while it is being made. */
  const known = new Map<string, Left | undefined>();
  /** As the database has them: undefined where that is to be asked. */
  const times = new Map<string, number | undefined>([["", 0]]);
  let isGone = false;
  let touched = new Set<string>();

  function touch(path: string): void {
    if (touched.has(path)) return;
    if (!isSame(lookAt(at(path)), known.get(path))) throw new Damaged(`${FILES}/${path}`);
    touched.add(path);
  }

  function make(path: string): void {
    fs.mkdirSync(at(path), { mode: 0o700 });
    known.set(path, undefined);
    if (path !== "") times.set(path, undefined);
    touched.add(path);
  }

  /** Step by step from the root: no link is ever followed. */
  function enter(path: string): void {
    if (known.has(path)) return;
    enter(parentOf(path));
    remove(path);
    make(path);
  }

  function remove(path: string): void {
    if (!known.has(parentOf(path))) return;
    touch(parentOf(path));
    fs.rmSync(at(path), { force: true });
  }

  const hands: Hands = {
    remove,
    directory(path, mtime) {
      enter(path);
      touch(path);
      times.set(path, mtime);
    },
    file(path, mtime, parts) {
      enter(parentOf(path));
      const file = fs.openSync(temporary, "wx", 0o600);
      try {
        // unlike writeSync, it goes on where a nearly full disk took a part
        for (const part of parts) fs.writeFileSync(file, part);
        // by the time of reading those go that clean up what is old
        fs.futimesSync(file, new Date(), mtime / 1000);
      } finally {
        fs.closeSync(file);
      }
      touch(parentOf(path));
      fs.renameSync(temporary, at(path));
    },
    /** It leads nowhere: only that there is a link is looked at. */
    link(path) {
      enter(parentOf(path));
      remove(path);
      fs.symlinkSync("/dev/null/nowhere", at(path));
    },
  };

  function settled(path: string): Left | undefined {
    const seconds = (times.get(path) ?? 0) / 1000;
    fs.utimesSync(at(path), seconds, seconds);
    return lookAt(at(path));
  }

  function change(work: (hands: Hands) => void): void {
    if (isGone) throw new Damaged(FILES);
    try {
      work(hands);
      for (const path of touched) known.set(path, settled(path));
    } catch (error) {
      isGone = true;
      throw error;
    } finally {
      touched = new Set();
    }
  }

  change(() => make(""));
  return {
    directory,
    change,
    async isWhole(below) {
      if (!known.has(below)) return false;
      const yieldNow = yieldEvery();
      const within = below === "" ? "" : `${below}/`;
      for (const [path, left] of known) {
        if (path !== below && !path.startsWith(within)) continue;
        const pause = yieldNow();
        if (pause !== undefined) await pause;
        if (known.get(path) === left && !isSame(lookAt(at(path)), left)) isGone = true;
        if (isGone) break;
      }
      return !isGone;
    },
    giveUp() {
      isGone = true;
    },
    isGivenUp: () => isGone,
    untimed: () => [...times].flatMap(([path, time]) => (time === undefined ? [path] : [])),
    hasDirectory: (path) => known.has(path),
  };
}

function lookAt(place: string): Left | undefined {
  try {
    return fs.lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return;
  }
}

function isSame(now: Left | undefined, left: Left | undefined): boolean {
  return left !== undefined && now?.ino === left.ino && now.ctimeMs === left.ctimeMs && now.mtimeMs === left.mtimeMs;
}
