// Puts a staged version in place of what was there, notices who got in between, and puts it back.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Change, Version } from "../../core/backend.ts";
import { LINK_MODE } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { shaOf } from "../../core/version.ts";
import { type Attributes, setAttributes } from "./attributes.ts";
import type { Old } from "./current-file.ts";
import { errnoOf } from "./errno.ts";
import { beginFlush, type Durability } from "./flushes.ts";
import { CREATE_ONLY, closeQuietly, readVersion, removeQuietly, stillHolds, writeParts } from "./io.ts";
import { loadNative, type Native } from "./native.ts";
import { type Dir, NO_FOLLOW } from "./paths/pin.ts";
import { withParent } from "./paths/reach.ts";
import type { Root } from "./paths/root.ts";
import { isSameFile } from "./paths/same-directory.ts";
import type { Tree } from "./tree.ts";

/** One change of one path, on its way. */
export interface Step {
  readonly change: Change;
  readonly old: Old | null;
  /** The name of its temporary file: the new version, then what it displaced. */
  readonly name: string;
  /** The temporary file lies beside its place, which is on another disk than the tree's own. */
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

/** The device on which the parent of a new file lies decides where its temporary file does. */
export function makeStep(on: Placing, change: Change, old: Old | null, seq: number, n: number): Step {
  const { root, tree } = on;
  const dev = old?.stat.dev ?? withParent(root, change.path, {}, (dir) => dir.dev);
  const isBeside = dev !== tree.temporary.dev;
  const name = isBeside ? `.stet-${seq}-${n}-${randomBytes(8).toString("hex")}` : `${seq}-${n}`;
  return { change, old, name, isBeside, placed: 0 };
}

/** Writes the new version to its temporary file. In words, what could not be kept of the old one. */
export async function stage(on: Placing, step: Step, attributes: Attributes): Promise<readonly string[]> {
  const { to } = step.change;
  if (to === null) return [];
  if (to.mode === LINK_MODE) {
    atTemporary(on, step, (path) => linkAnew(path, to));
    return [];
  }
  // No others get into the tree's own directory, so it may have its permissions from the start.
  const mode = step.isBeside ? 0o600 : attributes.mode & 0o777;
  const fd = atTemporary(on, step, (path) => createAnew(path, mode));
  try {
    // A file that was truncated is written out when it is closed: else ext4 may leave one empty after a power failure that
    // was exchanged for a whole one. "full" begins its flush instead.
    if (on.durability === "fast") fs.ftruncateSync(fd, 0);
    const stat = await writeParts(fd, to.parts);
    step.placed = stat.ino;
    return setAttributes(fd, stat, attributes);
  } finally {
    closeQuietly(fd);
  }
}

/** Begins the flush of the new version. By a descriptor that cannot write: a program that is open to be written cannot be started. */
export function flushStaged(on: Placing, step: Step): void {
  if (on.durability !== "full" || step.change.to === null) return;
  const fd = atTemporary(on, step, openRegular);
  if (fd !== undefined) beginFlush(`${on.root.path}/${step.change.path}`, fd);
}

/** Without effect where it is not there. */
export function discard(on: Placing, step: Step): void {
  try {
    atTemporary(on, step, removeQuietly);
  } catch {
    // its directory is gone, and so is the file
  }
}

export function putInPlace(on: Placing, step: Step): void {
  const { change, old } = step;
  withParent(on.root, change.path, {}, (dir, name) => {
    const target = dir.at(name);
    const temporary = pathOf(on.tree, step, dir);
    requireUnchanged(target, old, change.path);
    if (change.to === null) {
      if (old !== null) takeAway(target, temporary, old, change.path);
      return;
    }
    // Known before anything moves: `putBack` finds our file by its inode.
    step.placed ||= fs.lstatSync(temporary).ino;
    if (old === null) linkNew(temporary, target, change.path);
    else if (canExchange(on.tree.temporary)) exchange(temporary, target, old, change.path);
    else fs.renameSync(temporary, target);
  });
}

/** The bytes that were really displaced, when they are not the ones that the change was made from. */
export async function displaced({ change, old }: Step): Promise<Version | null> {
  if (old?.fd === undefined) return null;
  const stat = fs.fstatSync(old.fd);
  const untouched = stat.size === old.stat.size && stat.mtimeMs === old.stat.mtimeMs;
  if (untouched && stat.size > REHASH_BYTES) return null;
  if (stat.size <= LIMITS.sliceBytes && stillHolds(old.fd, stat.size, await old.read())) return null;
  const now = await readVersion(old.fd, stat, Number.POSITIVE_INFINITY, change.path);
  return now.sha === old.sha ? null : now;
}

/**
 * Undoes `putInPlace`: `intruder` is what shall be there instead of the old version. Leaves the path alone when ours is
 * no longer there. What another program made of our file while it was in place is given: it must be kept.
 */
export async function putBack(on: Placing, step: Step, intruder: Version | null): Promise<Version | null> {
  const { change, old } = step;
  const isOurs = (dir: Dir, name: string): boolean =>
    fs.lstatSync(dir.at(name), { throwIfNoEntry: false })?.ino === step.placed;
  const isDisplacedThere = old !== null && atTemporary(on, step, (path) => isOld(path, old));
  if (change.to === null) {
    if (old !== null && isDisplacedThere)
      withParent(on.root, change.path, {}, (dir, name) =>
        linkNew(pathOf(on.tree, step, dir), dir.at(name), change.path),
      );
    return null;
  }
  // First: what was never put in place must not fail for want of the right to write its old version again.
  if (!withParent(on.root, change.path, {}, isOurs)) return null;
  const content = isDisplacedThere ? null : (intruder ?? (await old?.read()) ?? null);
  const back = { ...step, name: `${step.name}-back`, change: { ...change, to: content } };
  if (content !== null) {
    const owner = old === null ? {} : { owner: { uid: old.stat.uid, gid: old.stat.gid } };
    await stage(on, back, { mode: (old?.stat.mode ?? content.mode ?? 0o644) & 0o7777, ...owner });
  }
  let ours: number | undefined;
  try {
    withParent(on.root, change.path, {}, (dir, name) => {
      if (!isOurs(dir, name)) return;
      const target = dir.at(name);
      ours = openRegular(target);
      if (isDisplacedThere) swap(pathOf(on.tree, step, dir), target);
      else if (content === null) fs.unlinkSync(target);
      else fs.renameSync(pathOf(on.tree, back, dir), target);
    });
    if (ours === undefined) return null;
    const now = await readVersion(ours, fs.fstatSync(ours), Number.POSITIVE_INFINITY, change.path, change.to);
    return now.sha === change.to.sha ? null : now;
  } finally {
    if (ours !== undefined) closeQuietly(ours);
  }
}

/** After the look at what was displaced: it is in the log. */
export function finish(on: Placing, step: Step): void {
  if (step.old !== null || step.change.to !== null) discard(on, step);
}

/** A temporary file that a recovery finds: its version, if it is a file or a link. */
export async function versionAt(path: string, maxBytes: number): Promise<Version | null> {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size > maxBytes) return null;
  const fd = openRegular(path);
  if (fd === undefined) return null;
  try {
    return await readVersion(fd, fs.fstatSync(fd), maxBytes, path);
  } finally {
    closeQuietly(fd);
  }
}

function pathOf(tree: Tree, { isBeside, name }: Step, parent: Dir): string {
  return isBeside ? parent.at(name) : tree.temporary.at(name);
}

function atTemporary<T>({ root, tree }: Placing, step: Step, use: (path: string) => T): T {
  if (!step.isBeside) return use(tree.temporary.at(step.name));
  return withParent(root, step.change.path, {}, (dir) => use(dir.at(step.name)));
}

/** What a process left there that died before it wrote its entry is in the way of nothing. */
function createAnew(path: string, mode: number): number {
  try {
    return fs.openSync(path, CREATE_ONLY, mode);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    fs.unlinkSync(path);
    return fs.openSync(path, CREATE_ONLY, mode);
  }
}

function linkAnew(path: string, { parts }: Version): void {
  removeQuietly(path);
  fs.symlinkSync(Buffer.concat(parts as Uint8Array[]), path);
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
    throw errnoOf(error) === "ENOENT" ? lostRace(path) : error;
  }
  if (fs.lstatSync(temporary).ino === old.stat.ino) return;
  swap(temporary, target);
  throw lostRace(path);
}

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

/** Its errors have a code and nothing else; with a number they are known for errors of the system. */
function swap(one: string, other: string): void {
  try {
    (loadNative() as Native).swapSync(one, other);
  } catch (error) {
    throw error instanceof Error && "code" in error ? Object.assign(error, { errno: 0 }) : error;
  }
}

const exchanging = new WeakMap<Dir, boolean>();

/** Whether two files can change places in one step here. Asked once of each directory, under the lock. */
function canExchange(dir: Dir): boolean {
  let known = exchanging.get(dir);
  known ??= tryExchange(dir);
  exchanging.set(dir, known);
  return known;
}

function tryExchange(dir: Dir): boolean {
  if (typeof loadNative() === "string") return false;
  const names = ["0-0", "0-1"].map((name) => dir.at(name));
  try {
    for (const name of names) fs.closeSync(createAnew(name, 0o600));
    swap(names[0]!, names[1]!);
    return true;
  } catch {
    return false;
  } finally {
    names.forEach(removeQuietly);
  }
}

/** A link has no descriptor that would hold its number: another one may have it by now. */
function isOld(path: string, old: Old): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !isSameFile(stat, old.stat)) return false;
  if (old.fd !== undefined) return true;
  return stat.isSymbolicLink() && shaOf([fs.readlinkSync(path, { encoding: "buffer" })]) === old.sha;
}

function requireUnchanged(target: string, old: Pick<Old, "stat"> | null, path: string): void {
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  if (old === null ? stat === undefined : isSameFile(stat, old.stat)) return;
  throw lostRace(path);
}

function openRegular(path: string): number | undefined {
  try {
    const fd = fs.openSync(path, fs.constants.O_RDONLY | NO_FOLLOW | (fs.constants.O_NONBLOCK ?? 0));
    if (fs.fstatSync(fd).isFile()) return fd;
    closeQuietly(fd);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  return undefined;
}

/** Up to here the displaced bytes are always compared; above, size and mtime tell whether it is worth it. */
const REHASH_BYTES = 1024 * 1024;
