// What is at a path when a commit begins: its sha256, its attributes, and an open descriptor to look at it again.
import fs from "node:fs";
import { type BackendRead, LINK_MODE, type Path, type Sha, type Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS, LIMITS } from "../../core/limits.ts";
import { versionOf } from "../../core/version.ts";
import { refuseLarger } from "../path-refusals.ts";
import { closeLater } from "./flushes.ts";
import { closeQuietly, hashOf, readVersion } from "./io.ts";
import type { OpenFile } from "./paths/pin.ts";
import { openRegular, readLink } from "./paths/reach.ts";
import type { Root } from "./paths/root.ts";

export interface Old {
  readonly sha: Sha;
  readonly size: number;
  readonly mode: number;
  readonly stat: fs.Stats;
  /** Undefined for a symbolic link. */
  readonly fd?: number;
  /** The bytes, read again where the file is too large to be held in advance. */
  read(): Promise<Version>;
}

/** What is larger could not be kept, and would be read for minutes. */
const { keptBytes } = JOURNAL_LIMITS;

/** The caller closes the descriptor. `likely`: what is probably there, as it was read a moment ago. */
export async function openOld(root: Root, path: Path, likely?: Version): Promise<Old | null> {
  const file = openFileOrLink(root, path);
  if (file === null || "version" in file) return file === null ? null : held(file.version, file.stat);
  try {
    if (file.stat.size <= LIMITS.sliceBytes) {
      return held(await readVersion(file.fd, file.stat, keptBytes, path, likely), file.stat, file.fd);
    }
    refuseLarger(path, file.stat.size, keptBytes);
    return await hashed(file, path);
  } catch (error) {
    closeQuietly(file.fd);
    throw error;
  }
}

export async function readAt(root: Root, path: Path, how: BackendRead = {}): Promise<Version | null> {
  const file = openFileOrLink(root, path);
  if (file === null || "version" in file) return file?.version ?? null;
  try {
    return await readVersion(file.fd, file.stat, how.maxBytes ?? keptBytes, path, how.likely);
  } finally {
    closeQuietly(file.fd);
  }
}

export function closeOld(old: Old | null): void {
  if (old?.fd !== undefined) closeLater(old.fd);
}

function held(version: Version, stat: fs.Stats, fd?: number): Old {
  const { sha, size, mode = 0 } = version;
  return { sha, size, mode, stat, ...(fd !== undefined && { fd }), read: async () => version };
}

async function hashed({ fd, stat }: OpenFile, path: Path): Promise<Old> {
  const { sha, size } = await hashOf(fd);
  const read = (): Promise<Version> => readVersion(fd, fs.fstatSync(fd), keptBytes, path);
  return { sha, size, mode: stat.mode & 0o7777, stat, fd, read };
}

function openFileOrLink(root: Root, path: Path): OpenFile | { version: Version; stat: fs.Stats } | null {
  try {
    return openRegular(root, path);
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "path_changed") throw error;
    const link = readLink(root, path);
    return link && { version: versionOf([link.target], LINK_MODE), stat: link.stat };
  }
}
