// Files and directories in memory, by canonical path.
import type { Kind, Listed, Path, Resolved, ResolveOptions, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { parentOf } from "../../core/paths.ts";
import { shown } from "../../core/printable.ts";
import { type Found, noSuchDirectory, notADirectory, notAFile, resolvePath } from "../paths.ts";

export interface Tree {
  readonly files: ReadonlyMap<Path, Version>;
  resolve(raw: string, options?: ResolveOptions): Resolved;
  list(dir: Path): Listed[];
  /** Makes missing directories. */
  put(path: Path, version: Version, mtimeMs?: number): void;
  /** With `prune`, the directories above go too when nothing is left in them. */
  remove(path: Path, prune: boolean | undefined): void;
  /** Refuses a directory; what is absent may become a file. */
  requireFile(path: Path): void;
  /** Refuses a file above, and unless they may be made, directories that are missing. */
  requireParents(path: Path, mayMake: boolean | undefined): void;
}

export function createTree(): Tree {
  const files = new Map<Path, Version>();
  const directories = new Set<string>([""]);
  const changedAt = new Map<string, number>();

  const kindOf = (path: string): Kind =>
    files.has(path as Path) ? "file" : directories.has(path) ? "directory" : "absent";

  const about = (path: Path): Found => ({
    kind: kindOf(path),
    size: files.get(path)?.size ?? 0,
    mtimeMs: changedAt.get(path) ?? 0,
  });

  return {
    files,

    resolve: (raw, options) => resolvePath(raw, options, about),

    list(dir) {
      if (kindOf(dir) === "file") throw notADirectory(dir, dir);
      if (kindOf(dir) === "absent")
        throw new Refusal("not_found", `There is no directory ${shown(dir)}.`, { path: dir });
      const prefix = dir === "" ? "" : `${dir}/`;
      return [...directories, ...files.keys()]
        .filter((path) => path !== "" && path.startsWith(prefix) && !path.includes("/", prefix.length))
        .map((path) => ({ name: path.slice(prefix.length), path: path as Path, ...about(path as Path) }));
    },

    put(path, version, mtimeMs = Date.now()) {
      for (let above = parentOf(path); above !== ""; above = parentOf(above)) directories.add(above);
      files.set(path, version);
      changedAt.set(path, mtimeMs);
    },

    remove(path, prune) {
      files.delete(path);
      const holds = (directory: string): boolean =>
        [...directories, ...files.keys()].some((each) => each.startsWith(`${directory}/`));
      for (let above = parentOf(path); prune && above !== "" && !holds(above); above = parentOf(above))
        directories.delete(above);
    },

    requireFile(path) {
      if (kindOf(path) === "directory") throw notAFile(path);
    },

    requireParents(path, mayMake) {
      for (let above = parentOf(path); kindOf(above) !== "directory"; above = parentOf(above)) {
        if (kindOf(above) === "file") throw notADirectory(path, above);
        if (!mayMake) throw noSuchDirectory(path, above);
      }
    },
  };
}
