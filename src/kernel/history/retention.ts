// Retention: which kept versions may be dropped, by age, by count and by size.
import type { Author, EntryChange, KeptVersion, Path, Sha } from "../../backends/backend.ts";
import { checkCall, checkWho } from "../authored.ts";
import { Refusal } from "../failure.ts";
import type { CallOptions } from "../session.ts";
import type { Workspace } from "../workspace.ts";
import { openCheckpoints } from "./checkpoints.ts";
import { happened } from "./happened.ts";
import { type Pulse, pulseOf, refuseCancelled } from "./pulse.ts";

export interface RetentionPolicy {
  /** Drop versions that were replaced or deleted longer ago than this. */
  readonly maxAgeMs?: number;
  /** Keep at most this many versions of each path. */
  readonly maxVersionsPerPath?: number;
  /** Drop the oldest until the rest fits. */
  readonly maxBytes?: number;
}

export interface Collected {
  readonly dropped: number;
  readonly bytes: number;
  readonly kept: number;
}

export interface CollectOptions extends Pick<CallOptions, "progress" | "signal"> {
  /** Only say what would be dropped. */
  readonly dryRun?: boolean;
  /** Who the journal shall name. */
  readonly author?: Author;
}

/** Never drops the newest version of a path, nor anything that an open checkpoint needs. */
export async function collectGarbage(
  workspace: Workspace,
  policy: RetentionPolicy,
  now = Date.now(),
  options: CollectOptions = {},
): Promise<Collected> {
  const { dryRun = false, author = { session: "stet", tool: "gc" } } = options;
  checkPolicy(policy);
  checkWho({ id: author.session, agent: author.agent });
  checkCall(author);
  const pulse = pulseOf(options);
  const kept = new Map<Sha, KeptVersion>();
  for await (const version of workspace.backend.kept()) {
    kept.set(version.sha, version);
    await pulse(() => `found ${kept.size} kept versions`);
  }
  const { lastUse, byPath, needed } = await usage(workspace, pulse);

  const droppable = [...kept.values()].filter(({ sha }) => !needed.has(sha));
  const age = ({ sha, keptAt }: KeptVersion): number => now - (lastUse.get(sha) ?? keptAt);
  const doomed = new Set<Sha>();
  if (policy.maxAgeMs !== undefined)
    for (const version of droppable) if (age(version) > policy.maxAgeMs) doomed.add(version.sha);
  if (policy.maxVersionsPerPath !== undefined)
    for (const sha of beyondCount(byPath, policy.maxVersionsPerPath, needed)) doomed.add(sha);
  if (policy.maxBytes !== undefined) {
    let bytes = [...kept.values()].reduce((sum, { sha, size }) => sum + (doomed.has(sha) ? 0 : size), 0);
    // Uses of the same millisecond stay in the order of the journal.
    const order = new Map([...lastUse.keys()].map((sha, n) => [sha, n]));
    const place = ({ sha }: KeptVersion): number => order.get(sha) ?? -1;
    for (const version of droppable.sort((a, b) => age(b) - age(a) || place(a) - place(b))) {
      if (bytes <= policy.maxBytes) break;
      if (doomed.has(version.sha)) continue;
      doomed.add(version.sha);
      bytes -= version.size;
    }
  }

  const shas = [...doomed].filter((sha) => kept.has(sha));
  if (shas.length === 0) return { dropped: 0, bytes: 0, kept: kept.size };
  if (dryRun) {
    const freed = shas.reduce((sum, sha) => sum + kept.get(sha)!.size, 0);
    return { dropped: shas.length, bytes: freed, kept: kept.size - shas.length };
  }
  refuseCancelled(options.signal);
  const { dropped, bytes } = await workspace.backend.forget(shas);
  await workspace.backend.record({
    ...author,
    outcome: "note",
    changes: [],
    details: { dropped, bytes, ...policy },
  });
  return { dropped, bytes, kept: kept.size - dropped };
}

function checkPolicy({ maxAgeMs, maxVersionsPerPath, maxBytes }: RetentionPolicy): void {
  const count = maxVersionsPerPath ?? 1;
  if (!Number.isInteger(count) || count < 1) throw invalid("maxVersionsPerPath", count, "a whole number from 1 on");
  for (const [name, value] of Object.entries({ maxAgeMs, maxBytes })) {
    if (!Number.isFinite(value ?? 0) || (value ?? 0) < 0) throw invalid(name, value, "a number from 0 on");
  }
}

function invalid(name: string, value: unknown, wanted: string): Refusal {
  return new Refusal("invalid_input", `${name} must be ${wanted}, not ${value}.`, {
    next: "Correct it, or leave it out to set no such limit.",
  });
}

async function usage(
  workspace: Workspace,
  pulse: Pulse,
): Promise<{ lastUse: Map<Sha, number>; byPath: Map<Path, Set<Sha>>; needed: Set<Sha> }> {
  const lastUse = new Map<Sha, number>();
  const byPath = new Map<Path, Set<Sha>>();
  const heads = new Map<Path, Sha | null>();
  const needed = new Set<Sha>();
  const since = Math.min(...(await openCheckpoints(workspace)).map(({ seq }) => seq));
  for await (const { seq, at, changes } of happened(workspace.backend)) {
    await pulse(() => `looked at ${seq} entries of the journal`);
    for (const change of changes) {
      const time = Date.parse(at);
      const versions = byPath.get(change.path) ?? new Set();
      byPath.set(change.path, versions);
      for (const sha of versionsOf(change)) {
        lastUse.delete(sha);
        lastUse.set(sha, time);
        versions.delete(sha);
        versions.add(sha);
        if (seq > since) needed.add(sha);
      }
      heads.set(change.path, change.to);
    }
  }
  for (const sha of heads.values()) if (sha !== null) needed.add(sha);
  return { lastUse, byPath, needed };
}

/** The oldest versions of each path, unless another path still counts them among its newest. */
function beyondCount(byPath: ReadonlyMap<Path, ReadonlySet<Sha>>, max: number, needed: ReadonlySet<Sha>): Sha[] {
  const among = new Set<Sha>();
  for (const shas of byPath.values()) for (const sha of [...shas].slice(-max)) among.add(sha);
  return [...byPath.values()].flatMap((shas) => [...shas].filter((sha) => !among.has(sha) && !needed.has(sha)));
}

function versionsOf({ from, to }: EntryChange): Sha[] {
  return [from, to].filter((sha) => sha !== null);
}
