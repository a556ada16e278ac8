// Files of a commit that has not finished: `SEQ-N-KIND-MARK` in the pending directory. Empty when no commit is under way.
import { createHash, hash, randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Version } from "../../../core/backend.ts";
import { LINK_MODE } from "../../../core/backend.ts";
import { CREATE_ONLY, closeQuietly, removeQuietly, writeParts } from "../io.ts";
import { loadNative } from "../native.ts";
import { type Dir, NO_FOLLOW } from "../paths/pin.ts";
import { type Attributes, setAttributes } from "./attributes.ts";
import type { FlushRound } from "./durability.ts";
import type { NameOrder } from "./name-order.ts";

/**
 * new: the bytes to swap in, or what they changed places with · delete: this path is to be deleted · gone: a deleted file
 * on its way out · redo: a process is finishing this commit after a crash, and is not done.
 */
export type PendingKind = "new" | "delete" | "gone" | "redo";

export interface PendingFile {
  readonly name: string;
  readonly seq: number;
  readonly n: number;
  readonly kind: PendingKind;
  /** Its name bears the mark of this state: no other could have given it. */
  readonly isMarked: boolean;
}

export interface Staged {
  /** What could not be kept. */
  readonly warnings: readonly string[];
  /** 0: not known. */
  readonly ino: number;
}

export interface Pending {
  readonly dev: number;
  /** Two files can change places in one step here. */
  readonly exchanges: boolean;
  /** A flush makes everything safe that was done to names before it. */
  readonly inOrder: boolean;
  /** False: this process has left nothing here. */
  mayHold: boolean;
  pathOf(seq: number, n: number, kind: PendingKind): string;
  stage(seq: number, n: number, version: Version, attributes: Attributes, round: FlushRound): Promise<Staged>;
  stageDelete(seq: number, n: number, round: FlushRound): void;
  /** Makes the names of what was staged as safe as its bytes: an entry must not outlast them. */
  syncNames(): void;
  /** Stays until everything else of the commit is cleared. */
  markRedo(seq: number): void;
  remove(seq: number, n: number, kind: PendingKind): void;
  /** What unfinished commits left behind, in their order. Under the lock. */
  list(): readonly PendingFile[];
  clear(seq: number): void;
  /** Moves files out of the way, into a directory of their own, whatever they are; gives its name. */
  setAside(files: readonly PendingFile[]): string;
  statOf(file: PendingFile): fs.Stats | undefined;
}

export interface PendingOptions {
  /** Known to this state's record alone, which lies outside the workspace. */
  readonly key: string;
  /** Holds what was set aside. */
  readonly asideIn: () => Dir;
  readonly nameOrder: NameOrder;
}

export function openPending(dir: Dir, { key, asideIn, nameOrder }: PendingOptions): Pending {
  let marked = { seq: 0, mark: "" };
  const nameOf = (seq: number, n: number, kind: PendingKind): string => {
    if (marked.seq !== seq) marked = { seq, mark: markOf(key, seq) };
    return `${seq}-${n}-${kind}-${marked.mark}`;
  };
  const pathOf: Pending["pathOf"] = (seq, n, kind) => dir.at(nameOf(seq, n, kind));
  const remove: Pending["remove"] = (seq, n, kind) => fs.rmSync(pathOf(seq, n, kind), { force: true });
  const list = (): PendingFile[] => {
    const names = fs.readdirSync(dir.self);
    // A process that died while trying left these; under the lock no other one is trying.
    for (const name of names) if (PROBES.includes(name)) removeQuietly(dir.at(name));
    const found = names.flatMap((name) => {
      const file = parse(name);
      return file === null ? [] : { ...file, isMarked: name === nameOf(file.seq, file.n, file.kind) };
    });
    return found.sort((a, b) => a.seq - b.seq);
  };

  let exchanges: boolean | undefined;
  /** They cannot be flushed themselves. */
  let linksStaged = false;

  return {
    dev: dir.dev,
    mayHold: true,
    get exchanges() {
      exchanges ??= tryExchange(dir);
      return exchanges;
    },
    inOrder: nameOrder === "all",
    pathOf,
    remove,
    list,
    clear(seq) {
      const left = list().filter((file) => file.seq === seq);
      for (const { n, kind } of left) if (kind !== "redo") remove(seq, n, kind);
      for (const { n, kind } of left) if (kind === "redo") remove(seq, n, kind);
    },
    statOf: ({ name }) => fs.lstatSync(dir.at(name), { throwIfNoEntry: false }),
    setAside(files) {
      const name = `entry-${files[0]!.seq}-${randomBytes(8).toString("hex")}`;
      const aside = asideIn();
      try {
        fs.mkdirSync(aside.at(name), { mode: 0o700 });
        for (const file of files) fs.renameSync(dir.at(file.name), `${aside.at(name)}/${file.name}`);
      } finally {
        aside.close();
      }
      return name;
    },
    markRedo(seq) {
      const { O_WRONLY, O_CREAT, O_NONBLOCK = 0 } = fs.constants;
      fs.closeSync(fs.openSync(pathOf(seq, 0, "redo"), O_WRONLY | O_CREAT | O_NONBLOCK | NO_FOLLOW, 0o600));
    },
    syncNames() {
      if (nameOrder === "none" || linksStaged) dir.fsync();
      linksStaged = false;
    },
    stageDelete(seq, n, round) {
      round.add(fs.openSync(pathOf(seq, n, "delete"), CREATE_ONLY, 0o600));
    },
    async stage(seq, n, version, attributes, round) {
      const path = pathOf(seq, n, "new");
      if (version.mode === LINK_MODE) {
        fs.symlinkSync(Buffer.concat(version.parts as Uint8Array[]), path);
        linksStaged = true;
        return { warnings: [], ino: 0 };
      }
      // No others get into this directory, so it may have its permissions from the start.
      const fd = fs.openSync(path, CREATE_ONLY, attributes.mode & 0o777);
      let staged: Staged;
      try {
        const stat = await writeParts(fd, version.parts);
        staged = { warnings: setAttributes(fd, stat, attributes), ino: stat.ino };
      } catch (error) {
        closeQuietly(fd);
        throw error;
      }
      round.add(fd);
      return staged;
    },
  };
}

const PROBES = ["try-1", "try-2"];

/** Asked once, under the lock, of the file system that the state is on. */
function tryExchange(dir: Dir): boolean {
  const native = loadNative();
  if (typeof native === "string") return false;
  const names = PROBES.map((name) => dir.at(name));
  try {
    for (const name of names) fs.rmSync(name, { force: true });
    for (const name of names) fs.closeSync(fs.openSync(name, CREATE_ONLY, 0o600));
    native.swapSync(names[0]!, names[1]!);
    return true;
  } catch {
    return false;
  } finally {
    // Nothing depends on it: where a probe cannot be made, files are not exchanged.
    names.forEach(removeQuietly);
  }
}

export function markOf(key: string, seq: number): string {
  if (keyed?.key !== key) keyed = { key, hmac: hmacWith(key) };
  return keyed.hmac(`pending ${seq}`).slice(0, 32);
}

let keyed: { readonly key: string; readonly hmac: (text: string) => string } | undefined;

/** HMAC-SHA-256, as `createHmac` has it at several times the cost for so few bytes. */
function hmacWith(key: string): (text: string) => string {
  const block = Buffer.alloc(64);
  const bytes = Buffer.from(key);
  (bytes.length > block.length ? createHash("sha256").update(bytes).digest() : bytes).copy(block);
  const [inner, outer] = [0x36, 0x5c].map((pad) => block.map((byte) => byte ^ pad)) as [Uint8Array, Uint8Array];
  return (text) => {
    const within = hash("sha256", Buffer.concat([inner, Buffer.from(text)]), "buffer");
    return hash("sha256", Buffer.concat([outer, within]), "hex");
  };
}

/** Null where a name is no such name; one without a mark is, so that it is told of. */
function parse(name: string): Omit<PendingFile, "isMarked"> | null {
  const match = /^([1-9]\d{0,14})-(0|[1-9]\d{0,8})-(new|delete|gone|redo)(?:-[0-9a-f]{32})?$/.exec(name);
  if (match === null) return null;
  return { name, seq: Number(match[1]), n: Number(match[2]), kind: match[3] as PendingKind };
}
