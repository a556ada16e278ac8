// Turns a raw path into a canonical one, name by name under pinned directories, so that no swapped link leads outside.
import { isUtf8 } from "node:buffer";
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import type { Kind, Path, Resolved, ResolveOptions } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { type Steps, withoutDotDot } from "../../../core/paths.ts";
import { shown } from "../../../core/printable.ts";
import {
  backOutOfNothing,
  changed,
  checkNewNames,
  namesBelow,
  noSuchDirectory,
  notADirectory,
  outside,
  parsePath,
  parseTarget,
} from "../../paths.ts";
import { refusalOf } from "../errno.ts";
import type { Dir } from "./pin.ts";
import { step, untilStable } from "./reach.ts";
import { type Root, refusePseudo } from "./root.ts";

export function resolve(root: Root, raw: string, options: ResolveOptions = {}): Resolved {
  const steps = parsePath(raw, options);
  return untilStable(() => walk(root, raw, steps, options));
}

/** One attempt. The trail holds a pinned directory for every name passed, so that `..` is ours and never the kernel's. */
function walk(
  root: Root,
  raw: string,
  start: Steps,
  { link: stopAtLink = false, existed = false }: ResolveOptions,
): Resolved {
  const names: string[] = [];
  const dirs: Dir[] = [];
  const via: string[] = [];
  const todo: string[] = [];
  let isDirectory = false;
  let link: string | undefined;

  const here = (): Dir => dirs.at(-1) ?? root.dir;
  const pathOf = (...tail: string[]): string => [...names, ...tail].join("/");

  /** Names the link that leads there: it may be a directory on the way, and not what the path ends with. */
  const leadsOutside = (): Refusal =>
    link === undefined
      ? outside(raw)
      : outside(raw, `leads outside the workspace, because ${shown(link)} is a symbolic link`);

  function up(): void {
    if (names.pop() === undefined) throw leadsOutside();
    dirs.pop()!.close();
  }

  /** Puts the steps before what is left to do. An absolute path starts over at the root, which it has to name. */
  function prepend(steps: Steps): void {
    if (todo.length === 0) isDirectory ||= steps.directory;
    const ahead = steps.absolute ? namesBelow(root.spellings, steps.names) : steps.names;
    if (ahead === undefined) throw leadsOutside();
    todo.push(...ahead.toReversed());
    while (steps.absolute && names.length > 0) up();
  }

  function follow(name: string): undefined {
    link = pathOf(name);
    via.push(withoutDotDot([...names, name, ...todo.toReversed()]));
    if (via.length > LIMITS.maxLinks)
      throw new Refusal("symlink_loop", `${shown(raw)} leads through more than ${LIMITS.maxLinks} links.`, {
        path: raw,
        next: "Use the path of the file itself.",
      });
    const target = targetOf(name);
    if (!isUtf8(target))
      throw new Refusal("invalid_path", `The link ${shown(link)} leads to a name that is not valid UTF-8.`, {
        path: raw,
        next: "Use another path.",
      });
    prepend(parseTarget(target.toString(), raw));
  }

  function targetOf(name: string): Buffer {
    try {
      return readlinkSync(here().at(name), { encoding: "buffer" });
    } catch {
      throw changed(raw);
    }
  }

  /** False when there is nothing of that name. */
  function enter(name: string): boolean {
    const next = step(root, here(), name, raw);
    if (next === "missing") return false;
    if (next === "other") throw notADirectory(raw, pathOf(name));
    if (next === "link") follow(name);
    else {
      names.push(root.pinning.spelling(here(), name));
      dirs.push(next);
    }
    return true;
  }

  /** The last name: looked at, not opened. Undefined when it was a link that has to be followed. */
  function look(name: string): Resolved | undefined {
    const stat = lstatSync(here().at(name), { throwIfNoEntry: false });
    if (stat === undefined) return absent(name);
    if (stat.isSymbolicLink() && !stopAtLink) return follow(name);
    names.push(root.pinning.spelling(here(), name));
    return found(stat, stat.isSymbolicLink() ? here().self : here().at(name));
  }

  function found(stat: Stats, self: string): Resolved {
    refusePseudo(root, { dev: stat.dev, self }, raw);
    const kind = kindOf(stat);
    const [size, hardLinks] = kind === "file" ? [stat.size, stat.nlink - 1] : [0, 0];
    return { path: pathOf() as Path, kind, size, mtimeMs: stat.mtimeMs, hardLinks, throughLink: via.length > 0, via };
  }

  /** What follows the missing name is put back as it is: nothing there can be a link. */
  function absent(name: string): Resolved {
    const tail = [name, ...todo.toReversed()];
    if (tail.includes("..")) throw backOutOfNothing(raw, names, tail);
    if (!existed || via.length > 0) checkNewNames(raw, tail);
    const path = pathOf(...tail) as Path;
    if (isDirectory) throw noSuchDirectory(raw, path);
    refusePseudo(root, here(), raw);
    return { path, kind: "absent", size: 0, mtimeMs: 0, hardLinks: 0, throughLink: via.length > 0, via };
  }

  try {
    prepend(start);
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      if (name === "..") up();
      else if (todo.length === 0 && !isDirectory) {
        const end = look(name);
        if (end !== undefined) return end;
      } else if (!enter(name)) return absent(name);
    }
    return found(here().stat(), here().self);
  } catch (error) {
    throw refusalOf(error, raw, "look up");
  } finally {
    for (const dir of dirs) dir.close();
  }
}

export function kindOf(stat: Stats): Kind {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  return stat.isSymbolicLink() ? "link" : "other";
}
