// Paths as an owner writes them: relative to where they are written, "~" for the home directory.
import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { Refusal } from "../../kernel/failure.ts";
import type { Terminal } from "../command.ts";

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
  const named = [HOME, USERPROFILE].find((home) => home !== undefined && isAbsolute(home));
  if (named !== undefined) return named;
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : undefined;
  } catch {
    return undefined;
  }
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
    return walk(path).end;
  }
}

export interface Way {
  /** Each by its place: whoever replaces one of them leads the path elsewhere. */
  readonly links: readonly string[];
  /** Where it leads, be something there or not. */
  readonly end: string;
}

/** No system follows more. */
const MOST_LINKS = 40;

export function wayTo(path: string): Way {
  return { links: walk(path).links, end: realOrAsGiven(path) };
}

/** Name by name, as the system does it, and on where nothing is. */
function walk(path: string): Way {
  const links: string[] = [];
  let here = parse(path).root;
  const ahead = namesIn(path).reverse();
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const place = name === ".." ? dirname(here) : join(here, name);
    const target = links.length < MOST_LINKS ? targetOf(place) : undefined;
    if (target === undefined) {
      here = place;
      continue;
    }
    links.push(place);
    if (isAbsolute(target)) here = parse(target).root;
    ahead.push(...namesIn(target).reverse());
  }
  return { links, end: here };
}

function namesIn(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep === "/" ? sep : /[\\/]/)
    .filter((name) => name !== "" && name !== ".");
}

/** Undefined for what is no link, or cannot be looked at. */
function targetOf(place: string): string | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(place) : undefined;
  } catch {
    return undefined;
  }
}

/** Both real. A directory contains itself. */
export function contains(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(directory, way) === resolve(path);
}
