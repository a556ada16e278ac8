// Where in the workspace a state directory of the owner's choice is met: its real place, and every link on the way to it.
import fs from "node:fs";
import { dirname, isAbsolute, join, parse, relative, sep } from "node:path";
import { Refusal } from "../../kernel/failure.ts";

/**
 * Relative to the root, "/" between names. Who could replace one of the links could put a state of his own in the place
 * of the real one, so they are as much a part of it. `stateDir` is absolute; it need not be there yet.
 */
export function statePlaces(root: string, stateDir: string): string[] {
  const { real, links } = follow(stateDir);
  if (relative(root, real) === "") {
    throw new Refusal("invalid_input", "The state directory cannot be the workspace itself.", {
      next: "Leave stateDir out, or name a directory of its own.",
    });
  }
  const places = [...links, real].map((path) => relative(root, path)).filter(isBelow);
  return [...new Set(places)].map((path) => path.split(sep).join("/"));
}

/** More than any system follows. */
const MOST_LINKS = 64;

/** As the system walks it, one name after the other; a loop ends where opening it will be refused. */
function follow(path: string): { readonly real: string; readonly links: readonly string[] } {
  const links: string[] = [];
  let at = parse(path).root;
  const ahead = namesOf(path.slice(at.length));
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const target = linkTarget(next);
    if (target === null || links.length === MOST_LINKS) {
      at = next;
      continue;
    }
    links.push(next);
    if (isAbsolute(target)) at = parse(target).root;
    ahead.unshift(...namesOf(isAbsolute(target) ? target.slice(at.length) : target));
  }
  return { real: at, links };
}

function namesOf(path: string): string[] {
  return path.split(SEPARATORS).filter((name) => name !== "" && name !== ".");
}

const SEPARATORS = sep === "/" ? "/" : /[\\/]/;

/** Null for what is no link, is not there, or cannot be looked at: then it is taken as it is written. */
function linkTarget(path: string): string | null {
  try {
    return fs.readlinkSync(path);
  } catch {
    return null;
  }
}

function isBelow(path: string): boolean {
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
