// What a raw path names in a tree without links: the one spelling of it, and the refusals that every backend gives.
import type { Path, Resolved, ResolveOptions } from "../core/backend.ts";
import { checkNewNames, noSuchDirectory, notADirectory, parsePath } from "../core/paths.ts";
import { outside } from "./path-refusals.ts";

/** What is at a path. */
export type Found = Pick<Resolved, "kind" | "size" | "mtimeMs">;

/**
 * `at` tells what is at a path; it is asked for those on the way, from the root ("") down. An absolute path starts at the
 * root of the tree: there is nothing outside.
 */
export function resolvePath(raw: string, options: ResolveOptions = {}, at: (path: Path) => Found): Resolved {
  const steps = parsePath(raw, options);
  const names: string[] = [];
  for (const name of steps.names) {
    if (name !== "..") {
      const parent = names.join("/") as Path;
      if (at(parent).kind === "file") throw notADirectory(raw, parent);
      names.push(name);
    } else if (names.pop() === undefined) throw outside(raw);
  }
  const path = names.join("/") as Path;
  const found = at(path);
  if (found.kind === "file" && steps.directory) throw notADirectory(raw, path);
  if (found.kind === "absent" && !options.existed) checkNewNames(raw, names);
  if (found.kind === "absent" && steps.directory) throw noSuchDirectory(raw, path);
  return { path, ...found, hardLinks: 0, throughLink: false, via: [] };
}
