// Journal entries for what backends do and notice, the same in every backend.
import type { Author, Change, CommitNote, EntryChange, EntryDraft, Head, Path, Version } from "./backend.ts";

type Known = Pick<Version, "sha" | "size" | "mode">;

export function appliedDraft(
  changes: readonly Change[],
  before: readonly (Known | null)[],
  author: Author,
  note: CommitNote = {},
): EntryDraft {
  return {
    ...author,
    outcome: "applied",
    changes: changes.map((change, i) => entryChange(change, before[i] ?? null)),
    ...note,
  };
}

/** Somebody else changed `path` since the journal last spoke of it. */
export function externalDraft(path: Path, head: Head, now: Known | null, noticedBy: Author): EntryDraft {
  const change: EntryChange = {
    path,
    from: head.sha,
    to: now?.sha ?? null,
    ...(now !== null && { toSize: now.size, ...(now.mode !== undefined && { toMode: now.mode }) }),
  };
  return { session: noticedBy.session, tool: "external", outcome: "external", changes: [change], of: [head.seq] };
}

function entryChange({ path, from, to, proof, movedFrom }: Change, before: Known | null): EntryChange {
  return {
    path,
    from,
    to: to?.sha ?? null,
    ...(before !== null && { fromSize: before.size, ...(before.mode !== undefined && { fromMode: before.mode }) }),
    ...(to !== null && { toSize: to.size, ...(to.mode !== undefined && { toMode: to.mode }) }),
    proof,
    ...(movedFrom !== undefined && { movedFrom }),
  };
}
