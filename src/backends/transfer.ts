// Moves a workspace as one stream: the log with the kept versions, then the files. The other end shows all of it or nothing.
import type { Head, KeptVersion, Path, Sha, Version } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";
import { Chain } from "./journal/chain.ts";
import { readLine } from "./journal/entry.ts";

export interface EntryItem {
  readonly kind: "entry";
  /** As it is stored, without a line end: so the chain holds at the other end. */
  readonly line: Buffer;
}

/** Every kept version comes once, just before the first entry that has it. */
export interface VersionItem {
  readonly kind: "version";
  readonly version: Version;
  readonly keptAt: number;
}

/** Directories come before what is in them. */
export interface FileItem {
  readonly kind: "file";
  readonly path: Path;
  readonly mtimeMs: number;
  /** Null for a directory. */
  readonly version: Version | null;
}

export type Item = EntryItem | VersionItem | FileItem;

/** The end of a journal. */
export interface Reached {
  readonly seq: number;
  readonly hash: Sha;
}

/** A workspace while nothing in it changes. */
export interface Source {
  /** Where it gives files only, that of an empty journal. */
  readonly head: Reached;
  items(): AsyncIterable<Item>;
  /** Kept versions whose bytes no longer have their sha256; complete once all items were read. */
  readonly damaged: readonly Sha[];
  /** The journal's last word on every path that it speaks of; for receivers that keep it with the files. */
  heads?(): Iterable<readonly [Path, Head]>;
}

/** Takes a workspace. What came is removed by its opener unless `finish` returned. */
export interface Receiver {
  add(item: Item): Promise<void>;
  /** Makes all of it visible at once. */
  finish(from: Pick<Source, "head" | "heads">): Promise<void>;
}

export interface TransferOptions {
  readonly signal: AbortSignal;
  progress(words: string): void;
}

export interface Transferred {
  readonly files: number;
  readonly versions: number;
  readonly entries: number;
  readonly head: Reached;
  readonly damaged: readonly Sha[];
}

/** The journal is verified on its way: what it says would be believed at the other end. */
export async function transfer(from: Source, to: Receiver, how: TransferOptions): Promise<Transferred> {
  const { damaged } = from;
  const head = { seq: from.head.seq, hash: from.head.hash };
  const chain = new Chain();
  const counts = { entry: 0, version: 0, file: 0 };
  const tell = () =>
    how.progress(`moved ${counts.entry} of ${head.seq} entries, ${counts.version} kept versions, ${counts.file} files`);
  for await (const item of from.items()) {
    if (how.signal.aborted) throw new Refusal("cancelled", "It was called off. Nothing of it is at the other end.");
    if (item.kind === "entry") chain.line(item.line);
    requireWhole(chain);
    await to.add(item);
    if (item.kind !== "file" || item.version !== null) counts[item.kind]++;
    if ((counts.entry + counts.version + counts.file) % PROGRESS_ITEMS === 0) tell();
  }
  chain.end(head);
  requireWhole(chain);
  tell();
  await to.finish(from);
  return { entries: counts.entry, versions: counts.version, files: counts.file, head, damaged };
}

const PROGRESS_ITEMS = 50;

function requireWhole({ problems: [first] }: Chain): void {
  if (first === undefined) return;
  const why = `Nothing was moved, because the journal is damaged. At entry ${first.seq}: ${first.problem}`;
  throw new Refusal("journal_damaged", why, {
    next: "Run stet verify where it comes from. push and pull move the files alone with --no-history.",
  });
}

interface Stored {
  /** Of entries, in their order. */
  lines(): Iterable<Buffer> | AsyncIterable<Buffer>;
  readonly kept: Iterable<KeptVersion> | AsyncIterable<KeptVersion>;
  recall(sha: Sha): Promise<Version | null>;
}

/** Kept versions that no entry has come last. */
export async function* historyItems(
  { lines, kept, recall }: Stored,
  damaged: Sha[],
): AsyncGenerator<EntryItem | VersionItem> {
  const left = new Map<Sha, number>();
  for await (const { sha, keptAt } of kept) left.set(sha, keptAt);
  async function* take(shas: Iterable<Sha | null>): AsyncGenerator<VersionItem> {
    for (const sha of shas) {
      const keptAt = sha === null ? undefined : left.get(sha);
      if (sha === null || keptAt === undefined) continue;
      left.delete(sha);
      const version = await recall(sha).catch(unlessDamaged);
      if (version === null) damaged.push(sha);
      else yield { kind: "version", version, keptAt };
    }
  }
  for await (const line of lines()) {
    const { entry, intact } = readLine(line);
    if (intact && entry !== null) yield* take(entry.changes.flatMap(({ from, to }) => [from, to]));
    yield { kind: "entry", line };
  }
  yield* take([...left.keys()]);
}

function unlessDamaged(error: unknown): null {
  if (error instanceof Refusal && DAMAGED.has(error.kind)) return null;
  throw error;
}

const DAMAGED: ReadonlySet<string> = new Set(["not_kept", "journal_damaged", "path_changed"]);

export function changedMeanwhile(path: string): Refusal {
  return new Refusal("path_changed", `${path} was changed by another program while it was being moved.`, {
    path,
    next: "Run the same command again.",
  });
}
