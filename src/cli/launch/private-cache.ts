// Where compiled code may be kept: it is run unseen, so the directory must be ours, and no other user may write there.
import { lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

/** Undefined where there is no such place, or STET_NO_COMPILE_CACHE is set: then stet starts slower. */
export function privateCache(): string | undefined {
  if (process.env.STET_NO_COMPILE_CACHE) return;
  try {
    const user = userCache();
    // Anything else would lie wherever stet happens to be started.
    if (!isAbsolute(user)) return;
    // No tool reaches below a directory of this name, not even in a workspace that holds the home directory.
    const directory = join(user, "stet", ".stet");
    for (const each of [user, dirname(directory), directory]) makeBelow(each);
    return [dirname(directory), directory].every(isOurs) ? directory : undefined;
  } catch {
    return;
  }
}

/** Throws where the machine does not know a home for this user. */
function userCache(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const named = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME;
  return named !== undefined && isAbsolute(named) ? named : join(homedir(), ".cache");
}

/** What it lies in must be there: a home that does not exist is not made. */
function makeBelow(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function isOurs(path: string): boolean {
  const found = lstatSync(path);
  if (!found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}
