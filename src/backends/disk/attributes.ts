// What a file keeps when its content changes: permission bits, owner, extended attributes and access control lists.
import fs from "node:fs";
import { errnoOf } from "./errno.ts";
import { loadNative } from "./native.ts";

export interface Attributes {
  /** As it was; the bits that give the rights of its owner to every user who runs it do not come along. */
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** An open descriptor of the file whose extended attributes are carried over. */
  readonly like?: number;
}

/** `mine`: what it has now. Warnings: what could not be kept. */
export function setAttributes(fd: number, mine: fs.Stats, { mode, owner, like }: Attributes): string[] {
  const warnings: string[] = [];
  let isChanged = (mine.mode & 0o7777) !== (mode & 0o1777);
  if (owner !== undefined && (owner.uid !== mine.uid || owner.gid !== mine.gid)) {
    try {
      fs.fchownSync(fd, owner.uid, owner.gid);
      isChanged = true;
    } catch (error) {
      if (errnoOf(error) !== "EPERM") throw error;
      warnings.push(`its owner ${owner.uid}:${owner.gid} could not be kept`);
    }
  }
  if (isChanged) fs.fchmodSync(fd, mode & 0o1777);
  for (const [bit, name] of RIGHTS_OF_THE_OWNER) {
    if ((mode & bit) !== 0) warnings.push(`its ${name} bit was taken off, as by every change`);
  }
  if (like !== undefined) warnings.push(...copyExtended(like, fd));
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
