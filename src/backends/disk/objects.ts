// Large versions as files of their own, each under its sha256, written once.
import fs from "node:fs";
import { dirname } from "node:path";
import type { KeptVersion, Sha, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { isSha } from "../../core/version.ts";
import { refuseLarger } from "../paths.ts";
import { closeQuietly, flushDirectory, readVersion, removeQuietly, writeParts } from "./io.ts";
import { createStateFile, openStateFile } from "./state-file.ts";

export interface Objects {
  /** Safe from a power failure when it returns, if `flush`. */
  put(version: Version, flush: boolean): Promise<void>;
  /** Verified. Null when it is not there. */
  get(sha: Sha, maxBytes: number): Promise<Version | null>;
  find(sha: Sha): KeptVersion | null;
  list(): Iterable<KeptVersion>;
  /** `at`: milliseconds since 1970. */
  renew(sha: Sha, at?: number): void;
  remove(sha: Sha): void;
}

/** The directory is made when the first one is put there. */
export function openObjects(dir: string): Objects {
  const pathOf = (sha: Sha): string => `${dir}/${sha}`;

  function find(sha: Sha): KeptVersion | null {
    const stat = isSha(sha) ? fs.lstatSync(pathOf(sha), { throwIfNoEntry: false }) : undefined;
    return stat?.isFile() ? { sha, size: stat.size, keptAt: stat.mtimeMs } : null;
  }

  return {
    find,

    async put(version, flush) {
      if (find(version.sha)?.size === version.size) {
        // Another process may have put it there without a flush.
        if (flush) flushFile(pathOf(version.sha));
        return;
      }
      fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
      const temporary = `${pathOf(version.sha)}.tmp`;
      removeQuietly(temporary);
      const fd = createStateFile(temporary);
      try {
        await writeParts(fd, version.parts);
        if (flush) fs.fsyncSync(fd);
      } catch (error) {
        removeQuietly(temporary);
        throw error;
      } finally {
        closeQuietly(fd);
      }
      fs.renameSync(temporary, pathOf(version.sha));
      if (flush) flushDirectory(dir);
    },

    async get(sha, maxBytes) {
      if (!isSha(sha)) return null;
      const file = openStateFile(pathOf(sha));
      if (file === null) return null;
      try {
        refuseLarger(`The kept version ${sha.slice(0, 12)}`, file.stat.size, maxBytes);
        const { sha: found, size, parts } = await readVersion(file.fd, file.stat, JOURNAL_LIMITS.keptBytes, sha);
        if (found !== sha) throw damagedVersion(sha);
        return { sha, size, parts };
      } finally {
        closeQuietly(file.fd);
      }
    },

    *list() {
      const names = fs.existsSync(dir) ? fs.readdirSync(dir) : [];
      for (const name of names) {
        const version = find(name as Sha);
        if (version !== null) yield version;
      }
    },

    renew(sha, at = Date.now()) {
      fs.utimesSync(pathOf(sha), at / 1000, at / 1000);
    },

    remove(sha) {
      if (find(sha) !== null) fs.unlinkSync(pathOf(sha));
    },
  };
}

function flushFile(path: string): void {
  const fd = fs.openSync(path, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    closeQuietly(fd);
  }
  flushDirectory(dirname(path));
}

export function damagedVersion(sha: Sha): Refusal {
  return new Refusal("not_kept", `The kept version ${sha.slice(0, 12)} is damaged: its bytes have another sha256.`);
}
