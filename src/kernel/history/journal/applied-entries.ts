// What happened to files, as the journal tells it: entries whose changes took place.
import type { Backend, Entry, LogFilter, Path } from "../../../core/backend.ts";

/** Leaves out what a recovery had to abort: the entry is there, its changes never were. */
export async function* happened(backend: Backend, filter: LogFilter = {}): AsyncGenerator<Entry> {
  // What aborts an entry stands after it, so nothing before the first entry asked for matters.
  const aborted = await abortedSince(backend, filter.sinceSeq);
  for await (const entry of backend.log({ outcomes: ["applied", "external"], ...filter })) {
    if (!aborted.has(entry.seq)) yield entry;
  }
}

/** Entries that never happened, as later ones tell. */
export async function abortedSince(backend: Backend, sinceSeq = 1): Promise<ReadonlySet<number>> {
  const aborted = new Set<number>();
  for await (const { of = [] } of backend.log({ outcomes: ["aborted"], sinceSeq }))
    for (const seq of of) aborted.add(seq);
  return aborted;
}

/** Paths that an entry emptied by moving their file elsewhere. */
export function movedAway({ changes }: Entry): ReadonlySet<Path> {
  return new Set(changes.flatMap(({ movedFrom }) => movedFrom ?? []));
}
