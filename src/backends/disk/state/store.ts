// The content-addressed store: every version under its sha256, written once.
import { hash as hashOnce } from "node:crypto";
import fs from "node:fs";
import type { KeptVersion, Sha, Version } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { shown } from "../../../core/printable.ts";
import { isSha } from "../../../core/version.ts";
import { refuseLarger } from "../../path-refusals.ts";
import type { FlushRound } from "../commit/durability.ts";
import type { NameOrder } from "../commit/name-order.ts";
import { refusalOf } from "../errno.ts";
import { CREATE_ONLY, closeQuietly, hashOf, readVersion, writeParts } from "../io.ts";
import type { Dir } from "../paths/pin.ts";
import { openStateFile, type StateFile } from "./file.ts";

export interface Store {
  /** True when it was not there before. */
  put(version: Version, round: FlushRound): Promise<boolean>;
  /** Takes over a file that already has the bytes of this version. */
  adopt(path: string, version: { readonly sha: Sha; readonly size: number }): void;
  /** Verified: bytes that no longer have the sha256 they are filed under are not given out. */
  get(sha: Sha, maxBytes?: number): Promise<Version | null>;
  list(): Iterable<KeptVersion>;
  /** Null when it is not there. */
  find(sha: Sha): KeptVersion | null;
  /** It counts as put there now, where this process may say so. */
  renew(sha: Sha): void;
  remove(sha: Sha): void;
  /** Makes the names of what was put as safe as its bytes. */
  syncNames(): void;
}

/** `objects` is the pinned directory: one level, so that every look-up is one name under a descriptor. */
export function openStore(objects: Dir, { nameOrder }: { readonly nameOrder: NameOrder }): Store {
  /** Only what is a sha256 may become a name here: the journal could ask for anything. */
  const pathOf = (sha: Sha): string => {
    if (isSha(sha)) return objects.at(sha);
    throw new Refusal("invalid_input", `${shown(String(sha))} is not a sha256, so no version has that name.`);
  };

  function find(sha: Sha): KeptVersion | null {
    const stat = isSha(sha) ? keptAt(pathOf(sha)) : null;
    return stat === null ? null : { sha, size: stat.size, keptAt: stat.mtimeMs };
  }

  return {
    async put(version, round) {
      const path = pathOf(version.sha);
      if (keptAt(path)?.size === version.size && (await holds(path, version.sha))) return false;
      // What is there otherwise is what a process left that died while writing: the lock is ours now, so it goes.
      clear(path);
      const fd = fs.openSync(path, CREATE_ONLY, 0o600);
      let isOurs = true;
      try {
        await writeParts(fd, version.parts);
        isOurs = false;
        round.add(fd);
        return true;
      } catch (error) {
        if (isOurs) closeQuietly(fd);
        fs.rmSync(path, { force: true });
        throw error;
      }
    },

    adopt(path, { sha, size }) {
      const to = pathOf(sha);
      const there = fs.lstatSync(to, { throwIfNoEntry: false });
      const mayBeKept = there?.isFile() && there.size === size && size <= SMALL;
      if (mayBeKept && hashOnce("sha256", fs.readFileSync(to)) === sha) return fs.unlinkSync(path);
      if (there !== undefined && !there.isFile()) clear(to);
      fs.renameSync(path, to);
    },

    async get(sha, maxBytes = JOURNAL_LIMITS.keptBytes) {
      if (!isSha(sha)) return null;
      const file = openKept(pathOf(sha), sha);
      if (file === null) return null;
      try {
        refuseLarger(`The kept version ${sha.slice(0, 12)}`, file.stat.size, maxBytes);
        // A large one is read twice: what has other bytes than its name says must not fill the memory first.
        const isLarge = file.stat.size > LARGE;
        if (isLarge && (await hashOf(file.fd)).sha !== sha) throw unfit(sha, "its bytes have another sha256");
        const { sha: found, size, parts } = await readVersion(file.fd, file.stat, JOURNAL_LIMITS.keptBytes, sha);
        if (found === sha) return { sha, size, parts };
        throw unfit(sha, "its bytes have another sha256");
      } finally {
        closeQuietly(file.fd);
      }
    },

    *list() {
      const names = fs.opendirSync(objects.self, { bufferSize: NAMES_AT_ONCE });
      try {
        for (let found = names.readSync(); found !== null; found = names.readSync()) {
          const version = find(found.name as Sha);
          if (version !== null) yield version;
        }
      } finally {
        names.closeSync();
      }
    },

    find,

    renew(sha) {
      const now = new Date();
      try {
        fs.utimesSync(pathOf(sha), now, now);
      } catch {
        // a replaced file keeps its owner, who alone may say this
      }
    },

    remove(sha) {
      if (find(sha) !== null) fs.unlinkSync(pathOf(sha));
    },

    syncNames() {
      if (nameOrder === "none") objects.fsync();
    },
  };
}

/** Up to here a version that is kept already is compared before its file goes; larger ones take its place. */
const SMALL = 1024 * 1024;
/** From here on the bytes are looked through before they are read. */
const LARGE = 64 * 1024 * 1024;
const NAMES_AT_ONCE = 1024;

/** Null when nothing is there, or no file. A replaced file keeps the owner that it had in the workspace. */
function keptAt(path: string): fs.Stats | null {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? stat : null;
}

/** A link goes itself, not what it leads to. A directory is nothing that stet removes. */
function clear(path: string): void {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isDirectory()) throw unfit(path.slice(-64), "it is a directory");
  fs.unlinkSync(path);
}

function openKept(path: string, sha: Sha): StateFile | null {
  try {
    return openStateFile(path, { maxBytes: JOURNAL_LIMITS.keptBytes, anyOwner: true, anyLinks: true });
  } catch (error) {
    if (error instanceof Refusal) throw unfit(sha, error.failure.message);
    throw refusalOf(error, sha, "read the kept version");
  }
}

/** Whether a file has the bytes of this version. Its size and its name say nothing: anything can be put there. */
export async function holds(path: string, sha: Sha): Promise<boolean> {
  try {
    const file = openKept(path, sha);
    if (file === null) return false;
    try {
      return (await hashOf(file.fd, file.stat.size)).sha === sha;
    } finally {
      closeQuietly(file.fd);
    }
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function unfit(sha: string, why: string): Refusal {
  return new Refusal("not_kept", `The kept version ${sha.slice(0, 12)} is damaged: ${why.replace(/\.$/, "")}.`);
}
