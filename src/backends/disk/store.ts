// The content-addressed store: every version under its sha256, written once.
import fs from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import { isSha } from "../../kernel/version.ts";
import type { KeptVersion, Sha, Version } from "../backend.ts";
import type { FlushRound } from "./durability.ts";
import { errnoOf, refusalOf } from "./errno.ts";
import { CREATE_ONLY, closeQuietly, readVersion, writeParts } from "./io.ts";
import { type Dir, NO_FOLLOW } from "./pin.ts";

export interface Store {
  /** True when it was not there before. */
  put(version: Version, round: FlushRound): Promise<boolean>;
  /** Takes over a file that already has the bytes of this version. */
  adopt(path: string, version: { readonly sha: Sha; readonly size: number }): void;
  /** Verified: bytes that no longer have the sha256 they are filed under are not given out. */
  get(sha: Sha): Promise<Version | null>;
  list(): Iterable<KeptVersion>;
  remove(sha: Sha): number;
}

/** `objects` is the pinned directory: one level, so that every look-up is one name under a descriptor. */
export function openStore(objects: Dir): Store {
  const pathOf = (sha: Sha): string => objects.at(sha);

  return {
    async put(version, round) {
      const path = pathOf(version.sha);
      const kept = sizeAt(path);
      if (kept === version.size) return false;
      // A size that differs is what a process left that died while writing: the lock is ours now, so it goes.
      if (kept !== null) fs.unlinkSync(path);
      const fd = fs.openSync(path, CREATE_ONLY, 0o600);
      try {
        await writeParts(fd, version.parts);
      } catch (error) {
        closeQuietly(fd);
        fs.rmSync(path, { force: true });
        throw error;
      }
      round.add(fd);
      return true;
    },

    adopt(path, { sha, size }) {
      if (sizeAt(pathOf(sha)) === size) fs.unlinkSync(path);
      else fs.renameSync(path, pathOf(sha));
    },

    async get(sha) {
      let fd: number;
      try {
        fd = fs.openSync(pathOf(sha), fs.constants.O_RDONLY | NO_FOLLOW);
      } catch (error) {
        if (errnoOf(error) === "ENOENT") return null;
        throw refusalOf(error, sha, "read the kept version");
      }
      try {
        const { sha: found, size, parts } = await readVersion(fd, fs.fstatSync(fd), Number.POSITIVE_INFINITY, sha);
        if (found === sha) return { sha, size, parts };
        throw new Refusal(
          "not_kept",
          `The kept version ${sha.slice(0, 12)} is damaged: its bytes have another sha256.`,
        );
      } finally {
        closeQuietly(fd);
      }
    },

    *list() {
      for (const sha of fs.readdirSync(objects.self).filter(isSha)) {
        const stat = fs.lstatSync(pathOf(sha), { throwIfNoEntry: false });
        if (stat !== undefined) yield { sha, size: stat.size, keptAt: stat.mtimeMs };
      }
    },

    remove(sha) {
      const size = sizeAt(pathOf(sha));
      if (size === null) return 0;
      fs.unlinkSync(pathOf(sha));
      return size;
    },
  };
}

function sizeAt(path: string): number | null {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : stat.size;
}
