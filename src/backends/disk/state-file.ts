// The one way to open files of the state: in their place another program could have put a link, a pipe or an endless file.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import { errnoOf } from "./errno.ts";
import { closeQuietly, readFully, removeQuietly } from "./io.ts";
import { NO_FOLLOW } from "./paths/pin.ts";

export interface StateFile {
  readonly fd: number;
  readonly stat: fs.Stats;
}

const { O_CREAT, O_EXCL, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = fs.constants;

/** `path` is one name under a pinned directory. Null when nothing is there. The caller closes it. */
export function openStateFile(path: string, flags: number = O_RDONLY): StateFile | null {
  let fd: number;
  try {
    // A pipe must not hold us up: opened without waiting, it is told by its kind.
    fd = fs.openSync(path, flags | NO_FOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    const code = errnoOf(error) ?? "";
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    // A link, a directory opened to be written, a pipe without a reader, a socket.
    if (NO_FILE.has(code)) throw unfit(path, "is not a regular file");
    throw error;
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw unfit(path, "is not a regular file");
    if (!isOurs(stat)) throw unfit(path, "belongs to another user");
    // An archive can make one: what is written here would be written there too.
    if (flags !== O_RDONLY && stat.nlink > 1) throw unfit(path, "has another name by hard link");
    return { fd, stat };
  } catch (error) {
    closeQuietly(fd);
    throw error;
  }
}

/** Undefined when nothing is there. No more than it had when it was opened: one that grows is not read for ever. */
export function readStateFile(path: string, maxBytes: number): Buffer | undefined {
  const file = openStateFile(path);
  if (file === null) return undefined;
  try {
    return readFully(file.fd, 0, Math.min(file.stat.size, maxBytes));
  } finally {
    closeQuietly(file.fd);
  }
}

/** Never an existing file, never through a link. */
export function createStateFile(path: string): number {
  return fs.openSync(path, O_RDWR | O_CREAT | O_EXCL | NO_FOLLOW, 0o600);
}

/** Under a random name first, where no link to somewhere else can have been put before. */
export function replaceStateFile(path: string, parts: Iterable<string | Uint8Array>, flush: boolean): void {
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    const fd = createStateFile(temporary);
    try {
      for (const part of parts) fs.writeFileSync(fd, part);
      if (flush) fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
}

/** Windows has no such owners, and its own rules for who may open what. */
export function isOurs({ uid }: Pick<fs.Stats, "uid">): boolean {
  const me = process.geteuid?.();
  return me === undefined || uid === me;
}

const NO_FILE: ReadonlySet<string> = new Set(["ELOOP", "EISDIR", "ENXIO", "EMLINK"]);

/** By its own name only: what stands before it is how this process reached it. */
function unfit(path: string, why: string): Refusal {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return new Refusal("journal_damaged", `The file ${shown(name)} of the state ${why}.`, {
    next: "Have the owner of the workspace look at it: something other than stet put it there.",
  });
}
