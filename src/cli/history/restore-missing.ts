// Brings back all files that are missing although no change deleted them: what `rm -rf` of another program took.
import type { EntryChange, Path, Sha, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { happened, type Pulse, pulseOf } from "../../kernel/history/journal.ts";
import type { ChangeOptions, Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";

export interface RestoredMissing {
  readonly restored: readonly Path[];
  /** The entries that brought them back. */
  readonly entries: readonly number[];
  /** Missing files that stay missing. */
  readonly left: readonly { readonly path: Path; readonly why: string }[];
  readonly warnings: readonly string[];
}

type Wanted = Pick<EntryChange, "path" | "toSize" | "toMode"> & { readonly to: Sha };

/** Never replaces a file. Many files come back in several changes, each of which can be undone. */
export async function restoreMissing(session: Session, options: ChangeOptions): Promise<RestoredMissing> {
  const { workspace } = session;
  const pulse = pulseOf(options);
  const left: { path: Path; why: string }[] = [];
  const missing: Wanted[] = [];
  for (const wanted of await lastKnown(workspace, pulse)) {
    const { path } = wanted;
    await pulse(() => `looking for ${path}`);
    const why = await whyLeft(workspace, path);
    if (why === undefined) missing.push(wanted);
    else if (why !== IS_THERE) left.push({ path, why });
  }
  const restored: Path[] = [];
  const entries: number[] = [];
  const warnings: string[] = [];
  for (const batch of batchesOf(missing)) {
    const back: { path: Path; version: Version }[] = [];
    for (const { path, to, toMode } of batch) {
      await pulse(() => `restored ${restored.length} of ${missing.length} files`);
      const version = await workspace.backend.recall(to);
      if (version === null) left.push({ path, why: "its bytes are no longer kept" });
      else back.push({ path, version: toMode === undefined ? version : { ...version, mode: toMode } });
    }
    if (back.length === 0) continue;
    const target = {
      proof: { by: "absence" },
      action: "restore",
      link: true,
      existed: true,
      createParents: true,
    } as const;
    const nexts = back.map(({ version }) => ({ version }));
    const targets = back.map(({ path }) => ({ ...target, path }));
    const changed = await session.change(targets, () => nexts, { ...options, maxFiles: MAX_FILES });
    if (changed.entry !== undefined) entries.push(changed.entry.seq);
    restored.push(...back.map(({ path }) => path));
    warnings.push(...changed.warnings);
  }
  return { restored, entries, left, warnings };
}

/** Of one change, whose files are all in memory at once. */
const MAX_FILES = 1000;
const MAX_BYTES = 256 * 1024 * 1024;

function batchesOf(missing: readonly Wanted[]): Wanted[][] {
  const batches: Wanted[][] = [[]];
  let room = MAX_BYTES;
  for (const wanted of missing) {
    const size = wanted.toSize ?? 0;
    if (size > room || batches.at(-1)!.length === MAX_FILES) {
      batches.push([]);
      room = MAX_BYTES;
    }
    batches.at(-1)!.push(wanted);
    room -= size;
  }
  return batches;
}

/**
 * The newest version of each path that no change deleted. Deletions by other programs do not count: whether stet noticed
 * one is chance. Of a file and a directory of one name, the newer wins.
 */
async function lastKnown({ backend }: Workspace, pulse: Pulse): Promise<readonly Wanted[]> {
  const known = new Map<string, Wanted | null>();
  const directories = new Set<string>();
  for await (const { seq, outcome, changes } of happened(backend, { newestFirst: true })) {
    await pulse(() => `looking at entry ${seq}`);
    for (const { to, ...change } of changes) {
      const { path } = change;
      if (known.has(path) || (outcome === "external" && to === null)) continue;
      const names = path.split("/");
      const above = names.slice(1).map((_, n) => names.slice(0, n + 1).join("/"));
      const isTaken = directories.has(path) || above.some((each) => known.get(each));
      known.set(path, to === null || isTaken ? null : { ...change, to });
      if (known.get(path)) for (const each of above) directories.add(each);
    }
  }
  return [...known.values()].filter((wanted) => wanted !== null).sort((a, b) => (a.path < b.path ? -1 : 1));
}

const IS_THERE = "it is there";

async function whyLeft({ backend, policy }: Workspace, path: Path): Promise<string | undefined> {
  try {
    if (!policy.allows(path, "restore")) return "the policy forbids it";
    const { kind } = await backend.resolve(path, { link: true, existed: true });
    if (kind === "absent") return undefined;
    return kind === "directory" ? "a directory is in its place" : IS_THERE;
  } catch (error) {
    if (error instanceof Refusal) return error.failure.message;
    throw error;
  }
}
