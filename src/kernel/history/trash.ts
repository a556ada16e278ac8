// The trash: files that were deleted, or that a move replaced, and that nobody has restored while their bytes are kept.
import type { Entry, EntryChange, Path, Sha } from "../../backends/backend.ts";
import { Refusal } from "../failure.ts";
import type { Changed, ChangeOptions, Session } from "../session.ts";
import type { Workspace } from "../workspace.ts";

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
  const restored = new Set<string>();
  const { path } = options;
  for await (const entry of workspace.backend.log({ newestFirst: true, outcomes: ["applied", "note"] })) {
    for (const key of broughtBack(entry)) restored.add(key);
    for (const item of deletionsOf(entry)) {
      if (
        restored.has(item.id) ||
        restored.has(`${entry.seq} ${item.path}`) ||
        (path !== undefined && item.path !== path)
      )
        continue;
      if (workspace.policy.allows(item.path, "read")) yield item;
    }
  }
}

export async function findTrashed(workspace: Workspace, idOrPath: string): Promise<Trashed> {
  for await (const item of listTrash(workspace)) if (item.id === idOrPath || item.path === idOrPath) return item;
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
  const item = await findTrashed(session.workspace, idOrPath);
  const version = await session.workspace.backend.recall(item.sha);
  if (version === null)
    throw new Refusal("not_kept", `The bytes of ${item.path} are no longer kept.`, { path: item.path });
  const target = {
    path: options.to ?? item.path,
    proof: { by: "absence" },
    action: "restore",
    link: true,
    createParents: true,
  } as const;
  const back = item.mode === undefined ? version : { ...version, mode: item.mode };
  const changed = await session.change([target], () => [{ version: back }], {
    tool: "restore",
    ...options,
    of: [Number.parseInt(item.id, 10)],
    details: { restored: [item.id] },
  });
  return { ...changed, from: item };
}

/** Drops the bytes of a deleted file for good, unless another file or entry in the trash has the same ones. */
export async function purge(
  session: Session,
  idOrPath: string,
): Promise<{ readonly purged: Trashed; readonly bytes: number }> {
  const { workspace } = session;
  const item = await findTrashed(workspace, idOrPath);
  workspace.policy.check(item.path, "purge");
  await workspace.backend.record({
    ...session.author({ tool: "purge" }),
    outcome: "note",
    changes: [],
    of: [Number.parseInt(item.id, 10)],
    details: { purged: [item.id], path: item.path },
  });
  const needed = await neededElsewhere(workspace, item);
  const { bytes } = needed ? { bytes: 0 } : await workspace.backend.forget([item.sha]);
  return { purged: item, bytes };
}

function deletionsOf(entry: Entry): Trashed[] {
  if (entry.outcome !== "applied") return [];
  const movedAway = new Set(entry.changes.map((change) => change.movedFrom));
  const gone = ({ path, to, movedFrom }: EntryChange): boolean =>
    to === null ? !movedAway.has(path) : movedFrom !== undefined;
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

async function neededElsewhere(workspace: Workspace, item: Trashed): Promise<boolean> {
  for await (const other of listTrash(workspace)) if (other.sha === item.sha) return true;
  for await (const entry of workspace.backend.log({ newestFirst: true, outcomes: ["applied"] })) {
    for (const { path, to } of entry.changes) {
      if (to === item.sha && (await workspace.backend.head(path))?.sha === item.sha) return true;
    }
  }
  return false;
}

/** Ids that were restored or purged, and "entry path" of deletions that an undo took back. */
function broughtBack({ of = [], changes, details }: Entry): string[] {
  const undone = changes
    .filter(({ from, to }) => from === null && to !== null)
    .flatMap(({ path }) => of.map((seq) => `${seq} ${path}`));
  return [...idsIn(details?.restored), ...idsIn(details?.purged), ...undone];
}

function idsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
}
