// Takes deleted files out of the trash for good, and their bytes out of the store unless anything else needs them.
import { TEXTS, validate } from "../../api/options.ts";
import type { Forgotten, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import { CALL_OPTIONS } from "../options.ts";
import { endOf, type Pulse, pulseOf } from "../progress.ts";
import type { CallOptions, Session } from "../session.ts";
import type { Workspace } from "../workspace.ts";
import { openCheckpoints } from "./checkpoints.ts";
import { happened, journallingRefusals, newestEntry } from "./journal.ts";
import { keptVersions, timesOf } from "./retention.ts";
import { findTrashed, followPurged, listTrash, seqOf, type Trashed } from "./trash.ts";

/** A deleted file that is gone for good. */
export interface Purged {
  /** The deleted file, as the trash listed it. */
  readonly purged: Trashed;
  /** Bytes that were freed. */
  readonly bytes: number;
  /** The bytes are still there, because another file, an older version or an open checkpoint needs them. */
  readonly stillKept: boolean;
}

/** Takes a deleted file out of the trash for good, and its bytes out of the store unless anything else needs them. */
export async function purge(session: Session, idOrPath: string, options: CallOptions = {}): Promise<Purged> {
  validate(options, CALL_OPTIONS);
  const call = { tool: "purge", ...options, owner: session.owner };
  return journallingRefusals(session, { path: idOrPath, action: "purge" }, call, async () => {
    const item = await findTrashed(session.workspace, idOrPath, call);
    const { bytes, stillKept } = await dropAll(session, [item], call);
    return { purged: item, bytes, stillKept: stillKept.length > 0 };
  });
}

/** Deleted files that are gone for good. */
export interface PurgedAll {
  /** The deleted files, as the trash listed them. */
  readonly purged: readonly Trashed[];
  /** Bytes that were freed. */
  readonly bytes: number;
  /** Those whose bytes are still there. */
  readonly stillKept: readonly Trashed[];
}

/** Purges many by their ids. All or none leave the trash, as one entry of the journal. */
export async function purgeAll(
  session: Session,
  ids: readonly string[],
  options: CallOptions = {},
): Promise<PurgedAll> {
  validate(options, CALL_OPTIONS);
  if (!TEXTS.safeParse(ids).success) throw refuse("invalid_argument", { argument: "ids" });
  const call = { tool: "purge", ...options, owner: session.owner };
  if (ids.length === 0) return { purged: [], bytes: 0, stillKept: [] };
  return journallingRefusals(session, { action: "purge" }, call, async () => {
    const missing = new Set(ids);
    const found: Trashed[] = [];
    for await (const item of listTrash(session.workspace, call)) if (missing.delete(item.id)) found.push(item);
    if (missing.size > 0) throw refuse("ids_not_in_trash", { missingIds: [...missing] });
    return dropAll(session, found, call);
  });
}

/**
 * All that takes long, and can be stopped, comes before the note; the bytes go right after it. Who is killed between the
 * two leaves bytes for the next collection of garbage, never an item without its bytes.
 */
async function dropAll(session: Session, items: readonly Trashed[], call: CallOptions): Promise<PurgedAll> {
  const { workspace } = session;
  const { backend } = workspace;
  for (const { path } of items) workspace.policy.check(path, "purge");
  const shas = new Set(items.map(({ sha }) => sha));
  const pulse = pulseOf(call);
  const kept = await keptVersions(backend, pulse);
  const newest = (await newestEntry(backend)) ?? null;
  const needed = await stillNeeded(workspace, items, pulse);
  endOf(call).settle();
  const purged = items.map(({ id }) => id);
  const isOne = items.length === 1;
  await backend.record({
    ...session.author(call),
    outcome: "note",
    changes: [],
    ...(!isOne && { message: `Purged ${items.length} deleted files.` }),
    of: [...new Set(items.map(seqOf))],
    details: { purged, ...(isOne && { path: items[0]!.path }) },
  });
  const doomed = [...shas].filter((sha) => !needed.has(sha));
  for (const sha of doomed) workspace.recent.drop(sha);
  const stay = (error: unknown): never => {
    if (!(error instanceof Refusal)) throw error;
    throw refuse("purged_bytes_stay", { count: items.length, error: error.failure.message }, error);
  };
  const forgotten =
    doomed.length === 0 ? NOTHING : await backend.forget(doomed, { newest, keptAt: timesOf(kept) }).catch(stay);
  const { bytes, stayed = [] } = forgotten;
  for (const sha of stayed) needed.add(sha);
  return { purged: items, bytes, stillKept: items.filter(({ sha }) => needed.has(sha)) };
}

const NOTHING: Forgotten = { dropped: 0, bytes: 0 };

/**
 * Versions of these files that undo, rollback or other deletions may need. What was purged has given up all that it had
 * before, under whatever name; only a version that was replaced in between still counts.
 */
async function stillNeeded(workspace: Workspace, items: readonly Trashed[], pulse: Pulse): Promise<Set<Sha>> {
  const shas = new Set(items.map(({ sha }) => sha));
  const checkpoint = Math.min(...(await openCheckpoints(workspace)).map(({ seq }) => seq));
  const needed = new Set<Sha>();
  const purged = followPurged(items.map(({ id }) => id));
  const wanted = { newestFirst: true, outcomes: ["applied", "external", "note"] } as const;
  for await (const entry of happened(workspace.backend, wanted)) {
    await pulse(() => `looked at the journal down to entry ${entry.seq}`);
    const { left, deleted } = purged(entry);
    for (const { path, from, to } of entry.changes) {
      const isReplaced = !deleted.has(path) && !(left.has(path) && (to === null || to === from));
      if (from !== null && shas.has(from) && (isReplaced || entry.seq > checkpoint)) needed.add(from);
      if (to !== null && shas.has(to) && (!left.has(path) || entry.seq > checkpoint)) needed.add(to);
    }
  }
  return needed;
}
