// Pinning on Linux: a directory is an O_PATH descriptor, and `/proc/self/fd/N/name` looks up one name under it. Closes the races.
import { closeSync, constants, fstatSync, fsyncSync, openSync, type Stats } from "node:fs";
import { errnoOf } from "../errno.ts";
import type { Dir, OpenFile, Pinning } from "./pin.ts";

// Node does not export it; the value is the same on every architecture that Node supports on Linux.
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

export const linux: Pinning = {
  races: "closed",
  noFollow: O_NOFOLLOW,

  root: (real) => new PinnedDir(openSync(real, O_PATH | O_DIRECTORY)),

  enter: (parent, name) => new PinnedDir(openSync(parent.at(name), O_PATH | O_NOFOLLOW | O_DIRECTORY)),

  open(parent, name, accept): OpenFile {
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

class PinnedDir implements Dir {
  #fd: number;
  #self: string;
  #dev: number | undefined;

  constructor(fd: number) {
    this.#fd = fd;
    this.#self = `/proc/self/fd/${fd}`;
  }

  get fd(): number {
    return this.#fd;
  }

  get self(): string {
    return this.#self;
  }

  at(name: string): string {
    return `${this.#self}/${name}`;
  }

  atBytes(name: Uint8Array): Buffer {
    return Buffer.concat([Buffer.from(`${this.#self}/`), name]);
  }

  get dev(): number {
    this.#dev ??= this.stat().dev;
    return this.#dev;
  }

  stat(): Stats {
    return fstatSync(this.#fd);
  }

  /** An O_PATH descriptor cannot be synced, so the same directory is opened once more. */
  fsync(): void {
    const fd = openSync(this.#self, O_RDONLY | O_DIRECTORY);
    try {
      fsyncSync(fd);
    } catch (error) {
      if (!NOT_SYNCABLE.has(errnoOf(error) ?? "")) throw error;
    } finally {
      closeSync(fd);
    }
  }

  /** The number is soon another file's, so nothing may be reached through it from here on. */
  close(): void {
    if (this.#fd === -1) return;
    closeSync(this.#fd);
    this.#fd = -1;
    this.#self = "/proc/self/fd/closed";
  }
}

/** File systems that keep directories durable by other means say so in one of these ways. */
const NOT_SYNCABLE: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "ENOSYS"]);
