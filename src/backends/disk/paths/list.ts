// Lists a directory entry by entry: links are not followed, names are not guessed, and nothing is read ahead of the consumer.
import { isUtf8 } from "node:buffer";
import { lstatSync, type Dir as OpenedDir, opendirSync, type Stats } from "node:fs";
import type { Listed, Path } from "../../../core/backend.ts";
import { childOf, namesOf } from "../../../core/paths.ts";
import { refusalOf } from "../errno.ts";
import type { Dir } from "./pin.ts";
import { descend, release, untilStable } from "./reach.ts";
import type { Root } from "./root.ts";
import { refusePseudo } from "./root.ts";
import { kindOf } from "./walk.ts";

/** `bytes` is set when the name is not valid UTF-8: it is shown escaped, its kind is "other", and no path leads to it. */
export interface DiskListed extends Listed {
  readonly bytes?: Uint8Array;
}

/** In the order of the directory. Stopping early costs nothing: a million entries are read a few at a time. */
export function* listDirectory(root: Root, path: Path): Generator<DiskListed, void, undefined> {
  const names = namesOf(path);
  const dir = untilStable(() => descend(root, names, path));
  try {
    if (dir !== root.dir && dir.dev !== root.dev) refusePseudo(dir.self, path);
    const opened = open(dir, path);
    try {
      for (let name = next(opened, path); name !== null; name = next(opened, path)) {
        const entry = look(dir, path, name);
        if (entry !== null) yield entry;
      }
    } finally {
      opened.closeSync();
    }
  } finally {
    release(root, dir);
  }
}

const BATCH = 128;

function open(dir: Dir, path: Path): OpenedDir {
  try {
    // Node's types do not know that names can be asked for as bytes.
    return opendirSync(dir.self, { encoding: "buffer" as BufferEncoding, bufferSize: BATCH });
  } catch (error) {
    throw refusalOf(error, path, "list");
  }
}

function next(opened: OpenedDir, path: Path): Buffer | null {
  try {
    return (opened.readSync()?.name as Buffer | undefined) ?? null;
  } catch (error) {
    throw refusalOf(error, path, "list");
  }
}

/** Null when the entry has gone since. */
function look(dir: Dir, parent: Path, bytes: Buffer): DiskListed | null {
  const valid = isUtf8(bytes);
  const name = valid ? bytes.toString() : escaped(bytes);
  const path = childOf(parent, name);
  const stat = lstat(valid ? dir.at(name) : dir.atBytes(bytes), path);
  if (stat === undefined) return null;
  const kind = valid ? kindOf(stat) : "other";
  const entry = { name, path, kind, size: kind === "file" ? stat.size : 0, mtimeMs: stat.mtimeMs };
  return valid ? entry : { ...entry, bytes };
}

function lstat(place: string | Buffer, path: Path): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch (error) {
    throw refusalOf(error, path, "look at");
  }
}

/** Every byte that is not plain ASCII as \xNN, and the backslash doubled, so that the bytes can be told from it. */
function escaped(bytes: Buffer): string {
  return Array.from(bytes, (byte) => {
    if (byte === 0x5c) return "\\\\";
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
  }).join("");
}
