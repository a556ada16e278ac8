// The lock by hard links, where the system's own is not to be had: the name `held` belongs to the file it was linked from.
import fs from "node:fs";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { removeQuietly } from "../io.ts";
import { namesIn } from "../journal/segment.ts";
import { readStateFile } from "../state/file.ts";
import type { Flavour, FlavourKind } from "./contract.ts";
import { describeOwner, isDead, newNonce, type Owner, parseOwner, thisOwner } from "./owner.ts";

export const linkLock: FlavourKind = {
  kind: "link",

  unusable(dir) {
    const probe = `${dir}/probe-${newNonce()}`;
    fs.writeFileSync(probe, "", { flag: "wx" });
    try {
      fs.linkSync(probe, `${probe}.link`);
      return null;
    } catch (error) {
      return `the file system makes no hard links (${codeOf(error)})`;
    } finally {
      fs.rmSync(probe, { force: true });
      fs.rmSync(`${probe}.link`, { force: true });
    }
  },

  open: openLinkLock,
};

/**
 * A dead holder is replaced under a right that only one process can have, `dead-<nonce of the holder>`, itself such a
 * lock: who has the right looks again whether the holder is still there and then renames over it, so the name is never
 * free in between. A dead owner of a right is replaced in the same way; since each of them judged an earlier one dead,
 * this comes to an end.
 */
function openLinkLock(dir: string): Flavour {
  const held = `${dir}/held`;
  const nonce = newNonce();
  const mine = `${dir}/owner-${nonce}`;
  // synced, so that after a power failure `held` is never a file without its owner in it
  fs.writeFileSync(mine, JSON.stringify(thisOwner(nonce)), { flag: "wx", mode: 0o600, flush: true });
  const inode = fs.lstatSync(mine, { bigint: true }).ino;

  function takeName(name: string, depth = 0): boolean {
    if (linkTo(name)) return true;
    const text = readText(name);
    if (text === null) return linkTo(name);
    const owner = parseOwner(text);
    // over a network, a link may succeed and its answer get lost
    if (owner?.nonce === nonce) return true;
    if (owner === null || owner.nonce === "" || !isDead(owner, dir)) return false;
    const right = `${dir}/dead-${owner.nonce}`;
    // Owners that stet wrote come to an end; those that go round in circles were put there.
    if (depth === MOST_RIGHTS || !takeName(right, depth + 1)) return false;
    try {
      if (readText(name) !== text) return false;
      const copy = `${mine}.copy`;
      removeQuietly(copy);
      fs.linkSync(mine, copy);
      fs.renameSync(copy, name);
      return true;
    } finally {
      removeQuietly(right);
    }
  }

  function linkTo(name: string): boolean {
    try {
      fs.linkSync(mine, name);
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  let swept = false;
  return {
    take() {
      if (!takeName(held)) return false;
      if (!swept) sweepQuietly(dir, nonce);
      swept = true;
      return true;
    },
    isAlone: () => false,
    giveUp() {},
    drop() {
      // when it was removed by hand it may be another's by now; when it cannot be removed it stays ours
      if (inodeOf(held) === inode) removeQuietly(held);
    },
    holder() {
      return `${describeOwner(ownerIn(held))} (if it runs no more, remove the file "held" of the lock)`;
    },
    close: () => removeQuietly(mine),
  };
}

/** Far more processes than ever died while each replaced the one before. */
const MOST_RIGHTS = 50;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

function readText(path: string): string | null {
  return readStateFile(path, JOURNAL_LIMITS.lockBytes, { anyLinks: true })?.toString("utf8") ?? null;
}

/** What dead processes left. Only under the lock: then no right can be about its holder, who is alive. */
function sweepQuietly(dir: string, nonce: string): void {
  try {
    for (const name of namesIn(dir, LEFTOVER)) {
      if (name.includes(nonce)) continue;
      const owner = ownerIn(`${dir}/${name}`);
      if (owner !== null && isDead(owner, dir)) removeQuietly(`${dir}/${name}`);
    }
  } catch {
    // what stays does no harm
  }
}

function ownerIn(path: string): Owner | null {
  try {
    return parseOwner(readText(path) ?? "");
  } catch {
    return null;
  }
}

function inodeOf(path: string): bigint | null {
  try {
    return fs.lstatSync(path, { bigint: true }).ino;
  } catch {
    return null;
  }
}

const LEFTOVER = /^(?:owner|dead)-[0-9a-f]{16}(?:\.copy)?$/;
