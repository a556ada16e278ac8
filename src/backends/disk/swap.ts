// Putting a staged version in place of what was there, noticing who got in between, and putting it back.
import fs from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { shaOf } from "../../kernel/version.ts";
import type { Change, Version } from "../backend.ts";
import { LINK_MODE } from "../backend.ts";
import { errnoOf } from "./errno.ts";
import { CREATE_ONLY, readVersion, stillHolds, writeParts } from "./io.ts";
import { loadNative, type Native } from "./native.ts";
import type { Old } from "./old.ts";
import { withParent } from "./parent.ts";
import type { Pending } from "./pending.ts";
import type { Dir } from "./pin.ts";
import type { Root } from "./root.ts";

export interface Step {
  readonly change: Change;
  readonly old: Old | null;
  readonly seq: number;
  readonly n: number;
  /** The inode that is, was or will be put in place; 0 where it is not known yet. */
  placed: number;
  /** Its directory must be flushed before the swap is safe: what was staged does not lie on the same disk, or that keeps no order. */
  unsafe?: boolean;
}

/** Somebody who does not take our lock was faster. The kernel starts over. */
export function lostRace(path: string): Refusal {
  return new Refusal("stale_file", `${path} changed at the very moment of the change.`, { path, next: "Try again." });
}

export function swapIn(root: Root, pending: Pending, step: Step): void {
  const { change, old, seq, n } = step;
  withParent(root, change.path, {}, (dir, name) => {
    step.unsafe = !pending.inOrder || dir.dev !== pending.dev;
    requireUnchanged(dir.at(name), old, change.path);
    if (change.to !== null) {
      const staged = pending.pathOf(seq, n, "new");
      // Known before anything moves: whoever has to take this back finds our file by its inode.
      step.placed ||= fs.lstatSync(staged).ino;
      if (old !== null && keepsItself(step, pending)) return exchange(staged, dir.at(name), old, change.path);
      step.placed = place(dir, name, staged, old !== null);
      return;
    }
    take(dir.at(name), pending.pathOf(seq, n, "gone"));
  });
}

/** What tells a recovery that there is something to do: only when the directories are safe does it go. */
export function clearStaged(pending: Pending, { change, old, seq, n }: Step): void {
  if (change.to === null) pending.remove(seq, n, "delete");
  else if (old === null) pending.remove(seq, n, "new");
}

/** The bytes that were really displaced, when they are not the ones that the change was made from. */
export async function displaced({ change, old, seq, n }: Step, pending: Pending): Promise<Version | null> {
  if (old === null) return null;
  if (old.fd === undefined) return change.to === null ? displacedLink(pending.pathOf(seq, n, "gone"), old) : null;
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
    if (exists(gone)) withParent(root, change.path, {}, (dir, name) => place(dir, name, gone, false));
    pending.remove(seq, n, "gone");
    return;
  }
  const displacedIsThere = fs.lstatSync(staged, { throwIfNoEntry: false })?.ino === old?.stat.ino && old !== null;
  const content = displacedIsThere ? null : (intruder ?? (await old?.read()) ?? null);
  if (content !== null) await writeAgain(gone, content, old?.stat);
  withParent(root, change.path, {}, (dir, name) => {
    const target = dir.at(name);
    if (fs.lstatSync(target, { throwIfNoEntry: false })?.ino !== step.placed) return;
    if (displacedIsThere) swapNative(staged, target);
    // Two names of one file: renaming one to the other would leave both.
    else if (content === null && exists(staged)) fs.unlinkSync(target);
    else if (content === null) fs.renameSync(target, staged);
    else {
      if (!exists(staged)) fs.linkSync(target, staged);
      fs.renameSync(gone, target);
    }
  });
}

/**
 * Gives it its place without overwriting, which leaves the staged name too, or replaces in one step. Returns the inode
 * that is there now.
 */
export function place(dir: Dir, name: string, staged: string, replace: boolean): number {
  const { ino } = fs.lstatSync(staged);
  const target = dir.at(name);
  try {
    if (replace) {
      fs.renameSync(staged, target);
      return ino;
    }
    fs.linkSync(staged, target);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "EEXIST") throw lostRace(name);
    if (code === "EXDEV") return placeAcrossDevices(dir, name, staged, replace);
    if (replace || !NO_HARD_LINKS.has(code ?? "")) throw error;
    // The moment between look and rename is as short as it can be.
    if (fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw lostRace(name);
    fs.renameSync(staged, target);
  }
  return ino;
}

/**
 * Whether the old file will be kept as it is, by changing places with the new one or by moving out of the way, and needs
 * no copy. Not with other names by hard link, through which somebody could write into the kept version.
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
    if ((error as { code?: string }).code === "ENOENT") throw lostRace(path);
    throw new Refusal(
      "io_error",
      `The new version of ${path} could not be put in place: ${(error as Error).message}.`,
      { path, next: "Look at the disk, then retry.", cause: error },
    );
  }
  if (fs.lstatSync(staged).ino === old.stat.ino) return;
  swapNative(staged, target);
  throw lostRace(path);
}

function swapNative(a: string, b: string): void {
  (loadNative() as Native).swapSync(a, b);
}

/** What file systems without hard links answer. */
const NO_HARD_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"]);

/** The state lies on another device than the target: the bytes travel first, the swap is still one rename or link. */
function placeAcrossDevices(dir: Dir, name: string, staged: string, replace: boolean): number {
  const beside = dir.at(`.stet-${process.pid}-${Date.now().toString(36)}`);
  fs.copyFileSync(staged, beside, fs.constants.COPYFILE_EXCL);
  const { ino } = fs.statSync(beside);
  try {
    const { mode, uid, gid } = fs.statSync(staged);
    fs.chownSync(beside, uid, gid);
    fs.chmodSync(beside, mode & 0o7777);
    const fd = fs.openSync(beside, "r");
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    if (replace) fs.renameSync(beside, dir.at(name));
    else fs.linkSync(beside, dir.at(name));
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw lostRace(name);
    throw error;
  } finally {
    fs.rmSync(beside, { force: true });
  }
  if (replace) fs.unlinkSync(staged);
  return ino;
}

function take(target: string, gone: string): void {
  try {
    fs.renameSync(target, gone);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT") throw lostRace(target);
    if (code !== "EXDEV") throw error;
    fs.unlinkSync(target);
  }
}

function requireUnchanged(target: string, old: Old | null, path: string): void {
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  if (old === null ? stat === undefined : stat !== undefined && stat.ino === old.stat.ino && stat.dev === old.stat.dev)
    return;
  throw lostRace(path);
}

function displacedLink(gone: string, link: { readonly sha: string }): Version | null {
  const parts = [fs.readlinkSync(gone, { encoding: "buffer" })];
  return shaOf(parts) === link.sha ? null : { sha: shaOf(parts), size: parts[0]!.length, parts, mode: LINK_MODE };
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
