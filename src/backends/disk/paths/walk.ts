// Turns a raw path into a canonical one, name by name under pinned directories, so that no swapped link leads outside.
import { isUtf8 } from "node:buffer";
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import type { Kind, Path, Resolved, ResolveOptions } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import {
  checkNewNames,
  namesBelow,
  noSuchDirectory,
  notADirectory,
  parsePath,
  parseTarget,
  type Steps,
  withoutDotDot,
} from "../../../core/paths.ts";
import { shown } from "../../../core/printable.ts";
import { backOutOfNothing, changed, outside } from "../../path-refusals.ts";
import { refusalOf } from "../errno.ts";
import type { Dir } from "./pin.ts";
import { step, untilStable } from "./reach.ts";
import { type Root, refusePseudo } from "./root.ts";

export function resolve(root: Root, raw: string, options: ResolveOptions = {}): Resolved {
  const steps = parsePath(raw, options);
  return untilStable(() => new Walk(root, raw, options).go(steps));
}

/** One attempt. The trail holds a pinned directory for every name passed, so that `..` is ours and never the kernel's. */
class Walk {
  readonly #root: Root;
  readonly #raw: string;
  readonly #stopAtLink: boolean;
  readonly #existed: boolean;
  readonly #names: string[] = [];
  readonly #dirs: Dir[] = [];
  #todo: string[] = [];
  #directory = false;
  #links = 0;
  #link: string | undefined;
  readonly #via: string[] = [];

  constructor(root: Root, raw: string, { link = false, existed = false }: ResolveOptions) {
    this.#root = root;
    this.#raw = raw;
    this.#stopAtLink = link;
    this.#existed = existed;
  }

  go(steps: Steps): Resolved {
    try {
      this.#prepend(steps);
      for (let name = this.#todo.pop(); name !== undefined; name = this.#todo.pop()) {
        if (name === "..") this.#up();
        else if (this.#todo.length > 0 || this.#directory) {
          if (!this.#enter(name)) return this.#absent(name);
        } else {
          const end = this.#look(name);
          if (end !== undefined) return end;
        }
      }
      return this.#found(this.#here.stat(), this.#here.self);
    } catch (error) {
      throw refusalOf(error, this.#raw, "look up");
    } finally {
      for (const dir of this.#dirs) dir.close();
    }
  }

  get #here(): Dir {
    return this.#dirs[this.#dirs.length - 1] ?? this.#root.dir;
  }

  #up(): void {
    if (this.#names.pop() === undefined) throw this.#outside();
    this.#dirs.pop()!.close();
  }

  /** False when there is nothing of that name. */
  #enter(name: string): boolean {
    const next = step(this.#root, this.#here, name, this.#raw);
    if (next === "missing") return false;
    if (next === "other") throw notADirectory(this.#raw, this.#pathOf(name));
    if (next === "link") this.#follow(name);
    else this.#pass(name, next);
    return true;
  }

  #pass(name: string, dir: Dir): void {
    this.#names.push(this.#root.pinning.spelling(this.#here, name));
    this.#dirs.push(dir);
  }

  /** The last name: looked at, not opened. Undefined when it was a link that has to be followed. */
  #look(name: string): Resolved | undefined {
    const stat = lstatSync(this.#here.at(name), { throwIfNoEntry: false });
    if (stat === undefined) return this.#absent(name);
    if (stat.isSymbolicLink() && !this.#stopAtLink) return this.#follow(name);
    this.#names.push(this.#root.pinning.spelling(this.#here, name));
    return this.#found(stat, stat.isSymbolicLink() ? this.#here.self : this.#here.at(name));
  }

  #follow(name: string): undefined {
    this.#links += 1;
    this.#link = this.#pathOf(name);
    this.#via.push(withoutDotDot([...this.#names, name, ...this.#todo.toReversed()]));
    if (this.#links > LIMITS.maxLinks) {
      throw new Refusal("symlink_loop", `${shown(this.#raw)} leads through more than ${LIMITS.maxLinks} links.`, {
        path: this.#raw,
        next: "Use the path of the file itself.",
      });
    }
    this.#prepend(parseTarget(this.#target(name), this.#raw));
  }

  /** Puts the steps before what is left to do. An absolute path starts over at the root, which it has to name. */
  #prepend(steps: Steps): void {
    if (this.#todo.length === 0) this.#directory ||= steps.directory;
    const names = steps.absolute ? namesBelow(this.#root.spellings, steps.names) : steps.names;
    if (names === undefined) throw this.#outside();
    for (let i = names.length - 1; i >= 0; i--) this.#todo.push(names[i]!);
    while (steps.absolute && this.#names.length > 0) this.#up();
  }

  /** Names the link that leads there: it may be a directory on the way, and not what the path ends with. */
  #outside(): Refusal {
    if (this.#link === undefined) return outside(this.#raw);
    return outside(this.#raw, `leads outside the workspace, because ${shown(this.#link)} is a symbolic link`);
  }

  #target(name: string): string {
    let bytes: Buffer;
    try {
      bytes = readlinkSync(this.#here.at(name), { encoding: "buffer" });
    } catch {
      throw changed(this.#raw);
    }
    if (isUtf8(bytes)) return bytes.toString();
    const link = shown(this.#pathOf(name));
    throw new Refusal("invalid_path", `The link ${link} leads to a name that is not valid UTF-8.`, {
      path: this.#raw,
      next: "Use another path.",
    });
  }

  #found(stat: Stats, self: string): Resolved {
    refusePseudo(this.#root, { dev: stat.dev, self }, this.#raw);
    const kind = kindOf(stat);
    return {
      path: this.#names.join("/") as Path,
      kind,
      size: kind === "file" ? stat.size : 0,
      mtimeMs: stat.mtimeMs,
      hardLinks: kind === "file" ? stat.nlink - 1 : 0,
      throughLink: this.#links > 0,
      via: this.#via,
    };
  }

  /** What follows the missing name is put back as it is: nothing there can be a link. */
  #absent(name: string): Resolved {
    const tail = [name, ...this.#todo.reverse()];
    if (tail.includes("..")) throw backOutOfNothing(this.#raw, this.#names, tail);
    if (!this.#existed || this.#links > 0) checkNewNames(this.#raw, tail);
    if (this.#directory) throw noSuchDirectory(this.#raw, this.#pathOf(...tail));
    refusePseudo(this.#root, this.#here, this.#raw);
    const path = this.#pathOf(...tail) as Path;
    return { path, kind: "absent", size: 0, mtimeMs: 0, hardLinks: 0, throughLink: this.#links > 0, via: this.#via };
  }

  #pathOf(...tail: string[]): string {
    return [...this.#names, ...tail].join("/");
  }
}

export function kindOf(stat: Stats): Kind {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  return stat.isSymbolicLink() ? "link" : "other";
}
