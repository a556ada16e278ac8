// Journal entries for what backends do and notice, the same in every backend.

import type {
  Author,
  Change,
  CommitNote,
  Entry,
  EntryChange,
  EntryDraft,
  Head,
  Path,
  Version,
} from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";

type Known = Pick<Version, "sha" | "size" | "mode">;

/** A commit, as an entry tells it. `before`: what was at the path of each change. */
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

/** Another program changed `path` since the journal last spoke of it. */
export function externalDraft(path: Path, head: Head, now: Known | null, noticedBy: Author): EntryDraft {
  const change: EntryChange = {
    path,
    from: head.sha,
    to: now?.sha ?? null,
    ...(now !== null && { toSize: now.size, ...(now.mode !== undefined && { toMode: now.mode }) }),
  };
  return { session: noticedBy.session, tool: "external", outcome: "external", changes: [change], of: [head.seq] };
}

/** Who finishes what a crash cut short. */
export const RECOVERY = { session: "stet", tool: "recovery" } as const;

/** What this entry says did not come to pass. */
export function abortedDraft({ seq }: Pick<Entry, "seq">, { session }: Pick<Author, "session">): EntryDraft {
  return { session, tool: RECOVERY.tool, outcome: "aborted", changes: [], of: [seq] };
}

/** What a recovery could not finish, in its words; undefined for every other entry. */
export function leftUndone({ outcome, tool, details, message }: EntryDraft): string | undefined {
  if (outcome !== "note" || tool !== RECOVERY.tool) return undefined;
  return details?.unfinished === undefined && details?.aside === undefined ? undefined : message;
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

/** A file cannot be a directory in the same change: which of the two came first would decide what is left. */
export function refuseNested(changes: readonly Pick<Change, "path" | "to">[]): void {
  const stays = new Map<string, boolean>(changes.map(({ path, to }) => [path, to !== null]));
  for (const path of stays.keys()) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const parent = path.slice(0, at);
      if (!stays.has(parent)) continue;
      const isBoth = stays.get(parent) && stays.get(path);
      const both = `${parent} cannot be a file and, for ${path}, a directory.`;
      const next = isBoth ? "Choose another path for one of them." : "Make two changes.";
      const why = isBoth ? both : `One change cannot touch both ${parent} and ${path} below it.`;
      throw new Refusal("invalid_input", why, { path, next });
    }
  }
}
