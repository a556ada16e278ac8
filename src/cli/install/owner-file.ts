// Writes files of the owner, such as a client's configuration: a new one, or all of one with a copy kept beside it.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { dirname } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { readRegularFile, Unfit } from "../../serve/regular-file.ts";

/** The configurations of some clients hold their history, too. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Undefined when there is none. */
export function readOwnerFile(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readRegularFile(path, MAX_BYTES));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unusable(path, "read", error);
  }
}

/** Refuses to write over anything. */
export function writeNewFile(path: string, text: string): void {
  try {
    fs.mkdirSync(dirname(path), { recursive: true });
    writeFlushed(path, text, 0o666);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unusable(path, "write", error);
    if (fs.existsSync(path))
      throw leftAlone("already_exists", path, "exists already", "Change it by hand, or move it away first.");
    const next = "Remove the link, or make the file that it leads to.";
    throw leftAlone("already_exists", path, "is a link that leads nowhere", next);
  }
}

/**
 * Replaces what was read, in one step and behind links, after a copy of it was put beside it; mode and owner stay. Refuses
 * when it was changed meanwhile. Gives back where the copy is.
 */
export function replaceOwnerFile(path: string, before: string, after: string): string {
  const undo: string[] = [];
  try {
    const target = fs.realpathSync(path);
    const like = fs.statSync(target);
    // Also for a user who may write everything: a read-only file is read-only on purpose.
    if ((like.mode & 0o222) === 0) throw Object.assign(new Error(), { code: "EACCES" });
    fs.accessSync(target, fs.constants.W_OK);
    const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
    writeFlushed(temporary, after, 0o600, like);
    undo.push(temporary);
    const backup = copyBeside(target);
    undo.push(backup);
    if (readOwnerFile(target) !== before)
      throw leftAlone("stale_file", path, "was changed meanwhile", "Run the command again.");
    fs.renameSync(temporary, target);
    return backup;
  } catch (error) {
    for (const each of undo) fs.rmSync(each, { force: true });
    if (!["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw unusable(path, "write", error);
    const next = "Make it writable, run the command as its owner, or put the entry there yourself.";
    throw leftAlone("permission_denied", path, "may not be written", next);
  }
}

/** On the disk when it returns; gone again where that fails. With the mode and owner of `like`. */
function writeFlushed(path: string, text: string, mode: number, like?: fs.Stats): void {
  const fd = fs.openSync(path, "wx", mode);
  try {
    const { uid, gid } = fs.fstatSync(fd);
    if (like !== undefined && (like.uid !== uid || like.gid !== gid)) fs.fchownSync(fd, like.uid, like.gid);
    if (like !== undefined) fs.fchmodSync(fd, like.mode & 0o7777);
    fs.writeFileSync(fd, text);
    fs.fsyncSync(fd);
  } catch (error) {
    fs.rmSync(path, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

/** Earlier copies stay. */
function copyBeside(path: string): string {
  for (let count = 1; ; count++) {
    const copy = `${path}.before-stet${count === 1 ? "" : `-${count}`}`;
    try {
      fs.copyFileSync(path, copy, fs.constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function leftAlone(kind: Refusal["kind"], path: string, why: string, next: string): Refusal {
  return new Refusal(kind, `${path} ${why}; it was left as it is.`, { path, next });
}

function unusable(path: string, verb: string, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const isText = code !== "ERR_ENCODING_INVALID_ENCODED_DATA";
  const why = error instanceof Unfit ? `it ${message}` : isText ? (code ?? String(error)) : "it is not UTF-8 text";
  return new Refusal("io_error", `Cannot ${verb} ${path}: ${why}.`, { path, cause: error });
}
