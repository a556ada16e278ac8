// Takes a workspace that is moved here: built in a private directory beside the one it becomes, and given its name when it is whole.
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { KeptVersion, Sha, Verification, Version } from "../../../core/backend.ts";
import { LINK_MODE } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { shown } from "../../../core/printable.ts";
import { bytesOf } from "../../../core/version.ts";
import { GENESIS } from "../../journal/entry.ts";
import type { Item, Reached, Receiver } from "../../moving.ts";
import { errnoOf } from "../errno.ts";
import { CREATE_ONLY, closeQuietly, hashOf, writeParts } from "../io.ts";
import { segmentPath } from "../journal/segment.ts";
import { verifyJournal } from "../journal/verify.ts";
import { NO_FOLLOW } from "../paths/pin.ts";
import { openRoot } from "../paths/root.ts";
import { openStateDirectory, STATE_NAME } from "../state/directory.ts";
import { createStateFile } from "../state/file.ts";
import { checkFormat } from "../state/format.ts";
import { holds } from "../state/store.ts";
import { keepHeads } from "../trust/adopt-contents.ts";
import { registerDirectory, registerFor } from "../trust/register.ts";
import { claim } from "../trust/trust.ts";

export interface ReceiverDirectory extends Receiver {
  /** Gives the directory its name. Without a history it has no state. */
  finish(head: Reached): Promise<Verification>;
}

/** `path` is absolute. What was begun and cut short goes on. */
export function receiveInDirectory(
  path: string,
  { history, registerDir = registerDirectory() }: { readonly history: boolean; readonly registerDir?: string },
): ReceiverDirectory {
  refuseTaken(path);
  const work = join(dirname(path), `.${basename(path)}.pulling`);
  fs.mkdirSync(work, { recursive: true, mode: 0o700 });
  if (!fs.lstatSync(work).isDirectory()) throw inTheWay(work);
  const state = join(work, STATE_NAME);
  const objects = join(state, "objects");
  const journal = join(state, "journal");
  if (history) {
    for (const name of namesIn(state).filter((each) => each !== "objects")) fs.rmSync(join(state, name), REMOVE);
    for (const each of [state, objects, journal]) fs.mkdirSync(each, { recursive: true, mode: 0o700 });
  } else fs.rmSync(state, REMOVE);
  const placed = new Set<string>([STATE_NAME]);
  const links: [path: string, target: Buffer][] = [];
  const dated: [path: string, mtimeMs: number][] = [];
  let segment: { fd: number; bytes: number } | undefined;
  let seq = 0;

  function write(line: Buffer): void {
    if (segment !== undefined && segment.bytes + line.length >= LIMITS.segmentBytes) endSegment();
    segment ??= { fd: createStateFile(segmentPath(journal, seq + 1)), bytes: 0 };
    const bytes = Buffer.concat([line, LINE_END]);
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(segment.fd, bytes, done);
    segment.bytes += bytes.length;
    seq += 1;
  }

  function endSegment(): void {
    if (segment === undefined) return;
    fs.fsyncSync(segment.fd);
    fs.closeSync(segment.fd);
    segment = undefined;
  }

  return {
    reached: { seq: 0, hash: GENESIS },
    async restart() {},

    async missing(kept) {
      const isMissing = async ({ sha, size }: KeptVersion): Promise<boolean> => {
        const at = join(objects, sha);
        const stat = fs.lstatSync(at, { throwIfNoEntry: false });
        return !(stat?.isFile() && stat.size === size && (await holds(at, sha)));
      };
      const missing: KeptVersion[] = [];
      for (const each of kept) if (await isMissing(each)) missing.push(each);
      return missing;
    },

    keep: (version, keptAt) => written(join(objects, version.sha), version, { mode: 0o600, mtimeMs: keptAt }),

    async keepOnly(shas) {
      for (const name of namesIn(objects)) if (!shas.has(name as Sha)) fs.rmSync(join(objects, name), REMOVE);
    },

    async enter(lines) {
      for (const line of lines) write(line);
    },

    async holds(item) {
      if (item.kind !== "file" || item.sha === undefined) return false;
      const at = join(work, checkedPath(item.path));
      if (!(await isFile(at, item.sha))) return false;
      placed.add(item.path);
      return true;
    },

    async place(item, version) {
      const at = join(work, checkedPath(item.path));
      placed.add(item.path);
      if (version === null) return makeDirectory(at, item, dated);
      fs.mkdirSync(dirname(at), { recursive: true });
      if (version.mode === LINK_MODE) links.push([at, Buffer.from(bytesOf(version))]);
      else await written(at, version, { mode: version.mode ?? 0o644, mtimeMs: item.mtimeMs }).catch(namedAlike(item));
    },

    async finish(head) {
      endSegment();
      removeStrange(work, "", placed);
      // behind all that is written: nothing is ever written through one
      for (const [at, target] of links) makeLink(at, target);
      for (const [at, mtimeMs] of dated.toReversed()) fs.utimesSync(at, mtimeMs / 1000, mtimeMs / 1000);
      if (!history) {
        take(work, path);
        return NOTHING_TO_VERIFY;
      }
      const verification = await verifyJournal(journal);
      if (!verification.ok || verification.head.hash !== head.hash) return verification;
      if (head.seq > 0) claimed(work, path, registerDir);
      else fs.rmSync(state, REMOVE);
      take(work, path);
      return verification;
    },
  };
}

const REMOVE = { recursive: true, force: true } as const;
const LINE_END = Buffer.from("\n");
const NOTHING_TO_VERIFY: Verification = {
  ok: true,
  entries: 0,
  head: { seq: 0, hash: GENESIS },
  problems: [],
  signedHeads: 0,
};

/** It is made here: by the owner, with all that it says checked. The record names the place that it gets. */
function claimed(work: string, path: string, registerDir: string | undefined): void {
  const root = openRoot(work);
  try {
    const register = registerFor(path, registerDir, { flush: true });
    const { dir } = openStateDirectory(root, undefined, true)!;
    try {
      checkFormat(dir, true);
      keepHeads(dir.at("journal"));
      claim(dir, join(fs.realpathSync(dirname(path)), basename(path), STATE_NAME), register);
      dir.fsync();
    } finally {
      dir.close();
    }
  } finally {
    root.close();
  }
}

/** An empty directory may be there. */
function take(work: string, path: string): void {
  refuseTaken(path);
  fs.chmodSync(work, 0o777 & ~process.umask());
  if (fs.existsSync(path)) fs.rmdirSync(path);
  fs.renameSync(work, path);
  const parent = fs.openSync(dirname(path), "r");
  try {
    fs.fsyncSync(parent);
  } catch {
    // some systems cannot flush a directory
  } finally {
    closeQuietly(parent);
  }
}

async function written(
  at: string,
  version: Version,
  { mode, mtimeMs }: { readonly mode: number; readonly mtimeMs: number },
): Promise<void> {
  fs.rmSync(at, REMOVE);
  const fd = fs.openSync(at, CREATE_ONLY, 0o600);
  try {
    await writeParts(fd, version.parts);
    fs.fchmodSync(fd, mode & 0o1777);
    fs.futimesSync(fd, mtimeMs / 1000, mtimeMs / 1000);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

async function isFile(at: string, sha: Sha): Promise<boolean> {
  let fd: number | undefined;
  try {
    fd = fs.openSync(at, fs.constants.O_RDONLY | NO_FOLLOW);
    return fs.fstatSync(fd).isFile() && (await hashOf(fd)).sha === sha;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  } finally {
    if (fd !== undefined) closeQuietly(fd);
  }
}

function makeDirectory(at: string, { mtimeMs }: Item, dated: [string, number][]): void {
  if (fs.lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === false) fs.rmSync(at, REMOVE);
  fs.mkdirSync(at, { recursive: true });
  dated.push([at, mtimeMs]);
}

function makeLink(at: string, target: Buffer): void {
  fs.rmSync(at, REMOVE);
  fs.symlinkSync(target, at);
}

/** What came in an attempt before, and is no longer there, or is a link that may lead anywhere. */
function removeStrange(work: string, below: string, placed: ReadonlySet<string>): void {
  for (const entry of fs.readdirSync(join(work, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (path === STATE_NAME) continue;
    if (!placed.has(path) || entry.isSymbolicLink()) fs.rmSync(join(work, path), REMOVE);
    else if (entry.isDirectory()) removeStrange(work, path, placed);
  }
}

/** The database is not believed about names: each must stay in the directory, and out of its state. */
function checkedPath(path: string): string {
  const isSafe = path
    .split("/")
    .every((name) => name !== "" && name !== "." && name !== ".." && !UNFIT.test(name) && !OWN.test(name));
  if (isSafe) return path;
  throw new Refusal("invalid_path", `${shown(path)} cannot be the name of a file in a directory.`, {
    path,
    next: "Rename it where it is, and pull again.",
  });
}

const OWN = /^\.stet$/i;
/** Elsewhere than on Windows a backslash is a character like any other. */
const UNFIT = process.platform === "win32" ? /[\0\\]/ : /\0/;

function namesIn(dir: string): string[] {
  try {
    return fs.readdirSync(dir);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

function refuseTaken(path: string): void {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isDirectory() && namesIn(path).length === 0) return;
  throw new Refusal("already_exists", `${shown(path)} is there already, and is not an empty directory.`, {
    next: "Name a directory that is not there yet.",
  });
}

function inTheWay(path: string): Refusal {
  return new Refusal("already_exists", `${shown(path)} is in the way.`, { next: "Move it away, then pull again." });
}

/** On file systems that do not tell the case of letters apart, two names can be one. */
function namedAlike({ path }: Item): (error: unknown) => never {
  return (error) => {
    if (errnoOf(error) !== "EEXIST") throw error;
    throw new Refusal("already_exists", `${shown(path)} has the name of another file, as this file system sees it.`, {
      path,
      next: "Rename one of them where they are, and pull again.",
    });
  };
}
