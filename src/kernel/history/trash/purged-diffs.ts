// Diffs in the journal that tell of a file purged since: a chained journal cannot be rewritten, so views leave them out.
import type { Backend, Entry, Path, Sha } from "../../../core/backend.ts";
import { deletionsOf, purgedIn, restoredIn } from "./deletions.ts";

/**
 * To be asked about every entry, notes among them, from the newest on: whether its diff may be shown. What was purged is
 * followed back through all its names to where it was made; a file that had the name before is another file.
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

/** The same for one entry. */
export async function mayShowDiffsOf(backend: Backend, { seq }: Pick<Entry, "seq">): Promise<boolean> {
  if (!(await hasPurged(backend, seq))) return true;
  const mayShow = diffsToShow();
  let shown = true;
  for await (const entry of backend.log({ sinceSeq: seq, newestFirst: true })) shown = mayShow(entry);
  return shown;
}

/** Whether a file had this version, and in an entry whose diff may be shown. */
export async function shownVersion(backend: Backend, path: Path, sha: Sha): Promise<"shown" | "purged" | "never"> {
  const isPurged = await hasPurged(backend);
  const mayShow = isPurged ? diffsToShow() : () => true;
  let had = false;
  // what was purged is followed through all entries; else those of this path tell enough
  for await (const entry of backend.log({ newestFirst: true, ...(!isPurged && { path }) })) {
    const isShown = mayShow(entry);
    if (!entry.changes.some((each) => each.path === path && (each.from === sha || each.to === sha))) continue;
    if (isShown) return "shown";
    had = true;
  }
  return had ? "purged" : "never";
}

/** Whether anything was, by this entry or a later one. */
export async function hasPurged(backend: Backend, sinceSeq = 1): Promise<boolean> {
  for await (const note of backend.log({ only: "trash", outcomes: ["note"], sinceSeq }))
    if (purgedIn(note).length > 0) return true;
  return false;
}
