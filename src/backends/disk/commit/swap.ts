// Putting a staged version in place of what was there, noticing who got in between, and putting it back.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Change, Version } from "../../../core/backend.ts";
import { LINK_MODE } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { shaOf } from "../../../core/version.ts";
import { errnoOf } from "../errno.ts";
import { CREATE_ONLY, readVersion, stillHolds, writeParts } from "../io.ts";
import { loadNative, type Native } from "../native.ts";
import { withParent } from "../paths/parent.ts";
import { type Dir, NO_FOLLOW } from "../paths/pin.ts";
import type { Root } from "../paths/root.ts";
import { isSameFile } from "../paths/same-directory.ts";
import type { Old } from "./current-file.ts";
import type { Pending } from "./pending.ts";

export interface Step {
  readonly change: Change;
  readonly old: Old | null;
  readonly seq: number;
  readonly n: number;
  /** The inode that is, was or will be put in place; 0 where it is not known yet. */
  placed: number;
  /** Its directory must be flushed before the swap is safe: what was staged does not lie on the same disk, or that keeps no order. */
  unsafe?: boolean;
  /** It was deleted where it lay, because it could not be moved to another disk. */
  taken?: boolean;
}

/** A program that does not take our lock was faster. The kernel starts over. */
export function lostRace(path: string): Refusal {
  return new Refusal("stale_file", `${path} changed at the very moment of the change.`, { path, next: "Try again." });
}

export function swapIn(root: Root, pending: Pending, step: Step): void {
  const { change, old, seq, n } = step;
  withParent(root, change.path, {}, (dir, name) => {
    step.unsafe = !pending.inOrder || dir.dev !== pending.dev;
    const target = dir.at(name);
    requireUnchanged(target, old, change.path);
    if (change.to !== null) {
      const staged = pending.pathOf(seq, n, "new");
      // Known before anything moves: `swapBack` finds our file by its inode.
      step.placed ||= fs.lstatSync(staged).ino;
      if (old !== null && keepsItself(step, pending)) return exchange(staged, target, old, change.path);
      step.placed = place(dir, name, staged, old);
      return;
    }
    if (old !== null) step.taken = take(dir, name, pending.pathOf(seq, n, "gone"), old);
  });
}

/** What tells a recovery that there is something to do: only when the directories are safe does it go. */
export function clearStaged(pending: Pending, { change, old, seq, n }: Step): void {
  if (change.to === null) pending.remove(seq, n, "delete");
  else if (old === null) pending.remove(seq, n, "new");
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
 * Undoes a swap: `intruder` is what shall be there instead of the old version. Leaves the path alone when ours is no longer there. What was
 * swapped in goes back to the staged name: a crash half-way through leaves something that can still be rolled forward.
 */
export async function swapBack(root: Root, pending: Pending, step: Step, intruder: Version | null): Promise<void> {
  const { change, old, seq, n } = step;
  const staged = pending.pathOf(seq, n, "new");
  const gone = pending.pathOf(seq, n, "gone");
  const exists = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (change.to === null) {
    if (step.taken && old !== null) await writeAgain(gone, intruder ?? (await old.read()), old.stat);
    if (exists(gone)) withParent(root, change.path, {}, (dir, name) => place(dir, name, gone, null));
    pending.remove(seq, n, "gone");
    return;
  }
  const isOurs = (dir: Dir, name: string): boolean =>
    fs.lstatSync(dir.at(name), { throwIfNoEntry: false })?.ino === step.placed;
  // First: what was never put in place must not fail for want of the right to write its old version again.
  if (!withParent(root, change.path, {}, isOurs)) return;
  const displacedIsThere = old !== null && isOld(staged, old);
  const content = displacedIsThere ? null : (intruder ?? (await old?.read()) ?? null);
  if (content !== null) await writeAgain(gone, content, old?.stat);
  withParent(root, change.path, {}, (dir, name) => {
    if (!isOurs(dir, name)) return;
    const target = dir.at(name);
    if (displacedIsThere) swapNative(staged, target);
    // Two names of one file: renaming one to the other would leave both.
    else if (content === null && exists(staged)) fs.unlinkSync(target);
    else if (content === null) fs.renameSync(target, staged);
    else {
      if (!exists(staged)) fs.linkSync(target, staged);
      place(dir, name, gone, { stat: fs.lstatSync(target) });
    }
  });
}

/** After `swapBack`: what another program made of our file while it was in place; null when it is as we wrote it. */
export async function writtenInto(pending: Pending, { change, seq, n, placed }: Step): Promise<Version | null> {
  const staged = pending.pathOf(seq, n, "new");
  const stat = fs.lstatSync(staged, { throwIfNoEntry: false });
  if (change.to === null || stat?.ino !== placed || !stat.isFile()) return null;
  const fd = fs.openSync(staged, fs.constants.O_RDONLY | NO_FOLLOW);
  try {
    const now = await readVersion(fd, fs.fstatSync(fd), Number.POSITIVE_INFINITY, change.path, change.to);
    return now.sha === change.to.sha ? null : now;
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Gives it its place without overwriting, which leaves the staged name too, or replaces in one step. Returns the inode
 * that is there now.
 */
function place(dir: Dir, name: string, staged: string, replaced: Pick<Old, "stat"> | null): number {
  const { ino } = fs.lstatSync(staged);
  const target = dir.at(name);
  try {
    if (replaced !== null) {
      fs.renameSync(staged, target);
      return ino;
    }
    fs.linkSync(staged, target);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "EEXIST") throw lostRace(name);
    if (code === "EXDEV") return placeAcrossDevices(dir, name, staged, replaced);
    if (replaced !== null || !NO_HARD_LINKS.has(code ?? "")) throw error;
    // The moment between look and rename is as short as it can be.
    if (fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw lostRace(name);
    fs.renameSync(staged, target);
  }
  return ino;
}

/**
 * Whether the old file will be kept as it is, by changing places with the new one or by moving out of the way, and needs
 * no copy. Not with other names by hard link, through which a program could write into the kept version.
 */
export function keepsItself({ change, old }: Pick<Step, "change" | "old">, pending: Pending): boolean {
  const movable = old?.fd !== undefined && old.stat.nlink === 1 && old.stat.dev === pending.dev;
  return movable && (change.to === null || pending.exchanges);
}

/** After the exchange the staged name holds what was really displaced. If that is not the old file, it goes back. */
function exchange(staged: string, target: string, old: Old, path: string): void {
  try {
    swapNative(staged, target);
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? lostRace(path) : error;
  }
  if (fs.lstatSync(staged).ino === old.stat.ino) return;
  swapNative(staged, target);
  throw lostRace(path);
}

/** Its errors have a code and nothing else; with a number they are known for what they are, errors of the system. */
function swapNative(a: string, b: string): void {
  try {
    (loadNative() as Native).swapSync(a, b);
  } catch (error) {
    throw error instanceof Error && "code" in error ? Object.assign(error, { errno: 0 }) : error;
  }
}

/** What file systems without hard links answer. */
const NO_HARD_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"]);

/**
 * The state lies on another device than the target: the bytes travel first, the swap is still one rename or link. What
 * was staged stays until the commit is done.
 */
function placeAcrossDevices(dir: Dir, name: string, staged: string, replaced: Pick<Old, "stat"> | null): number {
  const beside = besideIn(dir);
  try {
    copyAnew(staged, beside);
    const { ino } = fs.lstatSync(beside);
    // Again: that may have taken long.
    if (replaced !== null) requireUnchanged(dir.at(name), replaced, name);
    if (replaced !== null) fs.renameSync(beside, dir.at(name));
    else fs.linkSync(beside, dir.at(name));
    return ino;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw lostRace(name);
    throw error;
  } finally {
    fs.rmSync(beside, { force: true });
  }
}

/** With its owner and mode, and flushed. A link is made anew: copied, it would become what it leads to. */
function copyAnew(from: string, to: string): void {
  const stat = fs.lstatSync(from);
  if (stat.isSymbolicLink()) {
    fs.symlinkSync(fs.readlinkSync(from, { encoding: "buffer" }), to);
    return;
  }
  fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL);
  fs.chownSync(to, stat.uid, stat.gid);
  const fd = fs.openSync(to, "r");
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

function besideIn(dir: Dir): string {
  return dir.at(`.stet-${randomBytes(8).toString("hex")}`);
}

/** True: it is gone for good, because it cannot be moved to another disk; its bytes are kept already. */
function take(dir: Dir, name: string, gone: string, old: Old): boolean {
  try {
    takeTo(gone, dir, name, old);
    return false;
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
  }
  const beside = besideIn(dir);
  takeTo(beside, dir, name, old);
  fs.unlinkSync(beside);
  return true;
}

/** What was really there shows only afterwards. If it is not the old file, it goes back. */
function takeTo(away: string, dir: Dir, name: string, old: Old): void {
  try {
    fs.renameSync(dir.at(name), away);
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? lostRace(name) : error;
  }
  if (isOld(away, old)) return;
  place(dir, name, away, null);
  fs.rmSync(away, { force: true });
  throw lostRace(name);
}

/** A link has no descriptor that would hold its number: another one may have it by now. */
export function isOld(path: string, old: Old): boolean {
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

async function writeAgain(path: string, { parts, mode }: Version, like: fs.Stats | undefined): Promise<void> {
  if (mode === LINK_MODE) return fs.symlinkSync(Buffer.concat(parts as Uint8Array[]), path);
  const fd = fs.openSync(path, CREATE_ONLY, 0o600);
  try {
    await writeParts(fd, parts);
    if (like !== undefined) fs.fchownSync(fd, like.uid, like.gid);
    fs.fchmodSync(fd, (like?.mode ?? mode ?? 0o644) & 0o1777);
  } finally {
    fs.closeSync(fd);
  }
}

/** Up to here the displaced bytes are always compared; above, size and mtime tell whether it is worth it. */
const REHASH_BYTES = 1024 * 1024;
