// Lists a directory entry by entry: links are not followed, names are not guessed, and nothing is read ahead of the consumer.
import { isUtf8 } from "node:buffer";
import { lstatSync, opendirSync } from "node:fs";
import type { Listed, Path } from "../../../core/backend.ts";
import { childOf, namesOf } from "../../../core/paths.ts";
import { refusalOf } from "../errno.ts";
import type { Dir } from "./pin.ts";
import { descend, release, untilStable } from "./reach.ts";
import { type Root, refusePseudo } from "./root.ts";
import { kindOf } from "./walk.ts";

/**
 * In the order of the directory. Stopping early costs nothing: a million entries are read a few at a time. A name that is
 * not valid UTF-8 is shown escaped, its kind is "other", and no path leads to it.
 */
export function* listDirectory(root: Root, path: Path): Generator<Listed, void, undefined> {
  const dir = untilStable(() => descend(root, namesOf(path), path));
  try {
    refusePseudo(root, dir, path);
    // Node's types do not know that names can be asked for as bytes.
    const opened = opendirSync(dir.self, { encoding: "buffer" as BufferEncoding, bufferSize: BATCH });
    try {
      for (let found = opened.readSync(); found !== null; found = opened.readSync()) {
        const entry = look(dir, path, found.name as unknown as Buffer);
        if (entry !== null) yield entry;
      }
    } finally {
      opened.closeSync();
    }
  } catch (error) {
    throw refusalOf(error, path, "list");
  } finally {
    release(root, { dir });
  }
}

const BATCH = 128;

/** Null when the entry has gone since. */
function look(dir: Dir, parent: Path, bytes: Buffer): Listed | null {
  const valid = isUtf8(bytes);
  const name = valid ? bytes.toString() : escaped(bytes);
  const stat = lstatSync(valid ? dir.at(name) : dir.atBytes(bytes), { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const kind = valid ? kindOf(stat) : "other";
  const size = kind === "file" ? stat.size : 0;
  return { name, path: childOf(parent, name), kind, size, mtimeMs: stat.mtimeMs };
}

/** Every byte that is not plain ASCII as \xNN, and the backslash doubled, so that the bytes can be told from it. */
function escaped(bytes: Buffer): string {
  return Array.from(bytes, (byte) => {
    if (byte === 0x5c) return "\\\\";
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
  }).join("");
}
