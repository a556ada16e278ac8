// Opens regular files and reads links, by canonical path: whatever else has that name is refused without being opened.
import { readlinkSync, type Stats } from "node:fs";
import type { Path } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { namesOf } from "../../../core/paths.ts";
import { shown } from "../../../core/printable.ts";
import { changed } from "../../path-refusals.ts";
import { errnoOf, refusalOf } from "../errno.ts";
import { untilStable } from "./one-name.ts";
import { descend, release } from "./parent.ts";
import type { Dir, OpenFile } from "./pin.ts";
import { refusePseudo } from "./pseudo-file-systems.ts";
import type { Root } from "./root.ts";

/** The descriptor and the state of one and the same inode, to be closed by the caller; null when there is no such file. */
export function openRegular(root: Root, path: Path): OpenFile | null {
  return atPath(root, path, (dir, name) => root.pinning.open(dir, name, accept));

  function accept(stat: Stats, self: string): void {
    if (!stat.isFile()) throw notRegular(stat, path);
    if (stat.dev !== root.dev) refusePseudo(self, path);
  }
}

/** The bytes of the target of a link; null when nothing is there. */
export function readLink(root: Root, path: Path): Buffer | null {
  return atPath(root, path, (dir, name) => {
    try {
      return readlinkSync(dir.at(name), { encoding: "buffer" });
    } catch (error) {
      throw errnoOf(error) === "EINVAL" ? changed(path) : error;
    }
  });
}

function atPath<T>(root: Root, path: Path, use: (dir: Dir, name: string) => T): T | null {
  const names = namesOf(path);
  const name = names.pop();
  if (name === undefined) throw directory(path);
  try {
    return untilStable(() => {
      const dir = descend(root, names, path);
      try {
        return use(dir, name);
      } finally {
        release(root, dir);
      }
    });
  } catch (error) {
    const refusal = refusalOf(error, path, "open");
    if (refusal.kind === "not_found") return null;
    throw refusal;
  }
}

function notRegular(stat: Stats, path: string): Refusal {
  if (stat.isSymbolicLink()) return changed(path);
  if (stat.isDirectory()) return directory(path);
  const what = stat.isFIFO() ? "a named pipe" : stat.isSocket() ? "a socket" : "a device";
  return new Refusal("not_a_file", `${shown(path)} is ${what}, not a regular file.`, {
    path,
    next: "Use a regular file.",
    details: { special: what },
  });
}

function directory(path: string): Refusal {
  return new Refusal("not_a_file", `${shown(path)} is a directory, not a file.`, {
    path,
    next: "List it, or name a file inside it.",
  });
}
