// Which versions of deleted files something else would still need when these are purged.
import type { Entry, EntryChange, Path, Sha } from "../../../core/backend.ts";
import type { Workspace } from "../../workspace.ts";
import { openCheckpoints } from "../checkpoints.ts";
import { happened } from "../journal/applied-entries.ts";
import { deletionsOf, purgedIn, type Trashed, wholeTrash } from "./deletions.ts";

/**
 * Undo, rollback and other deletions may need the same bytes. What was purged has given up all that its path, under
 * whatever name it had then, did with them before; only a version that was replaced in between still counts.
 */
export async function stillNeeded(
  workspace: Workspace,
  doomed: readonly Pick<Trashed, "id" | "sha">[],
  each: () => Promise<void>,
): Promise<Set<Sha>> {
  const { backend } = workspace;
  const shas = new Set(doomed.map(({ sha }) => sha));
  const purged = new Set(doomed.map(({ id }) => id));
  const checkpoints = await openCheckpoints(workspace);
  const needed = new Set<Sha>(checkpoints.flatMap(({ versions = [] }) => versions));
  for await (const { id, sha } of wholeTrash(backend, each)) if (!purged.has(id) && shas.has(sha)) needed.add(sha);
  const checkpoint = Math.min(...checkpoints.map(({ seq }) => seq));
  const givenUp = new Map<Sha, Set<Path>>();
  const giveUp = (sha: Sha, path: Path): void => void givenUp.set(sha, (givenUp.get(sha) ?? new Set()).add(path));
  for await (const entry of happened(backend, { newestFirst: true, outcomes: ["applied", "external", "note"] })) {
    await each();
    for (const id of purgedIn(entry)) purged.add(id);
    const dropped = droppedBy(entry, purged);
    for (const [path, sha] of dropped) giveUp(sha, path);
    for (const { path, to, movedFrom } of entry.changes)
      if (movedFrom !== undefined && to !== null && givenUp.get(to)?.has(path)) giveUp(to, movedFrom);
    for (const change of entry.changes) {
      for (const sha of [change.from, change.to]) {
        if (sha === null || !shas.has(sha) || needed.has(sha)) continue;
        const isDropped = dropped.get(change.path) === sha;
        if (entry.seq > checkpoint || needs(change, sha, isDropped, givenUp.get(sha))) needed.add(sha);
      }
    }
  }
  return needed;
}

/** What an entry deleted and a later one purged, by path. */
function droppedBy(entry: Entry, purged: ReadonlySet<string>): ReadonlyMap<Path, Sha> {
  return new Map(deletionsOf(entry).flatMap(({ id, path, sha }) => (purged.has(id) ? [[path, sha]] : [])));
}

function needs(
  { path, from, to }: EntryChange,
  sha: Sha,
  isDropped: boolean,
  givenUp: ReadonlySet<Path> | undefined,
): boolean {
  if (isDropped) return to === sha;
  if (givenUp?.has(path) !== true) return true;
  return from === sha && to !== null && to !== sha;
}
