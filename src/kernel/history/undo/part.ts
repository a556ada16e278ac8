// A part of an entry: what it did to one file. Taking back a part leaves the entry as it is for every other part.
import type { Entry, Path } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";

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
