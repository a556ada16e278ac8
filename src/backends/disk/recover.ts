// Brings the tree up to the log: after a crash every commit that is in the log is finished, as far as the policy allows it.
import { type EntryChange, LINK_MODE, type MayChange, type Path, type Sha, type Version } from "../../core/backend.ts";
import { ifRefused, Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { shown } from "../../core/printable.ts";
import { bytesOf } from "../../core/version.ts";
import { listed } from "../../words/plural.ts";
import { RECOVERY } from "../journal/draft.ts";
import { type Disk, flush } from "./commit.ts";
import { lookAt, type Old, oldAt, recordOthers } from "./current-file.ts";
import { errnoOf, refusalOf } from "./errno.ts";
import { type History, keepBlobs } from "./history.ts";
import { closeQuietly, removeQuietly } from "./io.ts";
import type { Log } from "./log/log.ts";
import { readEntries } from "./log/query.ts";
import { placeOf, release } from "./paths/reach.ts";
import { discard, displaced, flushStaged, lostRace, makeStep, putBack, putInPlace, stage, versionAt } from "./place.ts";

/**
 * Under the lock. Cheap when nothing is left over. In words, what was not finished. `toRead`: for a call that reads;
 * what the policy denies is left as it is, for the next change to tell.
 */
export async function recover(disk: Disk, mayChange: MayChange, toRead = false): Promise<readonly string[]> {
  const { log, mark } = disk.history;
  const reached = mark.read();
  mark.resume();
  if (reached === null) {
    // Of a history that was linked or imported: from here on, what is left is finished.
    mark.place(log.tail.seq);
    return [];
  }
  const { placed, safe, isSameBoot } = reached;
  const since = isSameBoot ? placed : safe;
  if (since >= log.tail.seq) return [];
  // Until all of it is finished, nothing more counts as placed.
  mark.hold();
  const left = pathsSince(log, since);
  const denied = [...left.keys()].filter((path) => !mayChange(path));
  if (toRead && denied.length > 0) return [];
  // Before any file changes: what the dead process appended may not be on the disk yet.
  await flush(disk);
  await keepLeftOvers(disk);
  const unfinished = new Map<Path, string>();
  for (const [path, wanted] of left) {
    const why = await bring(disk, path, wanted, isSameBoot, mayChange);
    if (why !== null) unfinished.set(path, why);
  }
  const told = await writeDown(disk, left, unfinished);
  await flush(disk);
  mark.resume();
  return told;
}

interface Wanted {
  /** The entry that has the last word. */
  readonly seq: number;
  readonly sha: Sha | null;
  readonly mode: number | undefined;
  /** Versions that the path had in this time. */
  readonly known: ReadonlySet<Sha | null>;
}

/** What each path that was changed since should have by now. An entry that was aborted since has no say. */
function pathsSince(log: Log, since: number): ReadonlyMap<Path, Wanted> {
  const changes = new Map<Path, (EntryChange & { readonly seq: number })[]>();
  for (const { seq, outcome, changes: made } of readEntries(log.reach(), { sinceSeq: since + 1 })) {
    if (outcome !== "applied" && outcome !== "external") continue;
    for (const change of made) changes.set(change.path, [...(changes.get(change.path) ?? []), { ...change, seq }]);
  }
  return new Map(
    [...changes].map(([path, list]) => {
      const head = log.head(path) ?? { seq: list[0]!.seq, sha: list[0]!.from };
      const last = list.find(({ seq, to }) => seq === head.seq && to === head.sha);
      const known = new Set(list.flatMap(({ from, to }) => [from, to]));
      return [path, { ...head, mode: last === undefined ? list[0]!.fromMode : last.toMode, known }];
    }),
  );
}

/**
 * Under the lock. What lies in temporary files of a process that died may be bytes of another program: they are kept,
 * then the files go. The process may have been of another history: of another user, or in another container.
 */
export async function keepLeftOvers(disk: Disk): Promise<void> {
  const { tree, history, durability } = disk;
  const names = tree.leftOver();
  if (names.length === 0) return;
  for (const name of names) {
    const version = await versionAt(tree.dir.at(name), JOURNAL_LIMITS.keptBytes);
    if (version !== null && !history.blobs.has(version.sha))
      history.log.keep(await keepBlobs(history, [version], durability));
  }
  await flush(disk);
  for (const name of names) removeQuietly(tree.dir.at(name));
}

/** Null when the path has what it should have, or another program changed it since; else why it could not be brought there. */
async function bring(
  disk: Disk,
  path: Path,
  wanted: Wanted,
  isSameBoot: boolean,
  mayChange: MayChange,
): Promise<string | null> {
  let old: Old | null = null;
  try {
    old = await oldAt(disk.root, path);
    const now = old?.sha ?? null;
    if (now === wanted.sha) return null;
    const version = await keptVersion(disk.history, wanted.sha);
    if (!wanted.known.has(now) && (isSameBoot || !(await isTornOfAny(disk, old, wanted)))) return MEANWHILE;
    if (!mayChange(path)) return `the policy does not allow a change of ${shown(path)}`;
    if (wanted.sha !== null && version === null) return "its bytes are not kept";
    if (wanted.mode === LINK_MODE && old?.mode !== LINK_MODE && now !== null)
      return `${shown(path)} would become a symbolic link`;
    await put(disk, path, old, version && { ...version, ...(wanted.mode !== undefined && { mode: wanted.mode }) });
    return null;
  } catch (error) {
    const refusal = refusalOf(error, path, "recover");
    if (MAY_PASS.has(refusal.kind)) throw error;
    return refusal.kind === "permission_denied" ? "permission denied" : MEANWHILE;
  } finally {
    if (old?.fd !== undefined) closeQuietly(old.fd);
  }
}

const keptVersion = async ({ blobs }: History, sha: Sha | null): Promise<Version | null> =>
  sha === null ? null : blobs.get(sha, JOURNAL_LIMITS.keptBytes).catch(ifRefused(null));

const MEANWHILE = "what was there was changed, moved or removed after the crash";

/** Says nothing about the path: once the disk is mended, has room or is less busy, the change can be finished. */
const MAY_PASS: ReadonlySet<string> = new Set(["io_error", "disk_full", "busy"]);

/** After a power failure: gone, empty, or what is left of a version that the path had in this time, not only of the last one. */
async function isTornOfAny({ history }: Disk, old: Old | null, { known }: Wanted): Promise<boolean> {
  if (old === null || old.size === 0) return true;
  const there = bytesOf(await old.read());
  for (const sha of known) {
    const version = await keptVersion(history, sha);
    if (version !== null && isTorn(there, bytesOf(version))) return true;
  }
  return false;
}

/** Each of its blocks is one of ours, or never reached the disk. */
function isTorn(there: Uint8Array, ours: Uint8Array): boolean {
  if (there.length > ours.length) return false;
  for (let at = 0; at < there.length; at += DISK_BLOCK) {
    const block = there.subarray(at, at + DISK_BLOCK);
    if (Buffer.compare(block, ours.subarray(at, at + block.length)) !== 0 && block.some((byte) => byte !== 0))
      return false;
  }
  return true;
}

const DISK_BLOCK = 4096;

async function put(disk: Disk, path: Path, old: Old | null, to: Version | null): Promise<void> {
  const { history, durability, root } = disk;
  const place = placeOf(root, path, { createParents: old === null });
  try {
    const change = { path, from: old?.sha ?? null, to, proof: "" };
    const step = makeStep(disk, change, place, old, history.log.tail.seq);
    await stage(disk, step, old);
    flushStaged(disk, step);
    putInPlace(disk, step);
    const intruder = await displaced(step);
    if (intruder !== null) {
      // Another program was faster: what it wrote comes back, and what it wrote into ours meanwhile is kept.
      const written = await putBack(disk, step, intruder);
      const found = written === null ? [intruder] : [intruder, written];
      history.log.keep(await keepBlobs(history, found, durability));
      throw lostRace(path);
    }
    discard(step);
  } finally {
    release(root, place);
  }
}

/** Why entries were not finished, and what is there instead, as another's. */
async function writeDown(
  disk: Disk,
  left: ReadonlyMap<Path, Wanted>,
  unfinished: ReadonlyMap<Path, string>,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const seq of new Set([...unfinished.keys()].map((path) => left.get(path)!.seq))) {
    const paths = [...unfinished.keys()].filter((path) => left.get(path)!.seq === seq);
    const why = unfinished.get(paths[0]!)!;
    const isWhole = [...left].every(([path, wanted]) => wanted.seq !== seq || unfinished.has(path));
    const how = isWhole ? "not finished" : "finished, but not";
    const message = `Entry ${seq} was cut short by a crash and ${how} for ${listed(paths.map(shown))}: ${why}. The new content is kept.`;
    const details = { unfinished: paths };
    disk.history.log.record({ ...RECOVERY, outcome: "note", changes: [], message, of: [seq], details });
    told.push(message);
    const asked = paths.map((path) => ({ path }));
    await recordOthers(disk, lookAt(disk.root, asked), RECOVERY);
  }
  return told;
}

/**
 * Looks before the first read, and then again when the last look is a moment old: another process may die while this one
 * is open. `finish` does not wait for the lock: its holder is alive, and a commit under way is not in the way of reading.
 */
export function recoverBeforeRead(history: () => History | null, finish: () => Promise<unknown>): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    try {
      const found = history();
      if (found === null) return;
      const reached = found.mark.read();
      found.log.follow();
      if (reached !== null && (!reached.isSameBoot || reached.placed < found.log.tail.seq)) await finish();
    } catch (error) {
      // What cannot be finished now is left to the next change, which says why.
      if (!(error instanceof Refusal) && errnoOf(error) === undefined) throw error;
    }
  }

  return async () => {
    if (looking === null && performance.now() - lookedAt >= RECENT_MS)
      looking = look().finally(() => {
        lookedAt = performance.now();
        looking = null;
      });
    await looking;
  };
}

/** A read that is so far behind shows what was there a moment ago. */
const RECENT_MS = 20;
