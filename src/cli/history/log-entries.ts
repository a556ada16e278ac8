// Reads the entries that `stet log` asks for, newest first and no further back than needed.
import { matches } from "../../backends/journal/entry-filter.ts";
import type { Backend, Entry, LogFilter, Path } from "../../core/backend.ts";
import { pathsAskedFor } from "../../kernel/change/refused.ts";
import { defined } from "../options/given.ts";

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
    const filter = { ...filterOf(wanted), sinceSeq, untilSeq: until, newestFirst: true };
    const page: Entry[] = [];
    for await (const entry of backend.log({ ...filter, path: place.path, limit: PAGE })) page.push(entry);
    const from = page.length < PAGE ? sinceSeq : page.at(-1)!.seq;
    for await (const entry of backend.log({ ...filter, sinceSeq: from, outcomes: ["refused", "aborted"] }))
      if (isWanted(entry, wanted)) page.push(entry);
    yield* page.sort((one, other) => other.seq - one.seq);
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
  return defined({ session, agent, since, outcomes: refused ? (["refused"] as const) : undefined });
}

/** As asked for, without detours: "./a" and "/workspace/a" mean "a". */
function tidied(path: string, root: string): string {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return inside
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}
