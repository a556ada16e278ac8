// Writes files of the owner, such as a client's configuration: a new one, or all of one with a copy kept beside it.
import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { readRegularFile, Unfit } from "../../serve/regular-file.ts";

/** The configurations of some clients hold their history, too. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Undefined when there is none. */
export function readOwnerFile(path: string): string | undefined {
  try {
    const bytes = readRegularFile(path, MAX_BYTES);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof Unfit) throw refusal(path, "read", `it ${error.message}`);
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unusable(path, "read", error);
  }
}

/** Refuses to write over anything. */
export function writeNewFile(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFlushed(path, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unusable(path, "write", error);
    throw isDanglingLink(path)
      ? new Refusal("already_exists", `${path} is a link that leads nowhere; it was left as it is.`, {
          path,
          next: "Remove the link, or make the file that it leads to.",
        })
      : new Refusal("already_exists", `${path} exists already; it was left as it is.`, {
          path,
          next: "Change it by hand, or move it away first.",
        });
  }
}

function isDanglingLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && !existsSync(path);
}

/**
 * Replaces what was read, in one step and behind links, after a copy of it was put beside it; mode and owner stay. Refuses
 * when it was changed meanwhile. Gives back where the copy is.
 */
export function replaceOwnerFile(path: string, before: string, after: string): string {
  try {
    const target = realpathSync(path);
    const found = statSync(target);
    if (!isWritable(target, found)) {
      throw new Refusal("permission_denied", `${path} may not be written; it was left as it is.`, {
        path,
        next: "Make it writable, or put the entry there yourself.",
      });
    }
    const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
    writeFlushed(temporary, after, (fd) => makeLike(path, fd, found));
    let backup: string | undefined;
    try {
      backup = copyBeside(target);
      if (readOwnerFile(target) !== before) {
        throw new Refusal("stale_file", `${path} was changed meanwhile; it was left as it is.`, {
          path,
          next: "Run the command again.",
        });
      }
      renameSync(temporary, target);
      return backup;
    } catch (error) {
      if (backup !== undefined) rmSync(backup, { force: true });
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (error) {
    throw unusable(path, "write", error);
  }
}

/** On the disk when it returns; gone again where that fails. */
function writeFlushed(path: string, text: string, prepare?: (fd: number) => void): void {
  const fd = openSync(path, "wx", prepare === undefined ? 0o666 : 0o600);
  try {
    prepare?.(fd);
    writeFileSync(fd, text);
    fsyncSync(fd);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

function isWritable(path: string, { mode }: Stats): boolean {
  // Also for a user who may write everything: a read-only file is read-only on purpose.
  if ((mode & 0o222) === 0) return false;
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function makeLike(path: string, fd: number, { mode, uid, gid }: Stats): void {
  const made = fstatSync(fd);
  if (made.uid !== uid || made.gid !== gid) {
    try {
      fchownSync(fd, uid, gid);
    } catch (error) {
      throw new Refusal("permission_denied", `${path} belongs to another user or group; it was left as it is.`, {
        path,
        next: "Run the command as its owner, or put the entry there yourself.",
        cause: error,
      });
    }
  }
  fchmodSync(fd, mode & 0o7777);
}

/** Earlier copies stay. */
function copyBeside(path: string): string {
  for (let count = 1; ; count++) {
    const copy = `${path}.before-stet${count === 1 ? "" : `-${count}`}`;
    try {
      copyFileSync(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function unusable(path: string, verb: string, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code } = error as NodeJS.ErrnoException;
  const why = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8 text" : (code ?? String(error));
  return refusal(path, verb, why, error);
}

function refusal(path: string, verb: string, why: string, cause?: unknown): Refusal {
  return new Refusal("io_error", `Cannot ${verb} ${path}: ${why}.`, { path, ...(cause !== undefined && { cause }) });
}
