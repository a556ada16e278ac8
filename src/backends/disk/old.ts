// What is at a path when a commit begins: its bytes, its attributes, and an open descriptor to look at it again.
import fs from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import { versionOf } from "../../kernel/version.ts";
import { LINK_MODE, type Path, type Version } from "../backend.ts";
import { closeQuietly, readVersion } from "./io.ts";
import { openRegular, readLink } from "./open.ts";
import { withParent } from "./parent.ts";
import type { Root } from "./root.ts";

export interface Old {
  readonly version: Version;
  readonly stat: fs.Stats;
  /** Undefined for a symbolic link. */
  readonly fd?: number;
}

/** The caller closes the descriptor. */
export async function openOld(root: Root, path: Path, maxBytes = Number.POSITIVE_INFINITY): Promise<Old | null> {
  const file = openFileOrLink(root, path);
  if (file === null || "version" in file) return file;
  try {
    return { ...file, version: await readVersion(file.fd, file.stat, maxBytes, path) };
  } catch (error) {
    closeQuietly(file.fd);
    throw error;
  }
}

export async function readAt(root: Root, path: Path, maxBytes?: number): Promise<Version | null> {
  const old = await openOld(root, path, maxBytes);
  closeOld(old);
  return old?.version ?? null;
}

export function closeOld(old: Old | null): void {
  if (old?.fd !== undefined) closeQuietly(old.fd);
}

function openFileOrLink(root: Root, path: Path): { fd: number; stat: fs.Stats } | Old | null {
  try {
    return openRegular(root, path);
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "path_changed") throw error;
    const target = readLink(root, path);
    if (target === null) return null;
    const stat = withParent(root, path, {}, (dir, name) => fs.lstatSync(dir.at(name)));
    return { version: versionOf([target], LINK_MODE), stat };
  }
}
