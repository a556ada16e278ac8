// A tree of copies on disk, of which it is known what is in every directory: what another program deletes there shows.
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
  remove(path: string): void;
}

/** The tree is not what was made of it. */
export class Damaged extends Error {
  override readonly name = "Damaged";
}

interface Known {
  names: number;
  /** As the database has it, and as it is set after every change: one by another program shows, also in the same tick of the clock. */
  mtime: number;
  ino: number;
  ctimeMs: number;
  mtimeMs: number;
}

const REMOVE = { recursive: true, force: true } as const;
const FILES = "files";

/** In an empty directory, which is this tree's alone. */
export function plantTree(place: string): Tree {
  const directory = join(place, FILES);
  const temporary = join(place, "being-written");
  const at = (path: string): string => (path === "" ? directory : `${directory}/${path}`);
  const known = new Map<string, Known>();
  const untimed = new Set<string>();
  let isGone = false;
  let touched = new Set<string>();

  function touch(path: string): Known {
    const one = known.get(path)!;
    if (touched.has(path)) return one;
    if (!isSame(lookAt(at(path)), one)) throw new Damaged(`${FILES}/${path}`);
    touched.add(path);
    return one;
  }

  function make(path: string): void {
    fs.mkdirSync(at(path), { mode: 0o700 });
    known.set(path, { names: 0, mtime: 0, ino: 0, ctimeMs: 0, mtimeMs: 0 });
    if (path !== "") untimed.add(path);
    touched.add(path);
  }

  /** Step by step from the root: no link is ever followed. */
  function enter(path: string): void {
    if (known.has(path)) return;
    enter(parentOf(path));
    remove(path);
    touch(parentOf(path)).names += 1;
    make(path);
  }

  function remove(path: string): void {
    const above = parentOf(path);
    if (!known.has(above) || fs.lstatSync(at(path), { throwIfNoEntry: false }) === undefined) return;
    touch(above).names -= 1;
    if (known.has(path))
      for (const each of known.keys())
        if (each === path || each.startsWith(`${path}/`)) {
          known.delete(each);
          for (const set of [touched, untimed]) set.delete(each);
        }
    fs.rmSync(at(path), REMOVE);
  }

  const hands: Hands = {
    remove,
    directory(path, mtime) {
      enter(path);
      touch(path).mtime = mtime;
      untimed.delete(path);
    },
    file(path, mtime, parts) {
      enter(parentOf(path));
      const file = fs.openSync(temporary, "wx", 0o600);
      try {
        // unlike writeSync, it goes on where a nearly full disk took a part
        for (const part of parts) fs.writeFileSync(file, part);
        fs.futimesSync(file, mtime / 1000, mtime / 1000);
      } finally {
        fs.closeSync(file);
      }
      const before = fs.lstatSync(at(path), { throwIfNoEntry: false });
      if (before !== undefined && !before.isFile()) remove(path);
      const above = touch(parentOf(path));
      if (before?.isFile() !== true) above.names += 1;
      fs.renameSync(temporary, at(path));
    },
    /** It leads nowhere: only that there is a link is looked at. */
    link(path) {
      enter(parentOf(path));
      remove(path);
      touch(parentOf(path)).names += 1;
      fs.symlinkSync("/dev/null/nowhere", at(path));
    },
  };

  /** First the times, then the names: what is deleted after the one shows in the times, and before it in the names. */
  function settle(path: string): void {
    const one = known.get(path)!;
    const seconds = one.mtime / 1000;
    fs.utimesSync(at(path), seconds, seconds);
    const stat = lookAt(at(path));
    if (stat === undefined || fs.readdirSync(at(path)).length !== one.names) throw new Damaged(`${FILES}/${path}`);
    Object.assign(one, { ino: stat.ino, ctimeMs: stat.ctimeMs, mtimeMs: stat.mtimeMs });
  }

  function change(work: (hands: Hands) => void): void {
    if (isGone) throw new Damaged(FILES);
    try {
      work(hands);
      for (const path of touched) settle(path);
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
      for (const [path, one] of known) {
        if (path !== below && !path.startsWith(within)) continue;
        const pause = yieldNow();
        if (pause !== undefined) await pause;
        if (known.get(path) === one && !isSame(lookAt(at(path)), one)) isGone = true;
        if (isGone) break;
      }
      return !isGone;
    },
    giveUp() {
      isGone = true;
    },
    isGivenUp: () => isGone,
    untimed: () => [...untimed],
    hasDirectory: (path) => known.has(path),
  };
}

function lookAt(place: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return;
  }
}

function isSame(stat: fs.Stats | undefined, { ino, ctimeMs, mtimeMs }: Known): boolean {
  return stat?.ino === ino && stat.ctimeMs === ctimeMs && stat.mtimeMs === mtimeMs;
}
