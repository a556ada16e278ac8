// The only writer of the command line: files that belong to the owner, made anew or replaced as a whole, never half.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { Refusal } from "../kernel/failure.ts";

/** Undefined when there is none. */
export function readOwnerFile(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw unusable(path, "read", error);
  }
}

/** Refuses to write over anything. */
export function writeNewFile(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new Refusal("already_exists", `${path} exists already; it was left as it is.`, { path });
    }
    throw unusable(path, "write", error);
  }
}

/**
 * Replaces what was read, in one step and behind links, after a copy of it was put beside it. Refuses when somebody has
 * changed it meanwhile. Gives back where the copy is.
 */
export function replaceOwnerFile(path: string, before: string, after: string): string {
  try {
    const target = realpathSync(path);
    const backup = copyBeside(target);
    const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
    try {
      const fd = openSync(temporary, "wx", statSync(target).mode & 0o777);
      try {
        writeFileSync(fd, after);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      if (readOwnerFile(target) !== before) {
        throw new Refusal("stale_file", `${path} was changed meanwhile; it was left as it is.`, {
          path,
          next: "Run the command again.",
        });
      }
      renameSync(temporary, target);
    } finally {
      rmSync(temporary, { force: true });
    }
    return backup;
  } catch (error) {
    throw error instanceof Refusal ? error : unusable(path, "write", error);
  }
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
  const { code } = error as NodeJS.ErrnoException;
  const why = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8 text" : (code ?? String(error));
  return new Refusal("io_error", `Cannot ${verb} ${path}: ${why}.`, { path, cause: error });
}
