// What agents were told of files that were purged since: a chained journal cannot be rewritten, so views leave it out.
import type { Backend, Entry } from "../../../core/backend.ts";
import { filesOfRefused, toldIn } from "../../change/refused.ts";
import { deletionsOf, purgedIn, restoredIn } from "./deletions.ts";
import { hasPurged } from "./purged-diffs.ts";

/**
 * Whether what was told may be shown: it may be of any version that a file of this name ever had. So nothing of it may
 * be purged, under this name or one that it was moved or restored to or from, whenever that was.
 */
export async function mayShowToldOf(backend: Backend, entry: Pick<Entry, "details">): Promise<boolean> {
  if (toldIn(entry) === undefined || !(await hasPurged(backend))) return true;
  const files = filesOfRefused(entry);
  if (files === undefined) return false;
  const { purged, next } = await namesIn(backend);
  const names = new Set<string>(files);
  for (const name of names) {
    if (purged.has(name)) return false;
    for (const other of next.get(name) ?? []) names.add(other);
  }
  return true;
}

interface Names {
  /** Those of which a deletion was purged. */
  readonly purged: ReadonlySet<string>;
  /** Where the file of each was moved or restored to, or from. */
  readonly next: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Every entry that moves, deletes, restores or purges is "trash". */
async function namesIn(backend: Backend): Promise<Names> {
  const ids = new Set<string>();
  const restoredAs = new Map<string, readonly string[]>();
  const purged = new Set<string>();
  const next = new Map<string, Set<string>>();
  const link = (one: string, other: string): void => {
    for (const [from, to] of [[one, other] as const, [other, one] as const])
      next.set(from, (next.get(from) ?? new Set()).add(to));
  };
  for await (const entry of backend.log({ only: "trash", newestFirst: true })) {
    for (const id of purgedIn(entry)) ids.add(id);
    const paths = entry.changes.map(({ path }) => path);
    for (const id of restoredIn(entry)) restoredAs.set(id, [...(restoredAs.get(id) ?? []), ...paths]);
    for (const { path, movedFrom } of entry.changes) if (movedFrom !== undefined) link(path, movedFrom);
    for (const { id, path } of deletionsOf(entry)) {
      if (ids.has(id)) purged.add(path);
      for (const other of restoredAs.get(id) ?? []) link(path, other);
    }
  }
  return { purged, next };
}
