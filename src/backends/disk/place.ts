// Puts a staged version in place of what was there, notices who got in between, and puts it back.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Change, Version } from "../../core/backend.ts";
import { LINK_MODE } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { shaOf } from "../../core/version.ts";
import type { Old } from "./current-file.ts";
import { errnoOf } from "./errno.ts";
import { beginFlush, type Durability } from "./flushes.ts";
import { CREATE_ONLY, closeQuietly, readVersion, removeQuietly, stillHolds, writeParts } from "./io.ts";
import { loadNative } from "./native.ts";
import { isSameFile, NO_FOLLOW } from "./paths/pin.ts";
import { type Place, withPlace } from "./paths/reach.ts";
import { type Root, refusePseudo } from "./paths/root.ts";
import type { Tree } from "./tree.ts";

/** One change of one path, on its way. */
export interface Step {
  readonly change: Change;
  readonly place: Place;
  readonly old: Old | null;
  /** The path of its temporary file: the new version, then what it displaced. */
  readonly temporary: string;
  /** The temporary file lies beside its place, which is on another disk than `.stet`. */
  readonly isBeside: boolean;
  /** The inode that is, was or will be put in place; 0 where it is not known yet. */
  placed: number;
}

export interface Placing {
  readonly root: Root;
  readonly tree: Tree;
  readonly durability: Durability;
}

/** A program that does not take our lock was faster. The kernel starts over. */
export function lostRace(path: string): Refusal {
  return new Refusal("stale_file", `${path} changed at the very moment of the change.`, { path, next: "Try again." });
}

export function makeStep({ root, tree }: Placing, change: Change, place: Place, old: Old | null, seq: number): Step {
  if (old === null) refusePseudo(root, place.dir, change.path);
  const isBeside = (old?.stat.dev ?? place.dir.dev) !== tree.dir.dev;
  // Never that of another step of this process; those of others are removed before one begins.
  const name = `${seq}-${stepNumber++ % MAX_STEPS}`;
  const temporary = isBeside ? place.dir.at(`.stet-${name}-${randomBytes(8).toString("hex")}`) : tree.dir.at(name);
  return { change, place, old, temporary, isBeside, placed: 0 };
}

let stepNumber = 0;
const MAX_STEPS = 1_000_000_000;

/** Writes the new version to its temporary file, with the attributes of a file. In words, what could not be kept of it. */
export async function stage(on: Placing, step: Step, like: Old | null): Promise<readonly string[]> {
  const { temporary, isBeside } = step;
  const { to } = step.change;
  if (to === null) return [];
  if (to.mode === LINK_MODE) {
    fs.symlinkSync(Buffer.concat(to.parts as Uint8Array[]), temporary);
    step.placed = fs.lstatSync(temporary).ino;
    return [];
  }
  // No others get into `.stet`, so it may have its permissions from the start.
  const mode = modeOf(to, like);
  const fd = fs.openSync(temporary, CREATE_ONLY, isBeside ? 0o600 : mode & 0o777);
  try {
    // A file that was truncated is written out when it is closed: else ext4 may leave one empty after a power failure that
    // was exchanged for a whole one. "full" begins its flush instead.
    if (on.durability === "fast") fs.ftruncateSync(fd, 0);
    const stat = await writeParts(fd, to.parts);
    step.placed = stat.ino;
    return setAttributes(fd, stat, mode, like);
  } finally {
    closeQuietly(fd);
  }
}

/** Begins the flush of the new version. By a descriptor that cannot write: a program that is open to be written cannot be started. */
export function flushStaged({ root, durability }: Placing, { change, temporary }: Step): void {
  if (durability !== "full" || change.to === null || change.to.mode === LINK_MODE) return;
  const fd = openToRead(temporary);
  if (fd !== undefined) beginFlush(`${root.path}/${change.path}`, fd);
}

/** Without effect where there is none. After the look at what was displaced: it is in the log. */
export function discard({ temporary }: Step): void {
  removeQuietly(temporary);
}

export function putInPlace(on: Placing, step: Step): void {
  const { change, old, temporary } = step;
  const target = targetOf(on, step);
  const there = fs.lstatSync(target, { throwIfNoEntry: false });
  if (old === null ? there !== undefined : !isSameFile(there, old.stat)) throw lostRace(change.path);
  if (old === null) {
    if (change.to !== null) linkNew(temporary, target, change.path);
  } else if (change.to === null) takeAway(target, temporary, old, change.path);
  else exchange(temporary, target, old, change.path);
}

/** Where directories cannot be held, the way to it is looked at once more. */
function targetOf({ root }: Placing, { place: { path, dir, name } }: Step): string {
  if (root.pinning.races === "narrowed") withPlace(root, path, () => undefined);
  return dir.at(name);
}

/** The bytes that were really displaced, when they are not the ones that the change was made from. */
export async function displaced({ change, old }: Step): Promise<Version | null> {
  if (old?.fd === undefined) return null;
  if (old.size <= REHASH_BYTES && stillHolds(old.fd, await old.read())) return null;
  const stat = fs.fstatSync(old.fd);
  const untouched = stat.size === old.stat.size && stat.mtimeMs === old.stat.mtimeMs;
  if (untouched && stat.size > REHASH_BYTES) return null;
  const now = await readVersion(old.fd, stat, Number.POSITIVE_INFINITY, change.path);
  return now.sha === old.sha ? null : now;
}

/** Up to here the displaced bytes are always compared; above, size and mtime tell whether it is worth it. */
const REHASH_BYTES = 1024 * 1024;

/**
 * Undoes `putInPlace`: `intruder` is what shall be there instead of the old version. Leaves the path alone when ours is
 * no longer there. What another program made of our file while it was in place is given: it must be kept.
 */
export async function putBack(on: Placing, step: Step, intruder: Version | null): Promise<Version | null> {
  const { change, old, temporary } = step;
  const target = targetOf(on, step);
  const isDisplacedThere = old !== null && isOld(temporary, old);
  if (change.to === null) {
    if (isDisplacedThere) linkNew(temporary, target, change.path);
    return null;
  }
  const isOurs = (): boolean => fs.lstatSync(target, { throwIfNoEntry: false })?.ino === step.placed;
  // First: what was never put in place must not fail for want of the right to write its old version again.
  if (!isOurs()) return null;
  const content = isDisplacedThere ? null : (intruder ?? (await old?.read()) ?? null);
  const back = { ...step, temporary: `${temporary}-back`, change: { ...change, to: content } };
  if (content !== null) {
    await stage(on, back, old);
    if (!isOurs()) return null;
  }
  const ours = openToRead(target);
  try {
    if (isDisplacedThere) swap(temporary, target);
    else if (content === null) fs.unlinkSync(target);
    else fs.renameSync(back.temporary, target);
    if (ours === undefined) return null;
    const now = await readVersion(ours, fs.fstatSync(ours), Number.POSITIVE_INFINITY, change.path, change.to);
    return now.sha === change.to.sha ? null : now;
  } finally {
    if (ours !== undefined) closeQuietly(ours);
  }
}

/** A temporary file that a recovery finds: its version, if it is a file. */
export async function versionAt(path: string, maxBytes: number): Promise<Version | null> {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size > maxBytes) return null;
  const fd = openToRead(path);
  if (fd === undefined) return null;
  try {
    return await readVersion(fd, stat, maxBytes, path);
  } finally {
    closeQuietly(fd);
  }
}

/** Gives it its place without overwriting. */
function linkNew(from: string, target: string, path: string): void {
  try {
    fs.linkSync(from, target);
    removeQuietly(from);
  } catch (error) {
    const code = errnoOf(error) ?? "";
    if (code === "EEXIST") throw lostRace(path);
    if (!NO_HARD_LINKS.has(code)) throw error;
    // The moment between look and rename is as short as it can be.
    if (fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw lostRace(path);
    fs.renameSync(from, target);
  }
}

/** What file systems without hard links answer. */
const NO_HARD_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"]);

/** After the exchange the temporary name holds what was really displaced. If that is not the old file, it goes back. */
function exchange(temporary: string, target: string, old: Old, path: string): void {
  try {
    swap(temporary, target);
  } catch (error) {
    const code = errnoOf(error) ?? "";
    if (code === "ENOENT") throw lostRace(path);
    if (!NO_EXCHANGE.has(code)) throw error;
    fs.renameSync(temporary, target);
    return;
  }
  if (fs.lstatSync(temporary).ino === old.stat.ino) return;
  swap(temporary, target);
  throw lostRace(path);
}

/** What is answered where two files cannot change places in one step. */
const NO_EXCHANGE: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "ENOSYS"]);

/** What was really there shows only afterwards. If it is not the old file, it goes back. */
function takeAway(target: string, temporary: string, old: Old, path: string): void {
  try {
    fs.renameSync(target, temporary);
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? lostRace(path) : error;
  }
  if (isOld(temporary, old)) return;
  linkNew(temporary, target, path);
  throw lostRace(path);
}

/** The package's errors have a code and nothing else; with a number they are known for errors of the system. */
function swap(one: string, other: string): void {
  const native = loadNative();
  if (typeof native === "string") throw Object.assign(new Error(native), { code: "ENOSYS", errno: 0 });
  try {
    native.swapSync(one, other);
  } catch (error) {
    throw error instanceof Error && "code" in error ? Object.assign(error, { errno: 0 }) : error;
  }
}

/** A link has no descriptor that would hold its number: another one may have it by now. */
function isOld(path: string, old: Old): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !isSameFile(stat, old.stat)) return false;
  if (old.fd !== undefined) return true;
  return stat.isSymbolicLink() && shaOf([fs.readlinkSync(path, { encoding: "buffer" })]) === old.sha;
}

function openToRead(path: string): number | undefined {
  try {
    return fs.openSync(path, fs.constants.O_RDONLY | NO_FOLLOW | (fs.constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

const UMASK = process.umask();

function modeOf(to: Version, like: Old | null): number {
  return (to.mode ?? (like === null || like.mode === LINK_MODE ? 0o666 & ~UMASK : like.stat.mode)) & 0o7777;
}

/**
 * `mine`: what it has now. The bits of `mode` that give the rights of its owner to every user who runs it do not come
 * along. Warnings: what could not be kept of the file that it is like.
 */
function setAttributes(fd: number, mine: fs.Stats, mode: number, like: Old | null): string[] {
  const warnings: string[] = [];
  if (like !== null && (like.stat.uid !== mine.uid || like.stat.gid !== mine.gid)) {
    try {
      fs.fchownSync(fd, like.stat.uid, like.stat.gid);
    } catch (error) {
      if (errnoOf(error) !== "EPERM") throw error;
      warnings.push(`its owner ${like.stat.uid}:${like.stat.gid} could not be kept`);
    }
  }
  fs.fchmodSync(fd, mode & 0o1777);
  for (const [bit, name] of RIGHTS_OF_THE_OWNER) {
    if ((mode & bit) !== 0) warnings.push(`its ${name} bit was taken off, as by every change`);
  }
  if (like?.fd !== undefined) warnings.push(...copyExtended(like.fd, fd));
  return warnings;
}

/** As the system does it when a program writes into such a file. */
const RIGHTS_OF_THE_OWNER = [
  [0o4000, "set-user-id"],
  [0o2000, "set-group-id"],
] as const;

/** Rights that belong to the old content, as set-user-id does, and labels that the system gives by itself. */
const NOT_CARRIED = /^security\./;

function copyExtended(from: number, to: number): string[] {
  const native = loadNative();
  if (typeof native === "string") return [];
  const lost: string[] = [];
  for (const name of names(native, from)) {
    try {
      const value = native.getAttrSync(from, name);
      if (value !== null) native.setAttrSync(to, name, value);
    } catch {
      lost.push(`its extended attribute ${name} could not be kept`);
    }
  }
  return lost;
}

function names(native: { listAttrsSync(fd: number): string[] }, fd: number): string[] {
  try {
    return native.listAttrsSync(fd).filter((name) => !NOT_CARRIED.test(name));
  } catch {
    // The file system has none.
    return [];
  }
}
