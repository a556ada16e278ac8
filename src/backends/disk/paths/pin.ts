// What "pinned" means: directories held so that one name at a time can be looked up under them. One implementation per kind of platform.
import type { Stats } from "node:fs";
import { linux } from "./pin-linux.ts";
import { portable } from "./pin-portable.ts";

/** A directory that stays the same directory, whatever happens to its name. */
export interface Dir {
  /** A path for one synchronous call that looks up exactly one name, given or as bytes, under this directory. */
  at(name: string): string;
  atBytes(name: Uint8Array): Buffer;
  /** A path for one call on the directory itself. */
  readonly self: string;
  /** -1 where the platform cannot hold a directory. */
  readonly fd: number;
  readonly dev: number;
  stat(): Stats;
  fsync(): void;
  close(): void;
}

export interface OpenFile {
  readonly fd: number;
  readonly stat: Stats;
}

export interface Pinning {
  /** How much is promised when another program swaps links while we work. */
  readonly races: "closed" | "narrowed";
  /** Add to the flags of every open under a pinned directory. */
  readonly noFollow: number;
  root(real: string): Dir;
  /** One step down. A link or a file in the way fails with ENOTDIR, as the kernel has it. */
  enter(parent: Dir, name: string): Dir;
  /** Opens for reading what `accept` lets pass; `accept` sees the very inode, before anything that could block or act. */
  open(parent: Dir, name: string, accept: (stat: Stats, self: string) => void): OpenFile;
  /** The name as the directory spells it: letter case may differ from what was asked for. */
  spelling(parent: Dir, name: string): string;
}

export const pinning: Pinning = process.platform === "linux" ? linux : portable;

/** For `openSync` under a `Dir`: never through a link, on any platform as far as it can. */
export const NO_FOLLOW: number = pinning.noFollow;
