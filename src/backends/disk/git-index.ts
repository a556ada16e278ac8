// Whether git tracks files in a directory, read from its index as data: no program of a repository is started for that.
import fs from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { Refusal } from "../../kernel/failure.ts";
import { openStateFile } from "./state-file.ts";

/**
 * "unknown" when there is an index that cannot be read. What git tracks, a checkout or a pull replaces without asking.
 * `directory` is absolute, links resolved.
 */
export function trackedByGit(directory: string): boolean | "unknown" {
  for (let above = dirname(directory), below = directory; ; below = above, above = dirname(above)) {
    const found = indexFiles(join(above, ".git"));
    if (found !== null) {
      const prefix = `${relative(above, directory).split(sep).join("/")}/`;
      return anyTracked(found, prefix);
    }
    if (above === dirname(above) || above === below) return false;
  }
}

/** Null where there is no repository: what bears the name but is none is looked past, as git does. */
function indexFiles(dotGit: string): readonly string[] | null {
  const stat = lookedAt(dotGit);
  if (stat === undefined) return null;
  const directory = stat.isDirectory() ? dotGit : linkedDirectory(dotGit);
  if (directory === undefined || lookedAt(join(directory, "HEAD")) === undefined) return null;
  return [join(directory, "index"), ...sharedIndexes(directory)];
}

/** Of a worktree or a submodule: one line that says where. */
function linkedDirectory(file: string): string | undefined {
  const text = bytesOf(file, LINE_BYTES)?.toString() ?? "";
  const target = /^gitdir: (.+)\n?$/.exec(text)?.[1];
  return target === undefined ? undefined : resolve(dirname(file), target);
}

/** A split index keeps most of its entries in another file. */
function sharedIndexes(directory: string): string[] {
  try {
    const names = fs.readdirSync(directory).filter((name) => /^sharedindex\.[0-9a-f]{40,64}$/.test(name));
    return names.map((name) => join(directory, name));
  } catch {
    return [];
  }
}

function anyTracked(files: readonly string[], prefix: string): boolean | "unknown" {
  let verdict: boolean | "unknown" = false;
  let bytes = 0;
  for (const file of files) {
    bytes += lookedAt(file)?.size ?? 0;
    if (bytes > INDEX_BYTES) return "unknown";
    const tracked = trackedIn(file, prefix);
    if (tracked === true) return true;
    if (tracked === "unknown") verdict = "unknown";
  }
  return verdict;
}

function trackedIn(file: string, prefix: string): boolean | "unknown" {
  if (lookedAt(file) === undefined) return false;
  const index = bytesOf(file, INDEX_BYTES, "DIRC");
  if (index === undefined || index.length < HEADER_BYTES) return "unknown";
  const version = index.readUInt32BE(4);
  const looksFor = Buffer.from(FOLDS_CASE ? prefix.toLowerCase() : prefix);
  // Names stand there whole up to version 3: where the bytes are nowhere, neither is the name.
  if (!FOLDS_CASE && (version === 2 || version === 3) && index.indexOf(looksFor) === -1) return false;
  // The length of a hash is not in the index itself; names that read as names tell which it is.
  for (const hashBytes of [20, 32]) {
    const tracked = searched(index, version, hashBytes, looksFor);
    if (tracked !== "unknown") return tracked;
  }
  return "unknown";
}

/** Entry by entry: times and the like, the hash, flags, the name, of which only as much is kept as is looked for. */
function searched(index: Buffer, version: number, hashBytes: number, prefix: Buffer): boolean | "unknown" {
  if (version < 2 || version > 4) return "unknown";
  const start = Buffer.alloc(prefix.length);
  let at = HEADER_BYTES;
  let length = 0;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + STAT_BYTES + hashBytes;
    if (flagsAt + 2 > index.length) return "unknown";
    const flags = index.readUInt16BE(flagsAt);
    const extended = version >= 3 && (flags & EXTENDED) !== 0;
    let from = flagsAt + (extended ? 4 : 2);
    if (version === 4) {
      const { value, next } = varint(index, from);
      if (value > length) return "unknown";
      length -= value;
      from = next;
    } else length = 0;
    const end = index.indexOf(0, from);
    if (end === -1) return "unknown";
    if (length < start.length) index.copy(start, length, from, Math.min(end, from + start.length - length));
    length += end - from;
    if (!isLength(length, flags)) return "unknown";
    if (length >= prefix.length && isSame(start, prefix)) return true;
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return false;
}

/** The lower bits of the flags give the length of the name, as far as they can count. Empty: it is in the shared index. */
function isLength(length: number, flags: number): boolean {
  const said = flags & NAME_MASK;
  return said === NAME_MASK ? length >= NAME_MASK : length === said;
}

function isSame(start: Buffer, prefix: Buffer): boolean {
  return FOLDS_CASE ? start.toString().toLowerCase() === prefix.toString() : start.equals(prefix);
}

/** As git writes offsets: seven bits a byte, the highest first, each further byte counts one more. */
function varint(index: Buffer, from: number): { readonly value: number; readonly next: number } {
  let byte = index[from] ?? 0;
  let value = byte & 127;
  let next = from + 1;
  while ((byte & 128) !== 0 && next < index.length) {
    byte = index[next++]!;
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next };
}

function lookedAt(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Undefined for what is no file, too large, not to be read, or begins otherwise: that is known before all of it is read. */
function bytesOf(path: string, maxBytes: number, beginning = ""): Buffer | undefined {
  try {
    const file = openStateFile(path, { maxBytes, anyOwner: true, anyLinks: true });
    if (file === null) return undefined;
    try {
      const first = Buffer.alloc(beginning.length);
      fs.readSync(file.fd, first, 0, first.length, 0);
      return first.toString("latin1") === beginning ? fs.readFileSync(file.fd) : undefined;
    } finally {
      fs.closeSync(file.fd);
    }
  } catch (error) {
    if (error instanceof Refusal || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}

const FOLDS_CASE = process.platform === "darwin" || process.platform === "win32";
const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const EXTENDED = 0x4000;
const NAME_MASK = 0xfff;
const LINE_BYTES = 8 * 1024;
/** Of a repository with several million files. */
const INDEX_BYTES = 256 * 1024 * 1024;
