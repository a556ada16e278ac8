// One step down under a pinned directory, what stood in its way, and how often to start over when another program moves things meanwhile.
import { lstatSync } from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { changed } from "../../path-refusals.ts";
import { errnoOf, refusalOf } from "../errno.ts";
import type { Dir } from "./pin.ts";
import type { Root } from "./root.ts";

/** The directory of that name, pinned, or what is there instead. `path` is for messages. */
export function step(root: Root, parent: Dir, name: string, path: string): Dir | "missing" | "link" | "other" {
  try {
    return root.pinning.enter(parent, name);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT") return "missing";
    if (code !== "ENOTDIR" && code !== "ELOOP") throw refusalOf(error, path, "open a directory on the way to");
  }
  const stat = lstatSync(parent.at(name), { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) throw changed(path);
  return stat.isSymbolicLink() ? "link" : "other";
}

/** Starts over when something was swapped half-way. An attempt must leave nothing behind when it throws. */
export function untilStable<T>(attempt: () => T): T {
  for (let left = ATTEMPTS; ; left--) {
    try {
      return attempt();
    } catch (error) {
      if (left === 1 || !(error instanceof Refusal) || error.kind !== "path_changed") throw error;
    }
  }
}

/** Against a swap every 10 µs, about the fastest there is, half of the attempts come through: ten are enough for nearly every call. */
const ATTEMPTS = 10;
