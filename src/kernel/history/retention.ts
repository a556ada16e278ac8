// Retention: which kept versions may be dropped, by age, by count and by size.
import { validate } from "../../api/options.ts";
import type { Author, Backend, Entry, KeptVersion, Path, Sha, Use } from "../../core/backend.ts";
import { refuse } from "../../words/index.ts";
import { AUTHOR, COLLECT_OPTIONS, RETENTION_POLICY } from "../options.ts";
import { endOf, type Pulse, pulseOf } from "../progress.ts";
import type { CallOptions } from "../session.ts";
import type { Workspace } from "../workspace.ts";
import { openCheckpoints } from "./checkpoints.ts";
import { abortedSince, newestEntry } from "./journal.ts";

/** Which kept versions may go. Every rule that is given adds to what goes. */
export interface RetentionPolicy {
  /** Drop versions that were replaced or deleted longer ago than this. */
  readonly maxAgeMs?: number;
  /** Keep at most this many versions of each path. */
  readonly maxVersionsPerPath?: number;
  /** Drop the oldest until the rest fits. */
  readonly maxBytes?: number;
  /** Whatever else is said, keep what was written, replaced or deleted less long ago than this. */
  readonly minAgeMs?: number;
}

/** What went, or would go. */
export interface Collected {
  /** How many versions. */
  readonly dropped: number;
  /** How many were freed. */
  readonly bytes: number;
  /** How many versions are left. */
  readonly kept: number;
  /** How many more would have gone but for `minAgeMs`. */
  readonly tooYoung: number;
  /** Which versions: those of each path, the paths with most of them first. Those that no path names come last. */
  readonly versions: readonly DroppedVersions[];
}

/** Versions of one path that went. */
export interface DroppedVersions {
  /** Absent for versions that no path in the journal names. */
  readonly path?: Path;
  /** The sha256 of each. */
  readonly shas: readonly Sha[];
}

/** How garbage is collected. */
export interface CollectOptions extends Pick<CallOptions, "progress" | "signal"> {
  /** Only say what would be dropped. */
  readonly dryRun?: boolean;
  /** Only these, which the owner was shown. */
  readonly among?: ReadonlySet<Sha>;
  /** Who the journal shall name. */
  readonly author?: Author;
}

/** Drops kept versions after a policy. Never drops the newest version of a path, nor anything that an open checkpoint needs. */
export async function collectGarbage(
  workspace: Workspace,
  policy: RetentionPolicy,
  now = Date.now(),
  options: CollectOptions = {},
): Promise<Collected> {
  validate(policy, RETENTION_POLICY, { noObject: "A policy is given as an object.", noun: "rule" });
  validate(options, COLLECT_OPTIONS);
  const { dryRun = false, author = { session: "stet", tool: "gc" }, among } = options;
  validate(author, AUTHOR, { noObject: "The author is given as an object.", noun: "field" });
  if (!Number.isFinite(now)) throw refuse("invalid_argument", { argument: "now" });
  const pulse = pulseOf(options);
  const kept = await keptVersions(workspace.backend, pulse);
  const usage = await usageOf(workspace, new Set(kept.keys()), pulse);
  const age = ({ sha, keptAt }: KeptVersion): number => now - (usage.lastUse.get(sha) ?? keptAt);
  const fitting = versionsToDrop(policy, [...kept.values()], usage, age);
  const old = fitting.filter((version) => age(version) >= (policy.minAgeMs || Number.NEGATIVE_INFINITY));
  const shas = old.map(({ sha }) => sha).filter((sha) => among?.has(sha) ?? true);
  const result = (dropped: number, bytes: number, gone: readonly Sha[]): Collected => {
    const versions = byPaths(gone, usage.byPath);
    return { dropped, bytes, kept: kept.size - dropped, tooYoung: fitting.length - old.length, versions };
  };
  const size = shas.reduce((sum, sha) => sum + kept.get(sha)!.size, 0);
  if (dryRun || shas.length === 0) return result(shas.length, size, shas);
  endOf(options).check();
  const looked = { newest: usage.newest, keptAt: timesOf(kept) };
  const { dropped, bytes, stayed = [] } = await workspace.backend.forget(shas, looked);
  const details = { dropped, bytes, ...policy };
  await workspace.backend.record({ ...author, outcome: "note", changes: [], details });
  const used = new Set(stayed);
  const gone = shas.filter((sha) => !used.has(sha));
  return result(dropped, bytes, gone);
}

export async function keptVersions(backend: Backend, pulse: Pulse): Promise<ReadonlyMap<Sha, KeptVersion>> {
  const kept = new Map<Sha, KeptVersion>();
  for await (const version of backend.kept()) {
    kept.set(version.sha, version);
    await pulse(() => `found ${kept.size} kept versions`);
  }
  return kept;
}

/** When each was put into the store. */
export function timesOf(kept: ReadonlyMap<Sha, KeptVersion>): ReadonlyMap<Sha, number> {
  return new Map([...kept].map(([sha, { keptAt }]) => [sha, keptAt]));
}

/** No limit. */
const NONE = Number.POSITIVE_INFINITY;

/** By age, by count and by size, the oldest first. Uses of the same millisecond stay in the order of the journal. */
function versionsToDrop(
  { maxAgeMs = NONE, maxVersionsPerPath = NONE, maxBytes = NONE }: RetentionPolicy,
  kept: readonly KeptVersion[],
  { byPath, needed, lastUse }: Usage,
  age: (version: KeptVersion) => number,
): readonly KeptVersion[] {
  const place = new Map([...lastUse.keys()].map((sha, n) => [sha, n]));
  const placeOf = ({ sha }: KeptVersion): number => place.get(sha) ?? -1;
  const droppable = kept
    .filter(({ sha }) => !needed.has(sha))
    .sort((a, b) => age(b) - age(a) || placeOf(a) - placeOf(b));
  // A version stays that is among the newest of any path that had it.
  const newest = new Set([...byPath.values()].flatMap((shas) => [...shas].slice(-maxVersionsPerPath)));
  const isDoomed = (version: KeptVersion): boolean =>
    age(version) > maxAgeMs || (lastUse.has(version.sha) && !newest.has(version.sha));
  const doomed = new Set(droppable.filter(isDoomed).map(({ sha }) => sha));
  let bytes = kept.reduce((sum, { sha, size }) => sum + (doomed.has(sha) ? 0 : size), 0);
  for (const { sha, size } of droppable) {
    if (bytes <= maxBytes) break;
    if (doomed.has(sha)) continue;
    doomed.add(sha);
    bytes -= size;
  }
  return droppable.filter(({ sha }) => doomed.has(sha));
}

/** Groups versions by path. A version that several paths had is listed under the first of them. */
function byPaths(shas: readonly Sha[], byPath: ReadonlyMap<Path, ReadonlySet<Sha>>): readonly DroppedVersions[] {
  const left = new Set(shas);
  const named: DroppedVersions[] = [];
  for (const [path, versions] of byPath) {
    const own = [...versions].filter((sha) => left.delete(sha));
    if (own.length > 0) named.push({ path, shas: own });
  }
  named.sort((a, b) => b.shas.length - a.shas.length);
  return left.size === 0 ? named : [...named, { shas: [...left] }];
}

interface Usage {
  /** In milliseconds; those used last come last. */
  readonly lastUse: ReadonlyMap<Sha, number>;
  /** The versions that each path had; those it had last come last. */
  readonly byPath: ReadonlyMap<Path, ReadonlySet<Sha>>;
  /** The newest version of every path, and what an open checkpoint needs. What is used from now on, `forget` keeps. */
  readonly needed: ReadonlySet<Sha>;
  /** The newest entry when this was begun to be found out. */
  readonly newest: Entry | null;
}

async function usageOf(workspace: Workspace, kept: ReadonlySet<Sha>, pulse: Pulse): Promise<Usage> {
  const { backend } = workspace;
  const lastUse = new Map<Sha, number>();
  const byPath = new Map<Path, Set<Sha>>();
  const needed = new Set<Sha>();
  const checkpoint = Math.min(...(await openCheckpoints(workspace)).map(({ seq }) => seq));
  const newest = (await newestEntry(backend)) ?? null;
  const last = newest?.seq ?? 0;
  const aborted = await abortedSince(backend);
  for await (const { seq, at, path, sha } of backend.uses?.(kept) ?? usesInLog(backend, kept)) {
    await pulse(() => `looked at ${seq} of ${last} entries of the journal`);
    if (aborted.has(seq)) continue;
    const versions = byPath.get(path) ?? new Set();
    byPath.set(path, versions);
    lastUse.delete(sha);
    lastUse.set(sha, at);
    versions.delete(sha);
    versions.add(sha);
    if (seq > checkpoint) needed.add(sha);
  }
  const heads = await backend.heads?.([...byPath.keys()]);
  for (const [path, versions] of byPath) {
    const head = heads === undefined ? await backend.head(path) : heads.get(path);
    if (head?.sha == null) continue;
    needed.add(head.sha);
    // `uses` gives the versions before and after an entry in no order: the head belongs last.
    if (versions.delete(head.sha)) versions.add(head.sha);
  }
  return { lastUse, byPath, needed, newest };
}

/** For a backend that does not know them. */
async function* usesInLog(backend: Backend, shas: ReadonlySet<Sha>): AsyncGenerator<Use> {
  for await (const { seq, at, changes } of backend.log({ outcomes: ["applied", "external"] }))
    for (const { path, from, to } of changes)
      for (const sha of [from, to]) if (sha !== null && shas.has(sha)) yield { seq, at: Date.parse(at), path, sha };
}
