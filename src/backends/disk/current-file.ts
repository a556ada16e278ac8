// What is at a path now: read for a commit, and recorded where other programs changed it.
import fs from "node:fs";
import type { Path, Sha, Version } from "../../core/backend.ts";
import { type Author, type BackendRead, type CommitNote, type Entry, LINK_MODE } from "../../core/backend.ts";
import { JOURNAL_LIMITS, LIMITS } from "../../core/limits.ts";
import { versionOf } from "../../core/version.ts";
import { type Asked, type Observed, observe, observedDrafts } from "../journal/draft.ts";
import { refuseLarger } from "../paths.ts";
import type { Disk } from "./commit.ts";
import { refusalOf } from "./errno.ts";
import { keepBlobs } from "./history.ts";
import { closeQuietly, hashOf, readVersion } from "./io.ts";
import type { OpenFile } from "./paths/pin.ts";
import { type Link, openFileOrLink } from "./paths/reach.ts";
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
export async function openOld(found: OpenFile | Link | null, path: Path, likely?: Version): Promise<Old | null> {
  if (found === null) return null;
  if (!("fd" in found)) return held(linkVersion(found), found.stat);
  const { fd, stat } = found;
  try {
    if (stat.size <= LIMITS.sliceBytes) return held(await readVersion(fd, stat, keptBytes, path, likely), stat, fd);
    refuseLarger(path, stat.size, keptBytes);
    const { sha, size } = await hashOf(fd);
    const read = (): Promise<Version> => readVersion(fd, fs.fstatSync(fd), keptBytes, path);
    return { sha, size, mode: stat.mode & 0o7777, stat, fd, read };
  } catch (error) {
    closeQuietly(fd);
    throw error;
  }
}

export async function readAt(root: Root, path: Path, how: BackendRead = {}): Promise<Version | null> {
  const found = openFileOrLink(root, path);
  if (found === null || !("fd" in found)) return found && linkVersion(found);
  try {
    return await readVersion(found.fd, found.stat, how.maxBytes ?? keptBytes, path, how.likely);
  } finally {
    closeQuietly(found.fd);
  }
}

const linkVersion = ({ target }: Link): Version => versionOf([target], LINK_MODE);

function held(version: Version, stat: fs.Stats, fd?: number): Old {
  const { sha, size, mode = 0 } = version;
  return { sha, size, mode, stat, ...(fd !== undefined && { fd }), read: async () => version };
}

type Looked = Asked & { readonly now: Pick<Old, "sha" | "size" | "mode" | "read"> | null };

/** Under the lock. Gives the last entry; null when the journal has all of it already. Nothing is flushed. */
export async function recordOthers(
  { history, durability }: Pick<Disk, "history" | "durability">,
  looked: Iterable<Looked> | AsyncIterable<Looked>,
  author: Author,
  note?: CommitNote,
): Promise<Entry | null> {
  const { log, blobs } = history;
  const observed: Observed[] = [];
  const versions = async function* () {
    for await (const each of looked) {
      // Without its bytes, which are kept and need not be held.
      const now = each.now && { sha: each.now.sha, size: each.now.size, mode: each.now.mode };
      const news = observe(each, { head: log.head(each.path), now, find: (sha) => blobs.find(sha) });
      if (news === null) continue;
      observed.push(news);
      if (each.now !== null) yield await each.now.read();
    }
  };
  const kept = await keepBlobs(history, versions(), durability);
  const drafts = observedDrafts(observed, author, note);
  if (drafts.length === 0) return null;
  const entries = log.append(drafts.map((draft, n) => ({ draft, blobs: n === 0 ? kept : [] })));
  for (const entry of entries) if (entry instanceof Error) throw entry;
  return entries.at(-1) as Entry;
}

/** One file is open at a time. Paths that cannot be read are left out. */
export async function* lookAt<T extends Asked>(root: Root, asked: Iterable<T>): AsyncGenerator<T & Looked> {
  for (const each of asked) {
    const now = await oldAt(root, each.path).catch(() => undefined);
    try {
      if (now !== undefined) yield { ...each, now };
    } finally {
      if (now?.fd !== undefined) closeQuietly(now.fd);
    }
  }
}

/** Where a directory is by now, or none on the way, the file is gone. */
export async function oldAt(root: Root, path: Path): Promise<Old | null> {
  try {
    return await openOld(openFileOrLink(root, path), path);
  } catch (error) {
    if (["not_a_file", "not_a_directory"].includes(refusalOf(error, path, "read").kind)) return null;
    throw error;
  }
}
