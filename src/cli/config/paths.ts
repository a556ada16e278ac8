// Paths as an owner writes them: relative to where they are written, "~" for the home directory.
import { realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { homeOfUser } from "../../backends/disk/home.ts";
import { Refusal } from "../../core/failure.ts";
import type { Terminal } from "../options/command.ts";

export const CONFIG_NAME = "stet.config.json";

export function absolute(from: string, path: string, env: Terminal["env"]): string {
  return /^~(?=[/\\]|$)/.test(path) ? resolve(homeOf(env), path.slice(2)) : resolve(from, path);
}

export function homeOf(env: Terminal["env"]): string {
  const home = knownHome(env);
  if (home !== undefined) return home;
  throw new Refusal("invalid_input", "There is no home directory here.", {
    next: "Set HOME to an absolute path, or write paths without ~.",
  });
}

/** Undefined where neither the environment nor the machine knows one, as for many users in containers. */
export function knownHome({ HOME, USERPROFILE }: Terminal["env"]): string | undefined {
  return [HOME, USERPROFILE].find((home) => home !== undefined && isAbsolute(home)) ?? homeOfUser();
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
