// Paths as an owner writes them: relative to where they are written, "~" for the home directory.
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { relative, resolve, sep } from "node:path";
import { Refusal } from "../../kernel/failure.ts";
import type { Terminal } from "../command.ts";

export const CONFIG_NAME = "stet.config.json";

export function absolute(from: string, path: string, env: Terminal["env"]): string {
  return /^~(?=[/\\]|$)/.test(path) ? resolve(homeOf(env), path.slice(2)) : resolve(from, path);
}

export function homeOf(env: Terminal["env"]): string {
  return env.HOME || env.USERPROFILE || homedir();
}

/** With every link resolved; refuses what is not there, or no directory. */
export function realDirectory(path: string): string {
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
    throw new Refusal("not_a_directory", `The root ${path} is not a directory.`, {
      path,
      next: "Name a directory that exists.",
    });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be opened (${code})`;
    throw new Refusal(code === "ENOENT" ? "not_found" : "io_error", `The root ${path} ${why}.`, {
      path,
      next: "Name a directory that exists.",
    });
  }
}

/** As it is, or as it would be once made: the links above it resolved. */
export function realOrAsGiven(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Both real. A directory contains itself. */
export function contains(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(directory, way) === resolve(path);
}
