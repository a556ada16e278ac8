// What a file keeps when its content changes: permission bits, owner, extended attributes and access control lists.
import fs from "node:fs";
import { LINK_MODE, type Version } from "../../core/backend.ts";
import type { Old } from "./current-file.ts";
import { errnoOf } from "./errno.ts";
import { loadNative } from "./native.ts";

const UMASK = process.umask();

export function modeOf(to: Version, like: Old | null): number {
  return (to.mode ?? (like === null || like.mode === LINK_MODE ? 0o666 & ~UMASK : like.stat.mode)) & 0o7777;
}

/**
 * `mine`: what it has now. The bits of `mode` that give the rights of its owner to every user who runs it do not come
 * along. Warnings: what could not be kept of the file that it is like.
 */
export function setAttributes(fd: number, mine: fs.Stats, mode: number, like: Old | null): string[] {
  const warnings: string[] = [];
  let isChanged = (mine.mode & 0o7777) !== (mode & 0o1777);
  if (like !== null && (like.stat.uid !== mine.uid || like.stat.gid !== mine.gid)) {
    try {
      fs.fchownSync(fd, like.stat.uid, like.stat.gid);
      isChanged = true;
    } catch (error) {
      if (errnoOf(error) !== "EPERM") throw error;
      warnings.push(`its owner ${like.stat.uid}:${like.stat.gid} could not be kept`);
    }
  }
  if (isChanged) fs.fchmodSync(fd, mode & 0o1777);
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
