// The trash: files that were deleted, or replaced by a move, and neither restored nor purged.
import { only, validate } from "../../api/options.ts";
import type { Entry, EntryChange, Path, Sha } from "../../core/backend.ts";
import { refuse } from "../../words/index.ts";
import { linkWarnings } from "../change/plan.ts";
import { CALL_OPTIONS, CHANGE_OPTIONS, RESTORE_OPTIONS, TRASH_FILTER } from "../options.ts";
import { type LongCall, pulseOf } from "../progress.ts";
import type { Changed, ChangeOptions, Session } from "../session.ts";
import type { Workspace } from "../workspace.ts";
import { movedAway } from "./entry.ts";
import { happened, journallingRefusals } from "./journal.ts";

/** A deleted file whose bytes are kept. */
export interface Trashed extends Pick<Entry, "session" | "agent" | "tool"> {
  /** Names this deletion: the entry's number, and the place in it when the entry deleted several files. */
  readonly id: string;
  /** Where it was. */
  readonly path: Path;
  /** The version that was deleted. */
  readonly sha: Sha;
  /** Bytes. */
  readonly size: number;
  /** Permission bits, or `LINK_MODE`; it comes back with them. */
  readonly mode?: number;
  /** ISO 8601, UTC. */
  readonly deletedAt: string;
}

/** Which deleted files are listed. */
export interface TrashFilter extends LongCall {
  /** Only those that had this path. */
  readonly path?: Path;
  /** Also those that a path rule hides. */
  readonly owner?: boolean;
}

/** Deleted files, the newest first. Leaves out what a path rule hides, but not for the owner. */
export async function* listTrash(workspace: Workspace, options: TrashFilter = {}): AsyncGenerator<Trashed> {
  validate(options, TRASH_FILTER);
  const { path, owner } = options;
  const pulse = pulseOf(options);
  const trashedBy = trashTeller();
  const isShown = (item: Trashed) => owner || workspace.policy.allows(item.path, "read");
  const filter = { newestFirst: true, outcomes: ["applied", "note"], only: "trash" } as const;
  for await (const entry of happened(workspace.backend, filter)) {
    await pulse(() => `looked at the journal down to entry ${entry.seq}`);
    for (const item of trashedBy(entry)) if ((path === undefined || item.path === path) && isShown(item)) yield item;
  }
}

/** Finds a deletion by its id, or else the newest one of a path. A file whose name is a number hides no id. */
export async function findTrashed(workspace: Workspace, idOrPath: string, options: TrashFilter = {}): Promise<Trashed> {
  let newest: Trashed | undefined;
  for await (const item of listTrash(workspace, options)) {
    if (item.id === idOrPath) return item;
    if (item.path === idOrPath) newest ??= item;
    if (newest !== undefined && !looksLikeId(idOrPath)) break;
  }
  if (newest !== undefined) return newest;
  throw refuse("not_in_trash", { idOrPath });
}

export function looksLikeId(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** How a deleted file is brought back. */
export interface RestoreOptions extends ChangeOptions {
  /** Where it shall be; its old path unless given. */
  readonly to?: string;
}

/** Brings a deleted file back, to its old path or another. Never over a file that is there. */
export async function restore(
  session: Session,
  idOrPath: string,
  options: RestoreOptions = {},
): Promise<Changed & { readonly from: Trashed }> {
  validate(options, RESTORE_OPTIONS);
  const { to } = options;
  const call = only({ tool: "restore", ...options }, CHANGE_OPTIONS);
  const asked = { path: idOrPath, action: "restore" } as const;
  const { item, version } = await journallingRefusals(session, asked, call, async () => {
    const item = await findTrashed(session.workspace, idOrPath, { ...only(call, CALL_OPTIONS), owner: session.owner });
    const version = await session.workspace.backend.recall(item.sha);
    if (version?.sha !== item.sha) throw refuse("trashed_bytes_gone", { path: item.path });
    return { item, version: item.mode === undefined ? version : { ...version, mode: item.mode } };
  });
  const target = {
    path: to ?? item.path,
    proof: { by: "absence" },
    action: "restore",
    link: true,
    existed: to === undefined,
    createParents: true,
  } as const;
  const changed = await session.change([target], () => [{ version }], {
    ...call,
    of: [seqOf(item)],
    details: { ...call.details, restored: [item.id] },
  });
  const links = linkWarnings(version, item.path, changed.files[0]?.path ?? item.path);
  return { ...changed, warnings: [...changed.warnings, ...links], from: item };
}

/** The result is called with every entry that happened, the newest first, and returns its deletions still in the trash. */
export function trashTeller(): (entry: Entry) => Trashed[] {
  const out = new Set<string>();
  /** For each path that undos brought back, the entries that they undid. Other deletions of these stay in the trash. */
  const undone = new Map<Path, ReadonlySet<number>[]>();
  return (entry) => {
    const { outcome, seq, of = [], changes } = entry;
    if (outcome !== "applied" && outcome !== "note") return [];
    const restored = idsIn(entry, "restored");
    for (const id of [...restored, ...idsIn(entry, "purged")]) out.add(id);
    if (of.length > 0 && restored.length === 0) {
      const seqs = new Set(of);
      for (const { path, to } of changes) if (to !== null) undone.set(path, [...(undone.get(path) ?? []), seqs]);
    }
    return deletionsOf(entry).filter(
      ({ id, path }) => !out.has(id) && !undone.get(path)?.some((seqs) => seqs.has(seq)),
    );
  };
}

export function deletionsOf(entry: Entry): Trashed[] {
  const { outcome, seq, at: deletedAt, session, agent, tool, changes } = entry;
  if (outcome !== "applied") return [];
  const moved = movedAway(entry);
  const isGone = ({ path, from, to, movedFrom }: EntryChange): boolean =>
    from !== null && (to === null || movedFrom !== undefined) && !moved.has(path);
  const gone = changes.filter(isGone);
  return gone.map(({ path, from, fromSize: size = 0, fromMode: mode }, n) => {
    const id = gone.length === 1 ? `${seq}` : `${seq}.${n + 1}`;
    return { id, path, sha: from!, size, mode, deletedAt, session, agent, tool };
  });
}

/** The entry that deleted it. */
export function seqOf({ id }: Pick<Trashed, "id">): number {
  return Number.parseInt(id, 10);
}

/** Ids of the deletions that an entry restored or purged. */
export function idsIn({ details }: Pick<Entry, "details">, what: "restored" | "purged"): string[] {
  const ids: unknown = details?.[what];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

/**
 * The result is called with every entry, also notes, the newest first. It returns the paths where the entry left a
 * file that was purged later or has one of these ids, and those where it deleted or replaced one. A purged file is
 * followed back through all its names to its creation; an earlier file of that name is another one.
 */
export function followPurged(given: Iterable<string> = []): (entry: Entry) => Record<"left" | "deleted", Set<Path>> {
  const ids = new Set(given);
  const names = new Set<Path>();
  return (entry) => {
    const { changes, of = [] } = entry;
    for (const id of idsIn(entry, "purged")) ids.add(id);
    const deleted = new Set(deletionsOf(entry).flatMap(({ id, path }) => (ids.has(id) ? [path] : [])));
    const touched = changes.filter(({ path }) => names.has(path));
    const sources = touched.flatMap(({ movedFrom }) => movedFrom ?? []);
    const restored = touched.length === 0 ? [] : idsIn(entry, "restored");
    for (const id of restored) ids.add(id);
    for (const { path, from, movedFrom } of touched)
      if (movedFrom !== undefined || (from === null && (of.length === 0 || restored.length > 0))) names.delete(path);
    for (const path of [...sources, ...deleted]) names.add(path);
    return { left: new Set([...touched.map(({ path }) => path), ...sources]), deleted };
  };
}
