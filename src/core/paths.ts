// Lexical rules of paths that every layer shares.
import type { Path } from "./backend.ts";
import { Refusal } from "./failure.ts";
import { shown } from "./printable.ts";

/** A path cut into names. `..` stays, `.` and empty parts are gone, `directory` says that a trailing slash or dot was there. */
export interface Steps {
  readonly absolute: boolean;
  readonly names: readonly string[];
  readonly directory: boolean;
}

export function splitPath(text: string, platform: NodeJS.Platform = process.platform): Steps {
  const slashed = platform === "win32" ? text.replaceAll("\\", "/") : text;
  const parts = slashed.split("/");
  const last = parts[parts.length - 1];
  return {
    absolute: slashed.startsWith("/") || (platform === "win32" && /^[A-Za-z]:\//.test(slashed)),
    names: parts.filter((part) => part !== "" && part !== "."),
    directory: last === "" || last === "." || last === "..",
  };
}

/** The path of a name in a directory. */
export function childOf(directory: string, name: string): Path {
  return (directory === "" ? name : `${directory}/${name}`) as Path;
}

/** "" for what lies in the root, and for the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The name as a file system sees it that ignores case and the form of accents. */
export function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** A canonical path cut into names that are safe to look up in turn, wherever the path came from. */
export function namesOf(path: string): string[] {
  if (path === "") return [];
  const names = path.split("/");
  for (const name of names) {
    if (name === "" || name === "." || name === ".." || name.includes("\0")) {
      throw new Refusal("invalid_path", `${shown(path)} is not a canonical path.`, {
        path,
        next: "Use a path inside the workspace, relative to its root.",
      });
    }
  }
  return names;
}

/** Resolves `..` in the text alone, as if no name were a link. */
export function withoutDotDot(names: readonly string[]): string {
  const out: string[] = [];
  for (const name of names) {
    if (name === "..") out.pop();
    else out.push(name);
  }
  return out.join("/");
}
