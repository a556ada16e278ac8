// Reads the entries that `stet log` asks for, newest first and no further back than needed.

import { matches } from "../../backends/journal/entry-filter.ts";
import type { Backend, Entry, LogFilter, Path } from "../../core/backend.ts";
import { pathsAskedFor } from "../../kernel/change/refused.ts";

export interface Wanted {
  readonly session?: string;
  readonly agent?: string;
  readonly since?: string;
  /** Only the calls that were refused. */
  readonly refused?: boolean;
  /** A file, or everything below a directory. */
  readonly place?: { readonly path: Path; readonly isDirectory: boolean; readonly root: string };
}

interface Range {
  readonly sinceSeq?: number;
  readonly untilSeq?: number;
}

/**
 * Refusals name their paths as they were asked for, and a recovery names no path at all: neither is found by path, so
 * they are looked for in the stretch of the journal that the found entries span, a page at a time.
 */
export async function* newestEntries(
  backend: Backend,
  wanted: Wanted,
  { sinceSeq = 1, untilSeq = Number.MAX_SAFE_INTEGER }: Range = {},
): AsyncGenerator<Entry> {
  const { place } = wanted;
  if (place === undefined || place.isDirectory || wanted.refused) {
    for await (const entry of backend.log({ ...filterOf(wanted), sinceSeq, untilSeq, newestFirst: true }))
      if (isWanted(entry, wanted)) yield entry;
    return;
  }
  for (let until = untilSeq; until >= sinceSeq; ) {
    const page: Entry[] = [];
    const filter = { ...filterOf(wanted), sinceSeq, untilSeq: until, path: place.path, newestFirst: true, limit: PAGE };
    for await (const entry of backend.log(filter)) page.push(entry);
    const from = page.length < PAGE ? sinceSeq : page.at(-1)!.seq;
    yield* merged([page, ...pathless(backend, wanted, { sinceSeq: from, untilSeq: until })]);
    until = from - 1;
  }
}

/** Also for entries that were read without a filter. */
export function isWanted(entry: Entry, wanted: Wanted): boolean {
  const { place } = wanted;
  if (!matches(entry, filterOf(wanted))) return false;
  if (place === undefined || entry.outcome === "aborted") return true;
  const touched = entry.changes.flatMap(({ path, movedFrom = path }) => [path, movedFrom]);
  return [...touched, ...pathsAskedFor(entry).map((path) => tidied(path, place.root))].some(
    (path) => path === place.path || (place.isDirectory && (place.path === "" || path.startsWith(`${place.path}/`))),
  );
}

const PAGE = 100;

function filterOf({ session, agent, since, refused }: Wanted): LogFilter {
  return {
    ...(session !== undefined && { session }),
    ...(agent !== undefined && { agent }),
    ...(since !== undefined && { since }),
    ...(refused && { outcomes: ["refused"] }),
  };
}

function pathless(backend: Backend, wanted: Wanted, range: Range): AsyncIterable<Entry>[] {
  return (["refused", "aborted"] as const).map((outcome) =>
    only(wanted, backend.log({ ...filterOf(wanted), ...range, outcomes: [outcome], newestFirst: true })),
  );
}

async function* only(wanted: Wanted, entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const entry of entries) if (isWanted(entry, wanted)) yield entry;
}

/** Sources that are each newest first, as one. */
async function* merged(sources: readonly (Iterable<Entry> | AsyncIterable<Entry>)[]): AsyncGenerator<Entry> {
  const readers = sources.map(opened);
  try {
    const heads = await Promise.all(readers.map((reader) => reader.next()));
    for (;;) {
      const seqs = heads.map((head) => (head.done ? 0 : head.value.seq));
      const newest = seqs.indexOf(Math.max(...seqs));
      const head = heads[newest]!;
      if (head.done) return;
      yield head.value;
      heads[newest] = await readers[newest]!.next();
    }
  } finally {
    for (const reader of readers) await reader.return(undefined);
  }
}

async function* opened(source: Iterable<Entry> | AsyncIterable<Entry>): AsyncGenerator<Entry> {
  yield* source;
}

/** As asked for, without detours: "./a" and "/workspace/a" mean "a". */
function tidied(path: string, root: string): string {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return inside
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}
