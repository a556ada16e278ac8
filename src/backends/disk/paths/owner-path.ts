// The way that a path of the owner's takes: every place on it where another program could make it lead elsewhere, and where it ends.
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { Refusal } from "../../../core/failure.ts";
import { shown } from "../../../core/printable.ts";

/** Where the path leads with every link resolved, be something there or not. */
export function realPlace(path: string): string {
  return resolved(path) ?? walk(path).end;
}

export interface Way {
  /** Links, what is no directory, and where nothing is yet: something else put at one of them leads the path elsewhere. */
  readonly replaceable: readonly string[];
  /** Where it leads, be something there or not. */
  readonly end: string;
}

/** As many as Linux follows; where a system follows more, the path of a longer chain is taken as it is written. */
const MAX_LINKS = 40;

export function wayTo(path: string): Way {
  const way = walk(path);
  return { ...way, end: resolved(path) ?? way.end };
}

/** By the system, which also knows how each name is really spelled; undefined for what is not there. */
function resolved(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Name by name, as the system does it, and on where nothing is. */
function walk(path: string): Way {
  const replaceable: string[] = [];
  let links = 0;
  let here = parse(path).root;
  const ahead = namesIn(path).reverse();
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const place = name === ".." ? dirname(here) : join(here, name);
    const found = lookAt(place);
    const target = links < MAX_LINKS ? found.target : undefined;
    if (target !== undefined || (!found.isDirectory && !replaceable.some((above) => contains(above, place)))) {
      replaceable.push(place);
    }
    if (target === undefined) {
      here = place;
      continue;
    }
    links++;
    if (isAbsolute(target)) here = parse(target).root;
    ahead.push(...namesIn(target).reverse());
  }
  return { replaceable, end: here };
}

function namesIn(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep === "/" ? sep : /[\\/]/)
    .filter((name) => name !== "" && name !== ".");
}

/** `target`: of a link. Neither for what is not there, or cannot be looked at. */
function lookAt(place: string): { readonly isDirectory: boolean; readonly target?: string } {
  try {
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() === true) return { isDirectory: false, target: readlinkSync(place) };
    return { isDirectory: stat?.isDirectory() === true };
  } catch {
    return { isDirectory: false };
  }
}

/** Both real. A directory contains itself. */
export function contains(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(directory, way) === resolve(path);
}

/**
 * Relative to the root, "/" between names: where a default state directory lies in the root, no tool may touch the way to
 * it. One that was named must lie outside: a clone could bring a history along, and `git clean` could delete it.
 */
export function statePlaces(root: string, stateDir: string, isNamed: boolean): string[] {
  const { replaceable, end } = wayTo(stateDir);
  const places = [...replaceable, end].filter((path) => contains(root, path)).map((path) => relative(root, path));
  if (places.length > 0 && (isNamed || places.includes("")))
    throw new Refusal("invalid_input", `The state directory ${shown(stateDir)} lies in the workspace.`, {
      next: "Name a directory outside of it with STET_STATE, --state or stateDir.",
    });
  return [...new Set(places)].map((path) => path.split(sep).join("/"));
}
