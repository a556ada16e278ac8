// Diffs in the journal that tell of a file purged since: a chained journal cannot be rewritten, so views leave them out.
import type { Backend, Entry, Path } from "../../../core/backend.ts";
import { deletionsOf, purgedIn } from "./deletions.ts";

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
    for (const { path, from, movedFrom } of touched) {
      const isDeletion = gone.has(path);
      const isOrigin = movedFrom !== undefined || (from === null && of.length === 0);
      if (isDeletion) purged.add(path);
      else if (isOrigin) purged.delete(path);
      if (!isDeletion && movedFrom !== undefined) purged.add(movedFrom);
    }
    return touched.length === 0;
  };
}

/** The same for one entry. */
export async function mayShowDiffsOf(backend: Backend, { seq }: Pick<Entry, "seq">): Promise<boolean> {
  let purged = false;
  for await (const note of backend.log({ outcomes: ["note"], sinceSeq: seq })) purged ||= purgedIn(note).length > 0;
  if (!purged) return true;
  const mayShow = diffsToShow();
  let shown = true;
  for await (const entry of backend.log({ sinceSeq: seq, newestFirst: true })) shown = mayShow(entry);
  return shown;
}
