// The trash: files that were deleted, or that a move replaced, and that nobody has restored while their bytes are kept.
import type { Backend, Entry, EntryChange, Path, Sha } from "../../backends/backend.ts";
import { Refusal } from "../failure.ts";
import type { CallOptions, Changed, ChangeOptions, Session } from "../session.ts";
import type { Workspace } from "../workspace.ts";
import { openCheckpoints } from "./checkpoints.ts";
import { happened, movedAway } from "./happened.ts";
import { journallingRefusals } from "./refusals.ts";

export interface Trashed {
  /** Names this deletion: the entry's number, and the place in it when the entry deleted several files. */
  readonly id: string;
  readonly path: Path;
  readonly sha: Sha;
  readonly size: number;
  readonly mode?: number;
  readonly deletedAt: string;
  readonly session: string;
  readonly agent?: string;
  readonly tool: string;
}

/** Newest first. What a path rule hides is hidden here too. */
export async function* listTrash(
  workspace: Workspace,
  options: { readonly path?: Path } = {},
): AsyncGenerator<Trashed> {
  const { path } = options;
  for await (const item of wholeTrash(workspace.backend)) {
    if (path !== undefined && item.path !== path) continue;
    if (workspace.policy.allows(item.path, "read")) yield item;
  }
}

/** An id, or else the newest deletion of a path: a file whose name is a number hides no id. */
export async function findTrashed(workspace: Workspace, idOrPath: string): Promise<Trashed> {
  let newest: Trashed | undefined;
  for await (const item of listTrash(workspace)) {
    if (item.id === idOrPath) return item;
    if (item.path === idOrPath) newest ??= item;
    if (newest !== undefined && !looksLikeId(idOrPath)) break;
  }
  if (newest !== undefined) return newest;
  throw new Refusal("not_found", `Nothing in the trash has the id or path ${idOrPath}.`, {
    next: "List the trash to see what can be restored.",
  });
}

/** Brings a deleted file back, to its old path or another. Never over a file that is there. */
export async function restore(
  session: Session,
  idOrPath: string,
  options: ChangeOptions & { readonly to?: string } = {},
): Promise<Changed & { readonly from: Trashed }> {
  const call = { tool: "restore", ...options };
  const { item, version } = await journallingRefusals(session, { path: idOrPath }, call, async () => {
    const found = await findTrashed(session.workspace, idOrPath);
    const bytes = await session.workspace.backend.recall(found.sha);
    if (bytes !== null) return { item: found, version: bytes };
    throw new Refusal("not_kept", `The bytes of ${found.path} are no longer kept.`, { path: found.path });
  });
  const target = {
    path: options.to ?? item.path,
    proof: { by: "absence" },
    action: "restore",
    link: true,
    existed: options.to === undefined,
    createParents: true,
  } as const;
  const back = item.mode === undefined ? version : { ...version, mode: item.mode };
  const changed = await session.change([target], () => [{ version: back }], {
    ...call,
    of: [seqOf(item)],
    details: { restored: [item.id] },
  });
  return { ...changed, from: item };
}

export interface Purged {
  readonly purged: Trashed;
  /** How many were freed. */
  readonly bytes: number;
  /** The bytes are still there, because another file, an older version or an open checkpoint needs them. */
  readonly stillKept: boolean;
}

/** Takes a deleted file out of the trash for good, and its bytes out of the store unless anything else needs them. */
export async function purge(session: Session, idOrPath: string, options: CallOptions = {}): Promise<Purged> {
  const { workspace } = session;
  const call = { tool: "purge", ...options };
  return journallingRefusals(session, { path: idOrPath }, call, async () => {
    const item = await findTrashed(workspace, idOrPath);
    workspace.policy.check(item.path, "purge");
    await workspace.backend.record({
      ...session.author(call),
      outcome: "note",
      changes: [],
      of: [seqOf(item)],
      details: { purged: [item.id], path: item.path },
    });
    if (await neededElsewhere(workspace, item)) return { purged: item, bytes: 0, stillKept: true };
    workspace.recent.drop(item.sha);
    const { bytes } = await workspace.backend.forget([item.sha]);
    return { purged: item, bytes, stillKept: false };
  });
}

export function looksLikeId(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** Newest first, without regard to the policy. */
async function* wholeTrash(backend: Backend): AsyncGenerator<Trashed> {
  const out = new Set<string>();
  for await (const entry of happened(backend, { newestFirst: true, outcomes: ["applied", "note"] })) {
    for (const key of takenOut(entry)) out.add(key);
    for (const item of deletionsOf(entry)) {
      if (!out.has(item.id) && !out.has(`${entry.seq} ${item.path}`)) yield item;
    }
  }
}

function deletionsOf(entry: Entry): Trashed[] {
  if (entry.outcome !== "applied") return [];
  const moved = movedAway(entry);
  const gone = ({ path, to, movedFrom }: EntryChange): boolean =>
    to === null ? !moved.has(path) : movedFrom !== undefined;
  const deleted = entry.changes.filter((change) => change.from !== null && gone(change));
  return deleted.map((change, n) => ({
    id: deleted.length === 1 ? `${entry.seq}` : `${entry.seq}.${n + 1}`,
    path: change.path,
    sha: change.from!,
    size: change.fromSize ?? 0,
    ...(change.fromMode !== undefined && { mode: change.fromMode }),
    deletedAt: entry.at,
    session: entry.session,
    ...(entry.agent !== undefined && { agent: entry.agent }),
    tool: entry.tool,
  }));
}

/**
 * Undo, rollback and other deletions may need the same bytes. What was purged has given up all that its path, under
 * whatever name it had then, did with them before; only a version that was replaced in between still counts.
 */
async function neededElsewhere(workspace: Workspace, { id, sha }: Trashed): Promise<boolean> {
  const { backend } = workspace;
  if ((await openCheckpoints(workspace)).some(({ seq }) => seq < seqOf({ id }))) return true;
  for await (const other of wholeTrash(backend)) if (other.sha === sha) return true;
  const purged = new Set<string>();
  const givenUp = new Set<Path>();
  for await (const entry of happened(backend, { newestFirst: true, outcomes: ["applied", "external", "note"] })) {
    for (const each of idsIn(entry.details?.purged)) purged.add(each);
    const dropped = deletionsOf(entry).filter((item) => item.sha === sha && purged.has(item.id));
    for (const item of dropped) givenUp.add(item.path);
    for (const { path, to, movedFrom } of entry.changes)
      if (movedFrom !== undefined && to === sha && givenUp.has(path)) givenUp.add(movedFrom);
    const needs = ({ path, from, to }: EntryChange): boolean => {
      if (dropped.some((item) => item.path === path)) return to === sha;
      if (!givenUp.has(path)) return from === sha || to === sha;
      return from === sha && to !== null && to !== sha;
    };
    if (entry.changes.some(needs)) return true;
  }
  return false;
}

/** Ids that were restored or purged, and "entry path" of deletions that an undo took back. */
function takenOut({ of = [], changes, details }: Entry): string[] {
  const restored = idsIn(details?.restored);
  if (restored.length > 0) return restored;
  const undone = changes.filter(({ to }) => to !== null).flatMap(({ path }) => of.map((seq) => `${seq} ${path}`));
  return [...idsIn(details?.purged), ...undone];
}

function seqOf({ id }: Pick<Trashed, "id">): number {
  return Number.parseInt(id, 10);
}

function idsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
}
