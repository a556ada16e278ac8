// Directories held so that one name at a time is looked up under them: by a descriptor on Linux, elsewhere by their real paths.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { folded } from "../../../core/paths.ts";

// Node does not export it; the value is the same on every architecture that Node supports on Linux.
const O_PATH = 0o10000000;
// macOS refuses a link anywhere in the path with this flag, and the call itself when O_NOFOLLOW is given too.
const O_NOFOLLOW_ANY = 0x20000000;
const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;

/** For `openSync` under a `Dir`: never through a link, on any platform as far as it can. */
export const NO_FOLLOW: number = process.platform === "darwin" ? O_NOFOLLOW_ANY : O_NOFOLLOW;

/** On Linux it stays the same directory, whatever happens to its name. */
export class Dir {
  #self: string;
  #fd: number;
  #dev: number | undefined;

  constructor(self: string, fd = -1) {
    this.#self = self;
    this.#fd = fd;
  }

  /** A path for one call on the directory itself. */
  get self(): string {
    return this.#self;
  }

  /** A path for one synchronous call that looks up exactly one name, given or as bytes, under this directory. */
  at(name: string): string {
    return `${this.#self}/${name}`;
  }

  atBytes(name: Uint8Array): Buffer {
    return Buffer.concat([Buffer.from(this.at("")), name]);
  }

  get dev(): number {
    this.#dev ??= this.stat().dev;
    return this.#dev;
  }

  stat(): Stats {
    return this.#fd === -1 ? lstatSync(this.#self) : fstatSync(this.#fd);
  }

  /** The number is soon another file's, so nothing may be reached through it from here on. */
  close(): void {
    if (this.#fd === -1) return;
    closeSync(this.#fd);
    this.#fd = -1;
    this.#self = "/proc/self/fd/closed";
  }
}

export interface OpenFile {
  readonly fd: number;
  readonly stat: Stats;
}

export interface Pinning {
  /** How much is promised when another program swaps links while we work. */
  readonly races: "closed" | "narrowed";
  root(real: string): Dir;
  /** One step down. A link or a file in the way fails with ENOTDIR, as the kernel has it. */
  enter(parent: Dir, name: string): Dir;
  /** Opens for reading what `accept` lets pass; `accept` sees the very inode, before anything that could block or act. */
  open(parent: Dir, name: string, accept: (stat: Stats, self: string) => void): OpenFile;
  /** The name as the directory spells it: letter case may differ from what was asked for. */
  spelling(parent: Dir, name: string): string;
}

/** A directory is an O_PATH descriptor, and `/proc/self/fd/N/name` looks up one name under it. */
const linux: Pinning = {
  races: "closed",
  root: (real) => pin(openSync(real, O_PATH | O_DIRECTORY)),
  enter: (parent, name) => pin(openSync(parent.at(name), O_PATH | O_NOFOLLOW | O_DIRECTORY)),
  open(parent, name, accept) {
    const pinned = openSync(parent.at(name), O_PATH | O_NOFOLLOW);
    try {
      const self = `/proc/self/fd/${pinned}`;
      const stat = fstatSync(pinned);
      accept(stat, self);
      return { fd: openSync(self, O_RDONLY), stat };
    } finally {
      closeSync(pinned);
    }
  },
  spelling: (_parent, name) => name,
};

const pin = (fd: number): Dir => new Dir(`/proc/self/fd/${fd}`, fd);

/** For macOS and Windows: looks before and after. */
export const portable: Pinning = {
  races: "narrowed",
  root: (real) => new Dir(real),
  enter(parent, name) {
    const path = parent.at(name);
    if (!lstatSync(path).isDirectory()) throw systemError("ENOTDIR", "enter");
    return new Dir(samePlace(parent, path));
  },
  open(parent, name, accept) {
    const path = parent.at(name);
    accept(lstatSync(path), path);
    // A FIFO that took the place of a file must not hold us up.
    const fd = openSync(path, O_RDONLY | NO_FOLLOW | O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      accept(stat, path);
      if (!isSameFile(lstatSync(path), stat)) throw systemError("ESTALE", "open");
      samePlace(parent, path);
      return { fd, stat };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  },
  spelling(parent, name) {
    const path = parent.at(name);
    if (!lstatSync(path).isSymbolicLink()) return basename(samePlace(parent, path));
    // The real path of a link is that of its target, so its own spelling has to be looked for.
    const names = readdirSync(parent.self);
    return names.includes(name) ? name : (names.find((other) => folded(other) === folded(name)) ?? name);
  },
};

/** The real path, when it is still a direct child of `parent`; a link put on the way leads elsewhere. */
function samePlace(parent: Dir, path: string): string {
  const real = realpathSync.native(path);
  if (dirname(real) !== parent.self) throw systemError("ESTALE", "realpath");
  return real;
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, errno: -1, syscall });
}

export const pinning: Pinning = process.platform === "linux" ? linux : portable;

/** As big integers where that matters: Windows numbers files beyond what a double can tell apart. */
export function isSameFile<Id extends number | bigint>(one: FileId<Id> | undefined, other: FileId<Id>): boolean {
  return one !== undefined && one.ino === other.ino && one.dev === other.dev;
}

interface FileId<Id> {
  readonly dev: Id;
  readonly ino: Id;
}
