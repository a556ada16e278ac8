// Whether git tracks files in a directory, read from its index as data: no program of a repository is started for that.
import fs from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { Refusal } from "../../../core/failure.ts";
import { openStateFile } from "../state/file.ts";

/**
 * "unknown" when there is an index that cannot be read, or that leaves out what is in a directory above. What git tracks, a checkout or a pull replaces without asking.
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
  if (directory === undefined || !isThere(join(directory, "HEAD"))) return null;
  return [join(directory, "index"), ...sharedIndexes(directory)];
}

/** Of a worktree or a submodule: one line that says where, with any number of line ends of any kind. */
function linkedDirectory(file: string): string | undefined {
  const text = bytesOf(realOf(file), LINE_BYTES)?.toString() ?? "";
  const end = endOfText(text);
  return text.startsWith(GITDIR) && end > GITDIR.length
    ? resolve(dirname(file), text.slice(GITDIR.length, end))
    : undefined;
}

function endOfText(text: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end--;
  return end;
}

/** Git follows a link in this place. */
function realOf(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path;
  }
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
  // Names stand there whole up to version 3, unless directories stand for what is in them: where the bytes are nowhere,
  // neither is the name.
  const isWhole = (version === 2 || version === 3) && !index.includes(SPARSE);
  if (!FOLDS_CASE && isWhole && index.indexOf(looksFor) === -1) return false;
  // The length of a hash is not in the index itself; names that read as names tell which it is.
  for (const hashBytes of [20, 32]) {
    const tracked = searched(index, version, hashBytes, looksFor);
    if (tracked === "above") return "unknown";
    if (tracked !== "unknown") return tracked;
  }
  return "unknown";
}

/**
 * Entry by entry: times and the like, the hash, flags, the name, of which only as much is kept as is looked for. "above":
 * of a directory on the way there the index holds nothing but its name.
 */
function searched(index: Buffer, version: number, hashBytes: number, prefix: Buffer): boolean | "unknown" | "above" {
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
    const isAbove = length > 0 && length < prefix.length && start[length - 1] === SLASH;
    if (isAbove && isSame(start.subarray(0, length), prefix.subarray(0, length))) return "above";
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

/** A link counts, wherever it leads: as the name of a branch that is kept elsewhere, git takes it. */
function isThere(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
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
const GITDIR = "gitdir: ";
/** As much as git itself reads. */
const LINE_BYTES = 1024 * 1024;
/** The extension by which an index says that directories stand in it. */
const SPARSE = "sdir";
const SLASH = "/".charCodeAt(0);
/** Of a repository with several million files. */
const INDEX_BYTES = 256 * 1024 * 1024;
