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
  Sha,
  Version,
  Witnessed,
} from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { parentOf } from "../../core/paths.ts";
import { shown } from "../../core/printable.ts";

type Known = Pick<Version, "sha" | "size"> & { readonly mode?: number | undefined };
type Made = Pick<Change, "path" | "from" | "movedFrom"> & { readonly to: Known | null; readonly proof?: string };

/** A commit, as an entry tells it. `before`: what was at the path of each change. */
export function appliedDraft(
  changes: readonly Made[],
  before: readonly (Known | null)[],
  author: Author,
  note: CommitNote = {},
): EntryDraft {
  const made = changes.map((change, i) => entryChange(change, before[i] ?? null));
  return { ...author, outcome: "applied", changes: made, ...note };
}

/** A path whose change by another program the journal does not have yet. */
export interface Observed {
  /** The file. */
  readonly path: Path;
  /** The journal's last word on it. */
  readonly head: Head | null;
  /** What is there. */
  readonly now: Known | null;
  /** What was there before the author's change; undefined where it is not known who changed it. */
  readonly from: Known | null | undefined;
}

/** Null when there is nothing to record; never anything of a path that the journal does not know, unless there is a `from`. */
export function observe(
  { path, from, fromMode }: Asked,
  { head, now, find }: Pick<Observed, "head" | "now"> & { find(sha: Sha): Pick<Version, "size"> | null },
): Observed | null {
  const sha = now?.sha ?? null;
  if (head?.sha === sha || (from === undefined ? head === null : from === sha)) return null;
  if (from === undefined || from === null) return { path, head, now, from };
  const before = find(from);
  if (before === null)
    throw new Refusal("not_kept", `Nothing was recorded: version ${from.slice(0, 12)} of ${shown(path)} is not kept.`, {
      path,
      next: "Keep what is there before another program changes it.",
    });
  return { path, head, now, from: { sha: from, size: before.size, mode: fromMode } };
}

/** What `witness` is given, or a path of `notice`, which has no `from`. */
export type Asked = Pick<Witnessed, "path"> & Partial<Witnessed>;

/** What was not witnessed, as "external", then what the author did. Each only if there is any. */
export function observedDrafts(all: readonly Observed[], author: Author, note?: CommitNote): EntryDraft[] {
  const observed = [...new Map(all.map((each) => [each.path, each])).values()];
  const unseen = observed.flatMap(({ path, head, now, from = now }) =>
    head === null || head.sha === (from?.sha ?? null) ? [] : { path, head, to: from },
  );
  const witnessed = observed.filter(({ from }) => from !== undefined);
  const made = witnessed.map(({ path, now, from }) => ({ path, from: from?.sha ?? null, to: now, proof: "witnessed" }));
  const before = witnessed.map(({ from = null }) => from);
  return [
    ...(unseen.length === 0 ? [] : [externalDraft(unseen, author)]),
    ...(made.length === 0 ? [] : [appliedDraft(made, before, author, note)]),
  ];
}

function externalDraft(
  unseen: readonly { readonly path: Path; readonly head: Head; readonly to: Known | null }[],
  { session }: Author,
): EntryDraft {
  const changes = unseen.map(({ path, head, to }) => entryChange({ path, from: head.sha, to }, null));
  const of = [...new Set(unseen.map(({ head }) => head.seq))];
  return { session, tool: "external", outcome: "external", changes, of };
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

/** A field that is undefined is none in the entry. */
function entryChange({ path, from, to, proof, movedFrom }: Made, before: Known | null): EntryChange {
  const was = { fromSize: before?.size, fromMode: before?.mode };
  const is = { to: to?.sha ?? null, toSize: to?.size, toMode: to?.mode };
  return { path, from, ...was, ...is, proof, movedFrom } as EntryChange;
}

/** A file cannot be a directory in the same change: which of the two came first would decide what is left. */
export function refuseNested(changes: readonly Pick<Change, "path" | "to">[]): void {
  const stays = new Map<string, boolean>(changes.map(({ path, to }) => [path, to !== null]));
  for (const path of stays.keys())
    for (let parent = parentOf(path); parent !== ""; parent = parentOf(parent)) {
      if (!stays.has(parent)) continue;
      const isBoth = stays.get(parent) && stays.get(path);
      const both = `${parent} cannot be a file and, for ${path}, a directory.`;
      const next = isBoth ? "Choose another path for one of them." : "Make two changes.";
      const why = isBoth ? both : `One change cannot touch both ${parent} and ${path} below it.`;
      throw new Refusal("invalid_input", why, { path, next });
    }
}
