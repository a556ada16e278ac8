// Undo status: which entries, or parts of entries, a later one took back.
import type { Backend, Entry, EntryChange, Path } from "../../core/backend.ts";
import { refuse } from "../../words/index.ts";
import { happened } from "./journal.ts";

/** What became of entries since. */
export interface UndoStatus {
  /** The entry that took one back. */
  readonly takenBack: ReadonlyMap<number, number>;
  /** Those that took back a part of one, oldest first. */
  readonly parts: ReadonlyMap<number, readonly Entry[]>;
}

/**
 * An undo that was itself undone took nothing back: what it undid counts again. "together" ignores undos that are among
 * these entries; "each" judges every entry by all that came later.
 */
export async function undoStatusOf(
  backend: Backend,
  entries: readonly Entry[],
  judged: "together" | "each" = "together",
): Promise<UndoStatus> {
  const takenBack = new Map<number, number>();
  const parts = new Map<number, readonly Entry[]>();
  if (entries.length === 0) return { takenBack, parts };
  const own = new Set(judged === "each" ? [] : entries.map(({ seq }) => seq));
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  // Only an entry that speaks of others can take one back.
  const sinceSeq = entries.reduce((oldest, { seq }) => Math.min(oldest, seq), Number.POSITIVE_INFINITY);
  for await (const entry of happened(backend, { sinceSeq, only: "of entries" }))
    if (!bySeq.has(entry.seq)) bySeq.set(entry.seq, entry);
  const takers = new Map<number, Entry[]>();
  for (const [seq, entry] of [...bySeq].sort(([a], [b]) => b - a)) {
    const known = takers.get(seq) ?? [];
    const taker = known.find((each) => takesBack(each, entry));
    const ofParts = known.filter(isOfPart).reverse();
    if (ofParts.length > 0) parts.set(seq, ofParts);
    if (taker !== undefined) takenBack.set(seq, taker.seq);
    else if (entry.outcome === "applied" && !own.has(seq))
      for (const of of entry.of ?? []) takers.set(of, [...(takers.get(of) ?? []), entry]);
  }
  return { takenBack, parts };
}

/** An undo of no part takes back the entry. A restore does so when the entry did nothing but delete a file that is back in its place. */
function takesBack(later: Entry, entry: Entry): boolean {
  const [restored] = later.changes;
  const [deleted, ...others] = entry.changes;
  const part: unknown = later.details?.part;
  if (Array.isArray(part)) return part.length > 0 && entry.changes.every(({ path }) => part.includes(path));
  if (later.details?.restored === undefined) return true;
  return others.length === 0 && deleted?.path === restored?.path;
}

/** The entry as if it had changed only this file. A moved file keeps both its names, unless a hunk is meant. */
export function partOf(entry: Entry, path: Path, hunk?: number): Entry {
  const isMoved = ({ path: to, movedFrom }: EntryChange): boolean =>
    hunk === undefined && movedFrom !== undefined && (to === path || movedFrom === path);
  const moved = entry.changes.find(isMoved);
  const names = [path, moved?.path, moved?.movedFrom];
  const changes = entry.changes.filter((change) => names.includes(change.path));
  if (changes.length > 0) return { ...entry, changes };
  throw refuse("entry_without_path", { path, entry: entry.seq });
}

/** An undo of a part lists its files in `details.part`, or none where it was about lines of one. */
export function isOfPart({ details }: Pick<Entry, "details">): boolean {
  return Array.isArray(details?.part);
}
