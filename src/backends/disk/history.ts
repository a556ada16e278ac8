// The history of one root, open: its log, its kept versions, and how far the tree follows them.
import { join } from "node:path";
import type { Entry, Forgotten, HistoryWeight, LookedAt, Sha, Version } from "../../core/backend.ts";
import { toForget, usedSince } from "../journal/to-forget.ts";
import type { Durability } from "./flushes.ts";
import { bytesOnDisk, LOG, MARK } from "./home.ts";
import { Lock } from "./lock.ts";
import { Blobs, INLINE_BYTES } from "./log/blobs.ts";
import { Log } from "./log/log.ts";
import { streamEntries } from "./log/query.ts";
import { type Mark, openMark } from "./mark.ts";
import { type Objects, openObjects } from "./objects.ts";

export interface History {
  readonly directory: string;
  readonly log: Log;
  readonly blobs: Blobs;
  readonly objects: Objects;
  readonly mark: Mark;
  /** Of the log alone: the lock in the tree can be removed with the tree. */
  readonly lock: Lock;
  close(): void;
}

export function openHistory(directory: string, { segmentBytes }: { readonly segmentBytes: number }): History {
  const mark = openMark(join(directory, MARK));
  const log = new Log(join(directory, LOG), { segmentBytes, settledSeq: () => settledIn(mark) });
  const objects = openObjects(join(directory, "objects"));
  const lock = new Lock(directory);
  return {
    directory,
    log,
    objects,
    mark,
    lock,
    blobs: new Blobs(log, objects),
    close() {
      log.close();
      mark.close();
      lock.close();
    },
  };
}

/** Up to this entry the log was whole before. */
export function settledIn(mark: Mark): number {
  const reached = mark.read();
  if (reached === null) return 0;
  return reached.isSameBoot ? reached.placed : reached.safe;
}

/** Those that belong into the record that brings them. Large ones are files of their own from now on; many go ahead of it. */
export async function keepBlobs(
  { blobs, log, objects }: History,
  versions: Iterable<Version> | AsyncIterable<Version>,
  durability: Durability,
): Promise<readonly Version[]> {
  const inline = new Map<Sha, Version>();
  let bytes = 0;
  for await (const version of versions) {
    if (version.size > INLINE_BYTES || isFull(log)) await objects.put(version, durability === "full");
    else if (!blobs.isRecent(version.sha)) {
      inline.set(version.sha, version);
      bytes += version.size;
    }
    if (bytes < MAX_RECORD_BYTES) continue;
    log.keep([...inline.values()]);
    inline.clear();
    bytes = 0;
  }
  return [...inline.values()];
}

/** A segment without entries has no successor, so it must not grow for ever. */
export const isFull = ({ open }: Log): boolean => open !== null && open.end > MAX_SEGMENT_BYTES;

const MAX_SEGMENT_BYTES = 256 * 1024 * 1024;
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** Under the lock. Those that are kept already count as kept now. */
export async function keepVersions(
  history: History,
  versions: readonly Version[],
  durability: Durability,
): Promise<void> {
  const { log, blobs, objects } = history;
  const fresh: Version[] = [];
  const anew: Pick<Version, "sha">[] = [];
  for (const version of versions) {
    const { sha } = version;
    if (objects.find(sha) !== null) objects.renew(sha);
    else if (blobs.find(sha) === null) fresh.push(version);
    else anew.push({ sha });
  }
  log.keep([...(await keepBlobs(history, fresh, durability)), ...anew]);
  if (durability === "full") await log.flush();
}

/** Under the lock. Versions that came into use after they were looked at stay. */
export async function forgetVersions(
  { log, blobs }: History,
  shas: readonly Sha[],
  looked: LookedAt | undefined,
): Promise<Forgotten> {
  const versions = [...new Set(shas)].flatMap((sha) => blobs.find(sha) ?? []);
  const since: Entry[] = [];
  if (looked !== undefined)
    for await (const entry of streamEntries(log.reach(), { sinceSeq: looked.newest?.seq ?? 1 })) since.push(entry);
  const { gone, told } = toForget(versions, usedSince(since, looked), looked);
  if (gone.length > 0) blobs.forget(new Set(gone));
  return told;
}

export function weighHistory({ directory, log, blobs }: History): HistoryWeight {
  const current = new Set<Sha>();
  for (const [, { sha }] of log.heads) if (sha !== null) current.add(sha);
  let [versions, spareBytes] = [0, 0];
  for (const { sha, size } of blobs.list()) {
    versions++;
    if (!current.has(sha)) spareBytes += size;
  }
  return { entries: log.tail.seq, versions, bytes: bytesOnDisk({ directory }), spareBytes, exact: true, all: true };
}
