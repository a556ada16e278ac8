// Undo status: which entries, or parts of them, a later one took back.
import type { Backend, Entry, Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { happened } from "./journal.ts";

/** What became of entries since. */
export interface UndoStatus {
  /** The entry that took one back. */
  readonly takenBack: ReadonlyMap<number, number>;
  /** Those that took back a part of one, oldest first. */
  readonly parts: ReadonlyMap<number, readonly Entry[]>;
}

/**
 * Which of these entries another one has taken back, and which one that was. An undo that was itself undone, or that is
 * one of these entries, took nothing back: what it undid counts again.
 */
export async function entriesTakenBack(
  backend: Backend,
  entries: readonly Entry[],
): Promise<ReadonlyMap<number, number>> {
  return (await undoStatusOf(backend, entries)).takenBack;
}

/** Each for itself: an undo that is one of these entries took back what it undid, too. */
export function undoStatusOfEach(backend: Backend, entries: readonly Entry[]): Promise<UndoStatus> {
  return undoStatusOf(backend, entries, true);
}

/** As of all these entries together: what one of them did to another does not count. */
export async function undoStatusOf(backend: Backend, entries: readonly Entry[], each = false): Promise<UndoStatus> {
  const takenBack = new Map<number, number>();
  const parts = new Map<number, readonly Entry[]>();
  if (entries.length === 0) return { takenBack, parts };
  const asked = new Set(each ? [] : entries.map(({ seq }) => seq));
  const takers = new Map<number, Entry[]>();
  const sinceSeq = entries.reduce((oldest, { seq }) => Math.min(oldest, seq), Number.POSITIVE_INFINITY);
  for (const entry of newestFirst([...(await takersSince(backend, sinceSeq)), ...entries])) {
    const taker = takers.get(entry.seq)?.find((later) => takesBack(later, entry));
    const ofParts = (takers.get(entry.seq) ?? []).filter(isOfPart).reverse();
    if (ofParts.length > 0) parts.set(entry.seq, ofParts);
    if (taker !== undefined) takenBack.set(entry.seq, taker.seq);
    else if (entry.outcome === "applied" && !asked.has(entry.seq))
      for (const seq of entry.of ?? []) takers.set(seq, [...(takers.get(seq) ?? []), entry]);
  }
  return { takenBack, parts };
}

/** Entries that nothing else is about take nothing back, and only those that were asked about matter as taken back. */
async function takersSince(backend: Backend, sinceSeq: number): Promise<Entry[]> {
  const takers: Entry[] = [];
  for await (const entry of happened(backend, { sinceSeq, only: "of entries" })) takers.push(entry);
  return takers;
}

function newestFirst(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.seq, entry])).values()].sort((a, b) => b.seq - a.seq);
}

/** An undo takes back the whole of an entry, unless it was of a part. A restored file does so when its deletion was all of it, and it is where it was. */
function takesBack(later: Entry, entry: Entry): boolean {
  const [restored] = later.changes;
  const [deleted, ...others] = entry.changes;
  if (isOfPart(later)) return isWhole(later, entry);
  if (later.details?.restored === undefined) return true;
  return others.length === 0 && deleted?.path === restored?.path;
}

/** The entry as if it had changed only this file, under both its names where it moved it. */
export function partOf(entry: Entry, path: Path): Entry {
  const { seq, changes } = entry;
  const moved = changes.find(
    ({ path: to, movedFrom }) => movedFrom !== undefined && (to === path || movedFrom === path),
  );
  const names = moved === undefined ? [path] : [moved.path, moved.movedFrom!];
  const own = changes.filter((change) => names.includes(change.path));
  if (own.length > 0) return { ...entry, changes: own };
  throw new Refusal("not_found", `Entry ${seq} did not change ${path}.`, {
    path,
    next: "Look at the entry for the files that it changed.",
  });
}

/** For the journal: which files an undo was about; none where it was about some lines of one. */
export function partDetails(paths: readonly Path[]): { readonly part: readonly Path[] } {
  return { part: paths };
}

export function isOfPart({ details }: Pick<Entry, "details">): boolean {
  return Array.isArray(details?.part);
}

/** Whether that part was all there is of the entry. */
export function isWhole({ details }: Pick<Entry, "details">, { changes }: Entry): boolean {
  const part: unknown = details?.part;
  return Array.isArray(part) && part.length > 0 && changes.every(({ path }) => part.includes(path));
}
