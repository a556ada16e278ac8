// Moves a workspace as one stream: the log, the kept versions and the files. The other end shows all of it or nothing.
import type { Path, Sha, Verification, Version } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";
import { START } from "./journal/entry.ts";

export interface EntryItem {
  readonly kind: "entry";
  /** As it is stored, without a line end: so the chain holds at the other end. */
  readonly line: Buffer;
}

/** Every kept version comes once, as a rule just before the first entry that has it. */
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

export type HistoryItem = EntryItem | VersionItem;
export type Item = HistoryItem | FileItem;

/** The end of a journal. */
export interface Reached {
  readonly seq: number;
  readonly hash: Sha;
}

/** A workspace while nothing in it changes. */
export interface Source {
  readonly head: Reached;
  /** Kept versions whose bytes no longer have their sha256; complete once all items were read. */
  readonly damaged: readonly Sha[];
  verify(): Promise<Verification>;
  history(): AsyncIterable<HistoryItem>;
  files?: (() => AsyncIterable<FileItem>) | undefined;
}

/** Takes a workspace. What came is removed by its opener unless `finish` returned. */
export interface Receiver {
  add(item: Item): Promise<void>;
  /** Verifies what came, then makes all of it visible at once. */
  finish(head: Reached): Promise<void>;
}

export interface TransferOptions {
  /** False: only the files, without the journal and without kept versions. */
  readonly history: boolean;
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

export async function transfer(from: Source, to: Receiver, how: TransferOptions): Promise<Transferred> {
  const { history, signal, progress } = how;
  if (history) requireWhole(await from.verify(), from.files !== undefined);
  const head = history ? { seq: from.head.seq, hash: from.head.hash } : { seq: START.seq, hash: START.hash };
  const counts = { entry: 0, version: 0, file: 0 };
  const take = async (items: AsyncIterable<Item>): Promise<void> => {
    for await (const item of items) {
      if (signal.aborted) throw new Refusal("cancelled", "It was called off. Nothing of it is at the other end.");
      await to.add(item);
      if (item.kind !== "file" || item.version !== null) counts[item.kind]++;
      if ((counts.entry + counts.version + counts.file) % PROGRESS_ITEMS === 0) progress(wordsOf(counts, head));
    }
  };
  if (history) await take(from.history());
  if (from.files !== undefined) await take(from.files());
  progress(`${wordsOf(counts, head)}; verifying`);
  await to.finish(head);
  const { entry: entries, version: versions, file: files } = counts;
  return { entries, versions, files, head, damaged: from.damaged };
}

const PROGRESS_ITEMS = 50;

function wordsOf(counts: { readonly entry: number; readonly version: number; readonly file: number }, head: Reached) {
  return `moved ${counts.entry} of ${head.seq} entries, ${counts.version} kept versions, ${counts.file} files`;
}

/** Refuses a journal that is not whole: what it says would be believed at the other end. */
function requireWhole({ ok, problems }: Verification, hasFiles: boolean): void {
  if (ok) return;
  const [first] = problems;
  const why = first === undefined ? "" : ` At entry ${first.seq}: ${first.problem}`;
  throw new Refusal("journal_damaged", `Nothing was moved, because the journal is damaged.${why}`, {
    next: `Run stet verify where it comes from.${hasFiles ? " --no-history moves the files alone." : ""}`,
  });
}

/** For receivers, before they make visible what came. */
export function requireArrived({ ok, head }: Verification, sent: Reached): void {
  if (ok && head.seq === sent.seq && head.hash === sent.hash) return;
  throw new Refusal("journal_damaged", "What arrived is not what was sent; it was not made visible.", {
    next: "Run the same command again. If it happens again, check the disk and the network.",
  });
}

export function changedMeanwhile(path: string): Refusal {
  return new Refusal("path_changed", `${path} was changed by another program while it was being moved.`, {
    path,
    next: "Run the same command again.",
  });
}
