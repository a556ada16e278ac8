// The trash: files that were deleted, or that a move replaced, and that were not restored, as long as their bytes are kept.
import type { Backend, Entry, EntryChange, Forgotten, Path, Sha } from "../../core/backend.ts";
import { Refusal, reworded } from "../../core/failure.ts";
import { only, TEXTS, validate } from "../../core/options.ts";
import { linkWarnings } from "../change/plan.ts";
import { CALL_OPTIONS, CHANGE_OPTIONS, RESTORE_OPTIONS, TRASH_FILTER } from "../options.ts";
import type { CallOptions, Changed, ChangeOptions, Session } from "../session.ts";
import type { Workspace } from "../workspace.ts";
import { openCheckpoints } from "./checkpoints.ts";
import { deletionsOf, purgedIn, seqOf, type Trashed, wholeTrash } from "./deletions.ts";
import { happened, journallingRefusals, newestEntry, type Pulse, pulseOf, refuseCancelled } from "./journal.ts";

export type { Trashed };

/** How the caller hears of a long walk, and may end it. */
type LongCall = Pick<CallOptions, "progress" | "signal" | "deadline">;

/** Which deleted files are listed, and how the caller hears of it. */
export interface TrashFilter extends LongCall {
  /** Only those that had this path. */
  readonly path?: Path;
}

/** Newest first. What a path rule hides is hidden here too. */
export async function* listTrash(workspace: Workspace, options: TrashFilter = {}): AsyncGenerator<Trashed> {
  validate(options, TRASH_FILTER);
  const { path } = options;
  for await (const item of wholeTrash(workspace.backend, lookingAtEntries(pulseOf(options)))) {
    if (path !== undefined && item.path !== path) continue;
    if (workspace.policy.allows(item.path, "read")) yield item;
  }
}

/** An id, or else the newest deletion of a path: a file whose name is a number hides no id. */
export async function findTrashed(workspace: Workspace, idOrPath: string, call: LongCall = {}): Promise<Trashed> {
  validate(call, CALL_OPTIONS);
  let newest: Trashed | undefined;
  for await (const item of listTrash(workspace, call)) {
    if (item.id === idOrPath) return item;
    if (item.path === idOrPath) newest ??= item;
    if (newest !== undefined && !looksLikeId(idOrPath)) break;
  }
  if (newest !== undefined) return newest;
  throw new Refusal("not_found", `Nothing in the trash has the id or path ${idOrPath}.`, {
    next: "List the trash to see what can be restored.",
  });
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
  const call = only({ tool: "restore", ...options }, CHANGE_OPTIONS);
  const { item, version } = await journallingRefusals(
    session,
    { path: idOrPath, action: "restore" },
    call,
    async () => {
      const found = await findTrashed(session.workspace, idOrPath, only(call, CALL_OPTIONS));
      const bytes = await session.workspace.backend.recall(found.sha);
      if (bytes?.sha === found.sha) return { item: found, version: bytes };
      throw new Refusal("not_kept", `The bytes of ${found.path} are no longer kept.`, {
        path: found.path,
        next: "Go on without it: it cannot be brought back.",
      });
    },
  );
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
    details: { ...call.details, restored: [item.id] },
  });
  const links = linkWarnings(back, item.path, changed.files[0]?.path ?? item.path);
  return { ...changed, warnings: [...changed.warnings, ...links], from: item };
}

/** A deleted file that is gone for good. */
export interface Purged {
  /** What it was. */
  readonly purged: Trashed;
  /** How many were freed. */
  readonly bytes: number;
  /** The bytes are still there, because another file, an older version or an open checkpoint needs them. */
  readonly stillKept: boolean;
}

/** Takes a deleted file out of the trash for good, and its bytes out of the store unless anything else needs them. */
export async function purge(session: Session, idOrPath: string, options: CallOptions = {}): Promise<Purged> {
  validate(options, CALL_OPTIONS);
  const call = { tool: "purge", ...options };
  return journallingRefusals(session, { path: idOrPath, action: "purge" }, call, async () => {
    const item = await findTrashed(session.workspace, idOrPath, call);
    const { bytes, stillKept } = await dropAll(session, [item], call, pulseOf(call));
    return { purged: item, bytes, stillKept: stillKept.length > 0 };
  });
}

/** Deleted files that are gone for good. */
export interface PurgedAll {
  /** What they were. */
  readonly purged: readonly Trashed[];
  /** How many were freed. */
  readonly bytes: number;
  /** Those whose bytes are still there. */
  readonly stillKept: readonly Trashed[];
}

/** The same for many, by their ids: all or none leave the trash, as one entry of the journal. */
export async function purgeAll(
  session: Session,
  ids: readonly string[],
  options: CallOptions = {},
): Promise<PurgedAll> {
  validate(options, CALL_OPTIONS);
  if (!TEXTS.safeParse(ids).success)
    throw new Refusal("invalid_input", "What is purged is a list of ids, which are texts.");
  const call = { tool: "purge", ...options };
  if (ids.length === 0) return { purged: [], bytes: 0, stillKept: [] };
  return journallingRefusals(session, { action: "purge" }, call, async () => {
    const pulse = pulseOf(call);
    return dropAll(session, await findAll(session.workspace, ids, pulse), call, pulse);
  });
}

export function looksLikeId(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

async function findAll(workspace: Workspace, ids: readonly string[], pulse: Pulse): Promise<Trashed[]> {
  const asked = new Set(ids);
  const found: Trashed[] = [];
  for await (const item of wholeTrash(workspace.backend, lookingAtEntries(pulse)))
    if (asked.has(item.id) && workspace.policy.allows(item.path, "read")) found.push(item);
  if (found.length === asked.size) return found;
  const known = new Set(found.map(({ id }) => id));
  const missingIds = [...asked].filter((id) => !known.has(id));
  throw new Refusal("not_found", `Nothing in the trash has the id ${missingIds.slice(0, 5).join(", ")}.`, {
    next: "List the trash to see what is in it.",
    details: { missingIds },
  });
}

/**
 * All that takes long, and can be stopped, comes before the note; the bytes go right after it. Who is killed between the
 * two leaves bytes for the next collection of garbage, never an item without its bytes.
 */
async function dropAll(
  session: Session,
  items: readonly Trashed[],
  call: CallOptions,
  pulse: Pulse,
): Promise<PurgedAll> {
  const { workspace } = session;
  const { backend } = workspace;
  const [only, ...others] = items;
  for (const { path } of items) workspace.policy.check(path, "purge");
  const keptAt = await keptTimes(backend, new Set(items.map(({ sha }) => sha)), pulse);
  const newest = (await newestEntry(backend)) ?? null;
  const needed = await stillNeeded(workspace, items, lookingAtEntries(pulse));
  refuseCancelled(call.signal);
  call.deadline?.settle();
  await backend.record({
    ...session.author(call),
    outcome: "note",
    changes: [],
    ...(others.length > 0 && { message: `Purged ${items.length} deleted files.` }),
    of: [...new Set(items.map(seqOf))],
    details: { purged: items.map(({ id }) => id), ...(others.length === 0 && { path: only?.path }) },
  });
  const doomed = [...new Set(items.map(({ sha }) => sha))].filter((sha) => !needed.has(sha));
  for (const sha of doomed) workspace.recent.drop(sha);
  const dropped = (): Promise<Forgotten> => backend.forget(doomed, { newest, keptAt });
  const { bytes, stayed = [] } = doomed.length === 0 ? NOTHING : await freed(dropped, items.length);
  for (const sha of stayed) needed.add(sha);
  return { purged: items, bytes, stillKept: items.filter(({ sha }) => needed.has(sha)) };
}

async function keptTimes(backend: Backend, shas: ReadonlySet<Sha>, pulse: Pulse): Promise<ReadonlyMap<Sha, number>> {
  const times = new Map<Sha, number>();
  let found = 0;
  for await (const { sha, keptAt } of backend.kept()) {
    if (shas.has(sha)) times.set(sha, keptAt);
    found++;
    await pulse(() => `found ${found} kept versions`);
  }
  return times;
}

const NOTHING: Forgotten = { dropped: 0, bytes: 0 };

/** Says what is out of the trash by now also when the rest fails. */
async function freed(dropped: () => Promise<Forgotten>, count: number): Promise<Forgotten> {
  try {
    return await dropped();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw reworded(error, {
      message: `${count} deleted file(s) left the trash, but not all of their bytes the disk: ${error.failure.message}`,
      next: "Collect garbage when this is mended; nothing refers to these bytes any more.",
    });
  }
}

function lookingAtEntries(pulse: Pulse): () => Promise<void> {
  let entries = 0;
  return () => {
    entries++;
    return pulse(() => `looked at ${entries} entries of the journal`);
  };
}

/**
 * Undo, rollback and other deletions may need the same bytes. What was purged has given up all that its path, under
 * whatever name it had then, did with them before; only a version that was replaced in between still counts.
 */
async function stillNeeded(
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
