// The journal's last word on every path.
import type { Entry, Head, Path } from "../../core/backend.ts";

/** The entry must be the next one. One that was aborted must not be given. */
export function applyTo(heads: Map<Path, Head>, { seq, outcome, changes }: Entry): void {
  if (outcome !== "applied" && outcome !== "external") return;
  for (const { path, to } of changes) heads.set(path, { seq, sha: to });
}

/** Entries that never happened, by those that say so. */
export function abortedBy(entries: Iterable<Entry>): ReadonlySet<number> {
  const aborted = new Set<number>();
  for (const { seq, outcome, of = [] } of entries)
    if (outcome === "aborted") for (const earlier of of) if (earlier < seq) aborted.add(earlier);
  return aborted;
}
