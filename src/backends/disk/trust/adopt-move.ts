// Putting a rebuilt state in the place of the old one, in steps of which each can be taken back: by the next adoption, if this one dies.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Sha } from "../../../core/backend.ts";
import { errnoOf } from "../errno.ts";
import type { Dir } from "../paths/pin.ts";
import type { Root } from "../paths/root.ts";
import { ADOPTING, isMoving, MOVING, makeAndEnter } from "../state/directory.ts";
import { checkFormat } from "../state/format.ts";
import { ASIDE } from "../state/state.ts";
import { type Built, entered } from "./adopt-contents.ts";

export interface Replaced {
  /** Where the old state lies by now, relative to the state directory. */
  readonly aside: string;
  /** How many were taken along. */
  readonly versions: number;
}

/**
 * All of the old state goes into one directory, `id` first, so that no process takes what is half done for a state. That
 * directory gets its last name when the new one is whole. What fails before is taken back.
 */
export function replaceState(root: Root, base: Dir, built: Built | null, whole: readonly Sha[]): Replaced {
  const moving = newName(MOVING);
  const away = makeAndEnter(root, base, moving);
  try {
    for (const name of namesIn(base, "id first")) {
      if (![moving, built?.name].includes(name.toString())) fs.renameSync(base.atBytes(name), away.atBytes(name));
    }
    const versions = built === null ? 0 : putInPlace(root, base, { built, away, whole });
    checkFormat(base, true);
    fs.mkdirSync(base.at(ASIDE), { mode: 0o700 });
    const name = `state-${new Date().toISOString().replaceAll(":", "-")}-${randomBytes(4).toString("hex")}`;
    fs.renameSync(base.at(moving), `${base.at(ASIDE)}/${name}`);
    base.fsync();
    return { aside: `${ASIDE}/${name}`, versions };
  } catch (error) {
    if (isThere(base, Buffer.from(moving))) takeBack(root, base);
    throw error;
  } finally {
    away.close();
  }
}

/** Whether an adoption died on its way. What it left says nothing about the state until it is taken back. */
export function isHalfMoved(root: Root, base: Dir): boolean {
  return directoriesIn(root, base, isMoving).some(({ dir }) => {
    dir.close();
    return true;
  });
}

/**
 * Everything to where it was before. Nothing is deleted: what the adoption had made in the place of an old part stays
 * beside it. It can be begun again at every step.
 */
export function takeBack(root: Root, base: Dir): void {
  for (const { name, dir: away } of directoriesIn(root, base, isMoving)) {
    try {
      clearPlaces(root, base, away);
      bringVersionsBack(root, base, away);
      for (const each of namesIn(away, "id last")) fs.renameSync(away.atBytes(each), base.atBytes(each));
      fs.rmdirSync(base.at(name));
    } finally {
      away.close();
    }
  }
}

export function newName(prefix: string): string {
  return `${prefix}${randomBytes(16).toString("hex")}`;
}

interface Putting {
  readonly built: Built;
  readonly away: Dir;
  readonly whole: readonly Sha[];
}

function putInPlace(root: Root, base: Dir, { built, away, whole }: Putting): number {
  const to = makeAndEnter(root, built.dir, "objects");
  const from = whole.length === 0 ? null : entered(root, away, "objects");
  let versions = 0;
  try {
    for (const sha of from === null ? [] : whole) if (moved(from!.at(sha), to.at(sha))) versions++;
  } finally {
    from?.close();
    to.close();
  }
  for (const part of ["objects", "journal"]) fs.renameSync(built.dir.at(part), base.at(part));
  return versions;
}

/**
 * A program could write into a version through another name that it has by hard link, so of such a one there is a copy.
 * What is gone by now was dropped meanwhile by who still used it.
 */
function moved(from: string, to: string): boolean {
  try {
    if (fs.lstatSync(from).nlink > 1) fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL);
    else fs.renameSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    return false;
  }
}

function clearPlaces(root: Root, base: Dir, away: Dir): void {
  let shelf: Dir | null = null;
  try {
    for (const name of namesIn(away)) {
      if (!isThere(base, name)) continue;
      shelf ??= makeAndEnter(root, base, newName(ADOPTING));
      fs.renameSync(base.atBytes(name), shelf.atBytes(name));
    }
  } finally {
    shelf?.close();
  }
}

function bringVersionsBack(root: Root, base: Dir, away: Dir): void {
  const to = entered(root, away, "objects") ?? entered(root, base, "objects");
  try {
    for (const { dir } of directoriesIn(root, base, (name) => name.startsWith(ADOPTING))) {
      const from = entered(root, dir, "objects");
      dir.close();
      try {
        for (const name of from === null || to === null ? [] : namesIn(from)) {
          if (!isThere(to!, name)) fs.renameSync(from!.atBytes(name), to!.atBytes(name));
        }
      } finally {
        from?.close();
      }
    }
  } finally {
    to?.close();
  }
}

/** The caller closes them. */
function directoriesIn(root: Root, base: Dir, fitting: (name: string) => boolean): { name: string; dir: Dir }[] {
  return fs
    .readdirSync(base.self)
    .filter(fitting)
    .flatMap((name) => {
      const dir = entered(root, base, name);
      return dir === null ? [] : [{ name, dir }];
    });
}

/** As bytes: what others put there may have names that are no text. */
function namesIn(dir: Dir, order?: "id first" | "id last"): Buffer[] {
  const names = fs.readdirSync(dir.self, { encoding: "buffer" });
  const isId = (name: Buffer): boolean => name.toString() === "id";
  const [ids, others] = [names.filter(isId), names.filter((name) => !isId(name))];
  return order === "id first" ? [...ids, ...others] : [...others, ...ids];
}

function isThere(dir: Dir, name: Buffer): boolean {
  return fs.lstatSync(dir.atBytes(name), { throwIfNoEntry: false }) !== undefined;
}
