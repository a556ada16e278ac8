// Retention: which kept versions may be dropped, by age, by count and by size.
import type { Author, Backend, Entry, KeptVersion, Path, Sha, Use } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { formatValue, validate } from "../../core/options.ts";
import { AUTHOR, COLLECT_OPTIONS, RETENTION_POLICY } from "../options.ts";
import type { CallOptions } from "../session.ts";
import type { Workspace } from "../workspace.ts";
import { openCheckpoints } from "./checkpoints.ts";
import { abortedSince, happened, newestEntry, type Pulse, pulseOf, refuseCancelled } from "./journal.ts";

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
  /** Their names. */
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
  const { dryRun = false, author = { session: "stet", tool: "gc" } } = options;
  validate(author, AUTHOR, { noObject: "The author is given as an object.", noun: "field" });
  if (!Number.isFinite(now))
    throw new Refusal("invalid_input", `now must be a time in milliseconds, not ${formatValue(now)}.`);
  const pulse = pulseOf(options);
  const kept = new Map<Sha, KeptVersion>();
  for await (const version of workspace.backend.kept()) {
    kept.set(version.sha, version);
    await pulse(() => `found ${kept.size} kept versions`);
  }
  const { lastUse, byPath, needed, newest } = await usageOf(workspace, new Set(kept.keys()), pulse);

  const age = ({ sha, keptAt }: KeptVersion): number => now - (lastUse.get(sha) ?? keptAt);
  // Uses of the same millisecond stay in the order of the journal.
  const order = new Map([...lastUse.keys()].map((sha, n) => [sha, n]));
  const place = ({ sha }: KeptVersion): number => order.get(sha) ?? -1;
  const droppable = [...kept.values()]
    .filter(({ sha }) => !needed.has(sha))
    .sort((a, b) => age(b) - age(a) || place(a) - place(b));
  const fitting = versionsToDrop(policy, { droppable, kept, age, byPath, needed });
  const { minAgeMs = 0 } = policy;
  const old = fitting.filter((version) => minAgeMs === 0 || age(version) >= minAgeMs);
  const shas = old.map(({ sha }) => sha).filter((sha) => options.among?.has(sha) ?? true);
  const report = { tooYoung: fitting.length - old.length, versions: byPaths(shas, byPath) };
  if (shas.length === 0) return { dropped: 0, bytes: 0, kept: kept.size, ...report };
  if (dryRun) {
    const freed = shas.reduce((sum, sha) => sum + kept.get(sha)!.size, 0);
    return { dropped: shas.length, bytes: freed, kept: kept.size - shas.length, ...report };
  }
  refuseCancelled(options.signal);
  const keptAt = new Map(shas.map((sha) => [sha, kept.get(sha)!.keptAt]));
  const { dropped, bytes, stayed = [] } = await workspace.backend.forget(shas, { newest, keptAt });
  await workspace.backend.record({
    ...author,
    outcome: "note",
    changes: [],
    details: { dropped, bytes, ...policy },
  });
  const used = new Set(stayed);
  const versions = byPaths(
    shas.filter((sha) => !used.has(sha)),
    byPath,
  );
  return { dropped, bytes, kept: kept.size - dropped, ...report, versions };
}

interface Choosing extends Pick<Usage, "byPath" | "needed"> {
  /** The oldest first. */
  readonly droppable: readonly KeptVersion[];
  readonly kept: ReadonlyMap<Sha, KeptVersion>;
  readonly age: (version: KeptVersion) => number;
}

/** By age, by count and by size, whatever their age. */
function versionsToDrop(
  { maxAgeMs, maxVersionsPerPath, maxBytes }: RetentionPolicy,
  { droppable, kept, age, byPath, needed }: Choosing,
): readonly KeptVersion[] {
  const doomed = new Set<Sha>();
  if (maxAgeMs !== undefined) for (const version of droppable) if (age(version) > maxAgeMs) doomed.add(version.sha);
  if (maxVersionsPerPath !== undefined)
    for (const sha of beyondCount(byPath, maxVersionsPerPath, needed)) doomed.add(sha);
  if (maxBytes !== undefined) {
    let bytes = [...kept.values()].reduce((sum, { sha, size }) => sum + (doomed.has(sha) ? 0 : size), 0);
    for (const { sha, size } of droppable) {
      if (bytes <= maxBytes) break;
      if (doomed.has(sha)) continue;
      doomed.add(sha);
      bytes -= size;
    }
  }
  return droppable.filter(({ sha }) => doomed.has(sha));
}

/** A version that several paths had counts for the first of them. */
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

/** The oldest versions of each path, unless another path still counts them among its newest. */
function beyondCount(byPath: ReadonlyMap<Path, ReadonlySet<Sha>>, max: number, needed: ReadonlySet<Sha>): Sha[] {
  const among = new Set<Sha>();
  for (const shas of byPath.values()) for (const sha of [...shas].slice(-max)) among.add(sha);
  return [...byPath.values()].flatMap((shas) => [...shas].filter((sha) => !among.has(sha) && !needed.has(sha)));
}

interface Usage {
  /** In milliseconds; those used last come last. */
  readonly lastUse: ReadonlyMap<Sha, number>;
  /** The versions that each path had; those it had last come last. */
  readonly byPath: ReadonlyMap<Path, ReadonlySet<Sha>>;
  /** The newest version of every path, what an open checkpoint needs, and what was used while this was found out. */
  readonly needed: ReadonlySet<Sha>;
  /** The newest entry when this was begun to be found out. */
  readonly newest: Entry | null;
}

async function usageOf(workspace: Workspace, kept: ReadonlySet<Sha>, pulse: Pulse): Promise<Usage> {
  const { backend } = workspace;
  const lastUse = new Map<Sha, number>();
  const byPath = new Map<Path, Set<Sha>>();
  const checkpoints = await openCheckpoints(workspace);
  const needed = new Set<Sha>(checkpoints.flatMap(({ versions = [] }) => versions));
  const checkpoint = Math.min(...checkpoints.map(({ seq }) => seq));
  const newest = (await newestEntry(backend)) ?? null;
  const last = newest?.seq ?? 0;
  const aborted = await abortedSince(backend);
  for await (const { seq, at, path, sha } of usesOf(backend, kept)) {
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
  for await (const [path, sha] of newestOf(backend, [...byPath.keys()])) {
    needed.add(sha);
    // The last entry names two versions of a path, in no order.
    if (byPath.get(path)!.delete(sha)) byPath.get(path)!.add(sha);
  }
  for await (const { changes } of happened(backend, { sinceSeq: last + 1 }))
    for (const { from, to } of changes) for (const sha of [from, to]) if (sha !== null) needed.add(sha);
  return { lastUse, byPath, needed, newest };
}

async function* newestOf(backend: Backend, paths: readonly Path[]): AsyncGenerator<readonly [Path, Sha]> {
  const heads = await backend.heads?.(paths);
  for (const path of paths) {
    const head = heads === undefined ? await backend.head(path) : heads.get(path);
    if (head?.sha != null) yield [path, head.sha];
  }
}

function usesOf(backend: Backend, shas: ReadonlySet<Sha>): AsyncIterable<Use> {
  return backend.uses?.(shas) ?? usesInLog(backend, shas);
}

/** The same from the entries themselves. */
async function* usesInLog(backend: Backend, shas: ReadonlySet<Sha>): AsyncGenerator<Use> {
  for await (const { seq, at, changes } of backend.log({ outcomes: ["applied", "external"] }))
    for (const { path, from, to } of changes)
      for (const sha of [from, to]) if (sha !== null && shas.has(sha)) yield { seq, at: Date.parse(at), path, sha };
}
