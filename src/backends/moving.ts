// A workspace as a whole, for moving it from one place to another: what the one place tells, and what the other takes.
import type { KeptVersion, Path, Sha, Version } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";
import { LIMITS } from "../core/limits.ts";
import { readLine } from "./journal/entry.ts";

/** One name in the tree. Directories come before what is in them. */
export interface Item {
  readonly path: Path;
  readonly kind: "file" | "directory" | "link";
  readonly mtimeMs: number;
  /** Where it is known without a look at the bytes. */
  readonly sha?: Sha;
}

/** The end of a journal. */
export interface Reached {
  readonly seq: number;
  readonly hash: Sha;
}

/** All there is of a workspace, while nothing in it changes. */
export interface Whole {
  readonly head: Reached;
  /** The lines of the journal as they are stored, from the entry of this number on. */
  lines(since: number): AsyncIterable<Buffer>;
  kept(): AsyncIterable<KeptVersion>;
  recall(sha: Sha): Promise<Version | null>;
  items(): AsyncIterable<Item>;
  /** Null when it is no longer there. */
  read(path: Path): Promise<Version | null>;
}

/** A place that takes a workspace. Nothing of it is seen there before it is whole. */
export interface Receiver {
  /** The last entry that came when this was begun before. */
  readonly reached: Reached;
  /** Forgets what came then: it is of another journal. */
  restart(): Promise<void>;
  /** Those that are not there as kept versions yet. */
  missing(kept: readonly KeptVersion[]): Promise<readonly KeptVersion[]>;
  keep(version: Version, keptAt: number): Promise<void>;
  /** All that are kept where it comes from: any other one that came before was dropped there since. */
  keepOnly(shas: ReadonlySet<Sha>): Promise<void>;
  enter(lines: readonly Buffer[]): Promise<void>;
  /** Whether this very file came when this was begun before. */
  holds?(item: Item): Promise<boolean>;
  /** Null for directories. */
  place(item: Item, version: Version | null): Promise<void>;
}

export interface MoveOptions {
  /** False: only the files, without the journal and without kept versions. */
  readonly history: boolean;
  readonly signal: AbortSignal;
  progress(words: string): void;
}

export interface Moved {
  readonly files: number;
  readonly versions: number;
  readonly entries: number;
  /** Kept versions whose bytes are no longer what they were: they cannot be moved. */
  readonly damaged: readonly Sha[];
}

/** Sends what is not there yet; the receiver makes it visible afterwards. */
export async function moveWhole(from: Whole, to: Receiver, how: MoveOptions): Promise<Moved> {
  if (how.history && to.reached.seq > 0 && !(await isSame(from, to.reached))) await to.restart();
  const { versions, damaged } = how.history ? await moveVersions(from, to, how) : { versions: 0, damaged: [] };
  if (how.history) await moveLines(from, to, how);
  const files = await moveFiles(from, to, how);
  return { files, versions, entries: how.history ? from.head.seq : 0, damaged };
}

const VERSIONS_AT_ONCE = 200;
const LINES_AT_ONCE = { count: 500, bytes: LIMITS.sliceBytes };

async function moveVersions(from: Whole, to: Receiver, { signal, progress }: MoveOptions) {
  const damaged: Sha[] = [];
  const all = new Set<Sha>();
  let versions = 0;
  const send = async (batch: readonly KeptVersion[]): Promise<void> => {
    for (const { sha, keptAt } of await to.missing(batch)) {
      unlessCalledOff(signal);
      const version = await from.recall(sha).catch(unlessRefused);
      if (version === null) damaged.push(sha);
      else await to.keep(version, keptAt);
    }
    for (const { sha } of batch) all.add(sha);
    versions += batch.length;
    progress(`moved ${versions} kept versions`);
  };
  for await (const batch of inGroups(from.kept(), (group) => group.length >= VERSIONS_AT_ONCE)) await send(batch);
  await to.keepOnly(all);
  return { versions: versions - damaged.length, damaged };
}

async function moveLines(from: Whole, to: Receiver, { signal, progress }: MoveOptions): Promise<void> {
  const isFull = (lines: readonly Buffer[]): boolean =>
    lines.length >= LINES_AT_ONCE.count || lines.reduce((sum, { length }) => sum + length, 0) > LINES_AT_ONCE.bytes;
  let done = to.reached.seq;
  for await (const lines of inGroups(from.lines(done + 1), isFull)) {
    unlessCalledOff(signal);
    await to.enter(lines);
    done += lines.length;
    progress(`moved ${done} of ${from.head.seq} entries`);
  }
}

/** What came before is the beginning of this very journal. */
async function isSame(from: Whole, { seq, hash }: Reached): Promise<boolean> {
  if (seq === 0) return true;
  for await (const line of from.lines(seq)) return readLine(line).entry?.hash === hash;
  return false;
}

async function moveFiles(from: Whole, to: Receiver, { signal, progress }: MoveOptions): Promise<number> {
  let files = 0;
  for await (const item of from.items()) {
    unlessCalledOff(signal);
    if (item.kind !== "directory" && ++files % 50 === 0) progress(`moved ${files} files`);
    if (await to.holds?.(item)) continue;
    const version = item.kind === "directory" ? null : await from.read(item.path);
    if (version === null && item.kind !== "directory") throw changedMeanwhile(item.path);
    await to.place(item, version);
  }
  return files;
}

export async function* inGroups<T>(
  all: AsyncIterable<T>,
  isFull: (group: readonly T[]) => boolean,
): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const each of all) {
    group.push(each);
    if (!isFull(group)) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

function unlessCalledOff(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new Refusal("cancelled", "It was called off; nothing of it is to be seen.", {
    next: "The same command goes on where it was.",
  });
}

function unlessRefused(error: unknown): null {
  if (error instanceof Refusal && (error.kind === "not_kept" || error.kind === "journal_damaged")) return null;
  throw error;
}

export function changedMeanwhile(path: string): Refusal {
  return new Refusal("path_changed", `${path} was changed by another program while it was being moved.`, {
    path,
    next: "Run the same command again: it goes on where it was.",
  });
}
