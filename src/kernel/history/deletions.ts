// Deletions in the journal, and which of them were not taken back.
import type { Backend, Entry, EntryChange, Path, Sha } from "../../core/backend.ts";
import { happened, movedAway } from "./journal.ts";

/** A deleted file whose bytes are kept. */
export interface Trashed {
  /** Names this deletion: the entry's number, and the place in it when the entry deleted several files. */
  readonly id: string;
  /** Where it was. */
  readonly path: Path;
  /** The version that was deleted. */
  readonly sha: Sha;
  /** Bytes. */
  readonly size: number;
  /** Permission bits, or `LINK_MODE`; it comes back with them. */
  readonly mode?: number;
  /** ISO 8601, UTC. */
  readonly deletedAt: string;
  /** The id of the session that deleted it. */
  readonly session: string;
  /** What the agent calls itself, where it said so. */
  readonly agent?: string;
  /** The tool by which it was deleted. */
  readonly tool: string;
}

/** Newest first, without regard to the policy. `each` is awaited at every entry. */
export async function* wholeTrash(backend: Backend, each?: () => Promise<void>): AsyncGenerator<Trashed> {
  const stillTrashed = trashTeller();
  for await (const entry of happened(backend, { newestFirst: true, outcomes: ["applied", "note"], only: "trash" })) {
    await each?.();
    yield* stillTrashed(entry);
  }
}

/** To be asked of every entry that happened, the newest first: which of its deletions are still in the trash. */
export function trashTeller(): (entry: Entry) => Trashed[] {
  const out = new Set<string>();
  const takenBack = new Map<Path, ReadonlySet<number>[]>();
  return (entry) => {
    if (entry.outcome !== "applied" && entry.outcome !== "note") return [];
    const restored = restoredIn(entry);
    for (const id of [...restored, ...purgedIn(entry)]) out.add(id);
    if (restored.length === 0) addTakenBack(takenBack, entry);
    return deletionsOf(entry).filter(
      ({ id, path }) => !out.has(id) && !takenBack.get(path)?.some((seqs) => seqs.has(entry.seq)),
    );
  };
}

export function deletionsOf(entry: Entry): Trashed[] {
  if (entry.outcome !== "applied") return [];
  const moved = movedAway(entry);
  const gone = ({ path, to, movedFrom }: EntryChange): boolean =>
    to === null ? !moved.has(path) : movedFrom !== undefined;
  const deleted = entry.changes.filter((change) => change.from !== null && gone(change));
  return deleted.map((change, n) => ({
    id: deleted.length === 1 ? `${entry.seq}` : `${entry.seq}.${n + 1}`,
    path: change.path,
    sha: change.from!,
    size: change.fromSize ?? 0,
    ...(change.fromMode !== undefined && { mode: change.fromMode }),
    deletedAt: entry.at,
    session: entry.session,
    ...(entry.agent !== undefined && { agent: entry.agent }),
    tool: entry.tool,
  }));
}

/** The entry that deleted it. */
export function seqOf({ id }: Pick<Trashed, "id">): number {
  return Number.parseInt(id, 10);
}

/** Ids of deletions that a note took out of the trash for good. */
export function purgedIn({ details }: Pick<Entry, "details">): string[] {
  return idsIn(details?.purged);
}

/** Ids of deletions that an entry brought back. */
export function restoredIn({ details }: Pick<Entry, "details">): string[] {
  return idsIn(details?.restored);
}

/** An undo takes back those deletions of the entries it undoes whose files it brings back. */
function addTakenBack(takenBack: Map<Path, ReadonlySet<number>[]>, { of = [], changes }: Entry): void {
  if (of.length === 0) return;
  const seqs = new Set(of);
  for (const { path, to } of changes) if (to !== null) takenBack.set(path, [...(takenBack.get(path) ?? []), seqs]);
}

function idsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
}

/**
 * For agents: to be asked about every entry, notes among them, from the newest on, whether its diff may be shown. A file
 * that was purged is followed back through all its names to where it was made; one that had the name before is another.
 */
export function diffsToShow(): (entry: Entry) => boolean {
  const ids = new Set<string>();
  const purged = new Set<Path>();
  return (entry) => {
    const { changes, of = [] } = entry;
    for (const id of purgedIn(entry)) ids.add(id);
    const gone = new Set(deletionsOf(entry).flatMap(({ id, path }) => (ids.has(id) ? [path] : [])));
    const touched = changes.filter(({ path }) => purged.has(path) || gone.has(path));
    const restored = touched.length === 0 ? [] : restoredIn(entry);
    for (const id of restored) ids.add(id);
    for (const { path, from, movedFrom } of touched) {
      const isDeletion = gone.has(path);
      const isOrigin = movedFrom !== undefined || (from === null && (of.length === 0 || restored.length > 0));
      if (isDeletion) purged.add(path);
      else if (isOrigin) purged.delete(path);
      if (!isDeletion && movedFrom !== undefined) purged.add(movedFrom);
    }
    return touched.length === 0;
  };
}
