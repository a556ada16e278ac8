// Files and directories in memory, by canonical path.
import type { Kind, Listed, Path, Resolved, ResolveOptions, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { noSuchDirectory, notADirectory } from "../../core/paths.ts";
import { shown } from "../../core/printable.ts";
import { notAFile } from "../path-refusals.ts";
import { type Found, resolvePath } from "../resolve-path.ts";

export interface Tree {
  readonly files: Map<Path, Version>;
  resolve(raw: string, options?: ResolveOptions): Resolved;
  list(dir: Path): Listed[];
  makeParents(path: Path): void;
  touch(path: Path): void;
  /** Refuses a directory; what is absent may become a file. */
  requireFile(path: Path): void;
  requireParent(path: Path): void;
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

    makeParents(path) {
      const names = path.split("/").slice(0, -1);
      for (let i = 1; i <= names.length; i++) {
        const directory = names.slice(0, i).join("/");
        if (kindOf(directory) === "file") throw notADirectory(path, directory);
        directories.add(directory);
      }
    },

    touch: (path) => void changedAt.set(path, Date.now()),

    requireFile(path) {
      if (kindOf(path) !== "directory") return;
      throw notAFile(path);
    },

    requireParent(path) {
      const parent = path.split("/").slice(0, -1).join("/");
      if (kindOf(parent) === "directory") return;
      throw noSuchDirectory(path, parent);
    },
  };
}
