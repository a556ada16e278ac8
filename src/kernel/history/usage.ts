// How the kept versions were used: when last, by which paths, and which of them are still needed.
import type { Backend, Entry, Path, Sha, Use } from "../../core/backend.ts";
import type { Workspace } from "../workspace.ts";
import { openCheckpoints } from "./checkpoints.ts";
import { abortedSince, happened } from "./journal/applied-entries.ts";
import type { Pulse } from "./journal/long-walk.ts";
import { newestEntry } from "./journal/newest.ts";

export interface Usage {
  /** In milliseconds; those used last come last. */
  readonly lastUse: ReadonlyMap<Sha, number>;
  /** The versions that each path had; those it had last come last. */
  readonly byPath: ReadonlyMap<Path, ReadonlySet<Sha>>;
  /** The newest version of every path, what an open checkpoint needs, and what was used while this was found out. */
  readonly needed: ReadonlySet<Sha>;
  /** The newest entry when this was begun to be found out. */
  readonly newest: Entry | null;
}

export async function usageOf(workspace: Workspace, kept: ReadonlySet<Sha>, pulse: Pulse): Promise<Usage> {
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
  for await (const sha of newestOf(backend, [...byPath.keys()])) needed.add(sha);
  for await (const { changes } of happened(backend, { sinceSeq: last + 1 }))
    for (const { from, to } of changes) for (const sha of [from, to]) if (sha !== null) needed.add(sha);
  return { lastUse, byPath, needed, newest };
}

async function* newestOf(backend: Backend, paths: readonly Path[]): AsyncGenerator<Sha> {
  const heads = await backend.heads?.(paths);
  for (const path of paths) {
    const head = heads === undefined ? await backend.head(path) : heads.get(path);
    if (head?.sha != null) yield head.sha;
  }
}

function usesOf(backend: Backend, shas: ReadonlySet<Sha>): AsyncIterable<Use> {
  return backend.uses?.(shas) ?? usesInLog(backend, shas);
}

/** The same from the entries themselves. */
export async function* usesInLog(backend: Backend, shas: ReadonlySet<Sha>): AsyncGenerator<Use> {
  for await (const { seq, at, changes } of backend.log({ outcomes: ["applied", "external"] }))
    for (const { path, from, to } of changes)
      for (const sha of [from, to]) if (sha !== null && shas.has(sha)) yield { seq, at: Date.parse(at), path, sha };
}
