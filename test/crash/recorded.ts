// Records what a piece of work does to the files below a directory, call by call, by inode: what a disk could lose of it.
import fs from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";

export interface Inode {
  readonly kind: "directory" | "file" | "link";
  /** Permissions are not lost in any of the models. */
  mode: number;
  readonly target?: Buffer;
  /** What it held, safely, when the recording began. */
  readonly bytes?: Buffer;
}

export interface Named {
  readonly dir: number;
  readonly name: string;
  /** The inode that bears the name from now on; null: none. */
  readonly id: number | null;
}

export type Op =
  | { readonly kind: "names"; readonly call: string; readonly set: readonly Named[] }
  | { readonly kind: "write"; readonly call: string; readonly id: number; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "cut"; readonly call: string; readonly id: number; readonly size: number }
  | { readonly kind: "flush"; readonly call: string; readonly id: number }
  /** One more step of the work was reported as done. */
  | { readonly kind: "done"; readonly call: string };

export type Directory = ReadonlyMap<string, number>;

export interface Recording {
  /** By number; 0 is the directory that was recorded. */
  readonly inodes: readonly Inode[];
  readonly start: ReadonlyMap<number, Directory>;
  readonly ops: readonly Op[];
}

type Call = (...args: never[]) => unknown;
type Patched = Record<string, Call>;

const native = createRequire(import.meta.url)("fs-native-extensions") as Patched;

/**
 * When the flush of a file of the tree ends, which is begun and not waited for. late: not before the work is over, so
 * nothing can rely on it. prompt: at once, as on a disk that has little to do.
 */
export type TreeFlush = "late" | "prompt";

export interface Working {
  /** One more step was reported. */
  done(): void;
  /** All steps were: flushes that were held back may end. */
  over(): void;
}

/** `tree`: the directory whose files are flushed as `flush` says. */
export async function recorded(
  base: string,
  { tree, flush }: { readonly tree: string; readonly flush: TreeFlush },
  work: (working: Working) => Promise<void>,
): Promise<Recording> {
  const world = new World(base);
  const start = world.snapshot();
  const target = fs as unknown as Patched;
  const before = new Map<string, Call>();
  const held: (() => void)[] = [];
  let isOver = flush === "prompt";
  const patched: Patched = callsThatWrite(world, target as never, (fd, end) => {
    if (isOver || !readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${tree}/`)) end();
    else held.push(end);
  });
  const swap = native.swapSync!;
  for (const [name, call] of Object.entries(patched)) {
    before.set(name, target[name]!);
    target[name] = call;
  }
  native.swapSync = ((a: string, b: string) => {
    swap(a as never, b as never);
    world.exchange(a, b);
  }) as Call;
  syncBuiltinESMExports();
  try {
    await work({
      done: () => void world.ops.push({ kind: "done", call: "done" }),
      over() {
        isOver = true;
        for (const end of held.splice(0)) end();
      },
    });
  } finally {
    for (const [name, call] of before) target[name] = call;
    native.swapSync = swap;
    syncBuiltinESMExports();
  }
  return { inodes: world.inodes, start, ops: world.ops };
}

const { lstatSync, statSync, fstatSync, readdirSync, readFileSync, readlinkSync } = fs;
const key = ({ dev, ino }: fs.BigIntStats): string => `${dev}:${ino}`;

class World {
  readonly inodes: Inode[] = [];
  readonly ops: Op[] = [];
  readonly #entries = new Map<number, Map<string, number>>();
  readonly #ids = new Map<string, number>();

  constructor(base: string) {
    this.#scan(base);
  }

  snapshot(): Map<number, Directory> {
    return new Map([...this.#entries].map(([id, names]) => [id, new Map(names)]));
  }

  /** Undefined: it lies elsewhere. */
  place(path: string): { dir: number; name: string; id: number | undefined } | undefined {
    const stat = statSync(dirname(path), { bigint: true, throwIfNoEntry: false });
    const dir = stat === undefined ? undefined : this.#ids.get(key(stat));
    if (dir === undefined) return undefined;
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { dir, name, id: this.#entries.get(dir)?.get(name) };
  }

  idOf(fd: number): number | undefined {
    return this.#ids.get(key(fstatSync(fd, { bigint: true })));
  }

  /** After the call that made it. */
  made(call: string, path: string): void {
    const place = this.place(path);
    if (place === undefined) return;
    const id = this.#add(path);
    this.#set(call, [{ dir: place.dir, name: place.name, id }]);
  }

  named(call: string, from: string, to: string): void {
    const [a, b] = [this.place(from), this.place(to)];
    if (a === undefined && b === undefined) return;
    if (a?.id === undefined || b === undefined) throw new Error(`${call} ${from} ${to}: half of it lies elsewhere`);
    if (call === "link") this.#set(call, [{ dir: b.dir, name: b.name, id: a.id }]);
    else if (a.id !== b.id)
      this.#set(call, [
        { dir: a.dir, name: a.name, id: null },
        { dir: b.dir, name: b.name, id: a.id },
      ]);
  }

  exchange(from: string, to: string): void {
    const [a, b] = [this.place(from), this.place(to)];
    if (a?.id === undefined || b?.id === undefined) throw new Error("an exchange with something elsewhere");
    this.#set("exchange", [
      { dir: a.dir, name: a.name, id: b.id },
      { dir: b.dir, name: b.name, id: a.id },
    ]);
  }

  unnamed(call: string, path: string): void {
    const place = this.place(path);
    if (place?.id !== undefined) this.#set(call, [{ dir: place.dir, name: place.name, id: null }]);
  }

  written(fd: number, at: number, bytes: Uint8Array): void {
    const id = this.idOf(fd);
    if (id !== undefined && bytes.length > 0)
      this.ops.push({ kind: "write", call: "write", id, at, bytes: Buffer.from(bytes) });
  }

  cut(fd: number, size: number): void {
    const id = this.idOf(fd);
    if (id !== undefined) this.ops.push({ kind: "cut", call: "ftruncate", id, size });
  }

  flushed(fd: number): void {
    const id = this.idOf(fd);
    if (id !== undefined) this.ops.push({ kind: "flush", call: "flush", id });
  }

  modeChanged(stat: fs.BigIntStats): void {
    const id = this.#ids.get(key(stat));
    if (id !== undefined) this.inodes[id]!.mode = Number(stat.mode) & 0o7777;
  }

  #set(call: string, set: readonly Named[]): void {
    for (const { dir, name, id } of set) {
      if (id === null) this.#entries.get(dir)!.delete(name);
      else this.#entries.get(dir)!.set(name, id);
    }
    this.ops.push({ kind: "names", call, set });
  }

  #add(path: string, bytes?: Buffer): number {
    const stat = lstatSync(path, { bigint: true });
    const id = this.inodes.length;
    this.#ids.set(key(stat), id);
    const kind = stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "link" : "file";
    if (kind === "directory") this.#entries.set(id, new Map());
    const target = kind === "link" ? { target: readlinkSync(path, { encoding: "buffer" }) } : {};
    this.inodes.push({
      kind,
      mode: Number(stat.mode) & 0o7777,
      ...target,
      ...(bytes !== undefined && { bytes }),
    });
    return id;
  }

  #scan(path: string): number {
    const stat = lstatSync(path, { bigint: true });
    const known = this.#ids.get(key(stat));
    if (known !== undefined) return known;
    const id = this.#add(path, stat.isFile() ? readFileSync(path) : undefined);
    if (stat.isDirectory())
      for (const name of readdirSync(path)) this.#entries.get(id)!.set(name, this.#scan(join(path, name)));
    return id;
  }
}

/** Every call of the disk backend that changes something, and those that make it safe. */
function callsThatWrite(world: World, real: typeof fs, whenFlushed: (fd: number, end: () => void) => void): Patched {
  const original = { ...real };
  const size = (fd: number): number => fstatSync(fd).size;
  const appended = (fd: number, write: () => unknown, bytes: () => Uint8Array, at?: number | null): unknown => {
    const before = size(fd);
    const result = write();
    world.written(fd, at ?? before, bytes());
    return result;
  };
  const create = (path: string, flags: unknown): void => {
    const creates = typeof flags === "number" ? (flags & fs.constants.O_CREAT) !== 0 : /[wa]/.test(String(flags));
    const place = creates ? world.place(path) : undefined;
    if (place !== undefined && place.id === undefined) world.made("create", path);
  };
  const calls = {
    openSync(path: string, flags?: unknown, mode?: number) {
      const fd = original.openSync(path, flags as number, mode);
      create(path, flags ?? "r");
      return fd;
    },
    writeSync(fd: number, data: string | Uint8Array, offset?: number, length?: number, at?: number | null) {
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      const from = typeof data === "string" ? 0 : (offset ?? 0);
      let put = 0;
      const write = (): number => {
        put = original.writeSync(fd, bytes, from, length ?? bytes.length - from, at ?? null);
        return put;
      };
      return appended(fd, write, () => bytes.subarray(from, from + put), at);
    },
    write(fd: number, data: Uint8Array, offset: number, length: number, done: (...args: unknown[]) => void) {
      const before = size(fd);
      original.write(fd, data, offset, length, null, (error, put) => {
        if (!error) world.written(fd, before, data.subarray(offset, offset + put));
        done(error, put);
      });
    },
    writeFileSync(path: string | number, data: string | Uint8Array, how?: fs.WriteFileOptions) {
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      const fd = typeof path === "number" ? path : original.openSync(path, flagIn(how), modeIn(how));
      if (typeof path === "string") create(path, flagIn(how));
      appended(
        fd,
        () => original.writeSync(fd, bytes),
        () => bytes,
      );
      if (typeof path === "number") return;
      if ((how as { flush?: boolean } | undefined)?.flush) world.flushed(fd);
      original.closeSync(fd);
    },
    copyFileSync(from: string, to: string, mode?: number) {
      original.copyFileSync(from, to, mode);
      world.made("create", to);
      const fd = original.openSync(to, "r");
      world.written(fd, 0, readFileSync(to));
      original.closeSync(fd);
    },
    ftruncateSync(fd: number, to: number) {
      original.ftruncateSync(fd, to);
      world.cut(fd, to);
    },
    renameSync(from: string, to: string) {
      const places = [world.place(from), world.place(to)];
      original.renameSync(from, to);
      if (places.some((place) => place !== undefined)) world.named("rename", from, to);
    },
    linkSync(from: string, to: string) {
      original.linkSync(from, to);
      world.named("link", from, to);
    },
    symlinkSync(target: Buffer, path: string) {
      original.symlinkSync(target, path);
      world.made("symlink", path);
    },
    unlinkSync(path: string) {
      original.unlinkSync(path);
      world.unnamed("unlink", path);
    },
    rmdirSync(path: string) {
      original.rmdirSync(path);
      world.unnamed("rmdir", path);
    },
    rmSync(path: string, how?: fs.RmOptions) {
      if (how?.recursive && world.place(path) !== undefined) throw new Error("a tree is never removed in one call");
      if (how?.force && lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
      original.unlinkSync(path);
      world.unnamed("unlink", path);
    },
    mkdirSync(path: string, how?: fs.MakeDirectoryOptions) {
      const missing: string[] = [];
      for (let at = path; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.unshift(at);
      const made = original.mkdirSync(path, how);
      for (const each of missing) if (world.place(each) !== undefined) world.made("mkdir", each);
      return made;
    },
    fchmodSync(fd: number, mode: number) {
      original.fchmodSync(fd, mode);
      world.modeChanged(fstatSync(fd, { bigint: true }));
    },
    chmodSync(path: string, mode: number) {
      original.chmodSync(path, mode);
      world.modeChanged(statSync(path, { bigint: true }));
    },
    fsyncSync(fd: number) {
      original.fsyncSync(fd);
      world.flushed(fd);
    },
    fdatasyncSync(fd: number) {
      original.fdatasyncSync(fd);
      world.flushed(fd);
    },
    fdatasync(fd: number, done: (error: Error | null) => void) {
      whenFlushed(fd, () => {
        original.fdatasyncSync(fd);
        world.flushed(fd);
        setImmediate(() => done(null));
      });
    },
  };
  return calls as unknown as Patched;
}

function flagIn(how: fs.WriteFileOptions | undefined): string {
  return (typeof how === "object" && how !== null ? how.flag : undefined)?.toString() ?? "w";
}

function modeIn(how: fs.WriteFileOptions | undefined): number | undefined {
  return typeof how === "object" && how !== null && typeof how.mode === "number" ? how.mode : undefined;
}
