// What a change does to the tables, worked out against what was read under the lock.
import type { Author, Change, CommitNote, EntryDraft, Sha, Version } from "../../../core/backend.ts";
import { LINK_MODE } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { parentOf } from "../../../core/paths.ts";
import { bytesOf } from "../../../core/version.ts";
import { appliedDraft, refuseNested } from "../../journal/draft.ts";
import type { Tail } from "../../journal/entry.ts";
import { changed, noSuchDirectory, notADirectory, notAFile } from "../../paths.ts";
import { bytesOfSha, shaOfBytes } from "../connection/database.ts";
import { checkLength } from "../paths/length.ts";
import { ancestorsOf, type Node } from "../paths/nodes.ts";

/** What stands in the database, with what earlier changes of the same transaction did to it. */
export interface Under {
  node(path: string): Node | undefined;
  readonly tail: Tail;
  /** By the database's clock. */
  readonly now: number;
}

export interface Plan {
  readonly draft: EntryDraft;
  /** Their `seq` is that of the entry, but for directories, of which no entry speaks. */
  readonly nodes: readonly Node[];
  /** To be in the store from now on. */
  readonly versions: readonly Version[];
  /** In the store already, as the bytes of a file; to be kept there when the file has others. */
  readonly keep: readonly Sha[];
}

/** Refuses `stale_file` unless every path is at its `from`. */
export function planChanges(
  changes: readonly Change[],
  author: Author,
  note: CommitNote | undefined,
  under: Under,
): Plan {
  refuseNested(changes);
  const before = changes.map(({ path }) => fileAt(under, path));
  for (const [i, change] of changes.entries()) {
    if (change.to !== null) checkLength(change.path);
    if (change.from === null && change.createParents !== true) requireParent(under, change.path);
    if ((before[i]?.sha ?? null) === change.from) continue;
    throw new Refusal("stale_file", `${change.path} is not at the version that the change was made from.`, {
      path: change.path,
    });
  }
  const { now } = under;
  const nodes = new Map<string, Node>();
  for (const [i, { path, to }] of changes.entries()) {
    if (to !== null)
      for (const dir of missingParents(under, path)) nodes.set(dir, { ...NOTHING, path: dir, kind: "d", mtime: now });
    nodes.set(path, to === null ? { ...NOTHING, path, kind: "g", mtime: now } : nodeOf(path, to, before[i]?.mode, now));
  }
  return {
    draft: appliedDraft(changes, before, author, note),
    nodes: [...nodes.values()],
    versions: changes.flatMap(({ to }) => to ?? []),
    keep: before.flatMap((version) => version?.sha ?? []),
  };
}

const NOTHING = { sha: null, size: 0, mode: null, target: null, seq: null } as const;

interface Before {
  readonly sha: Sha;
  readonly size: number;
  readonly mode?: number;
}

function fileAt(under: Under, path: string): Before | null {
  const node = under.node(path);
  if (node === undefined || node.kind === "g") return null;
  if (node.kind === "d") throw notAFile(path);
  const mode = node.kind === "l" ? LINK_MODE : node.mode;
  return { sha: shaOfBytes(node.sha!), size: node.size, ...(mode !== null && { mode }) };
}

function requireParent(under: Under, path: string): void {
  const parent = parentOf(path);
  const kind = parent === "" ? "d" : under.node(parent)?.kind;
  if (kind === "d") return;
  if (kind === "f") throw notADirectory(path, parent);
  if (kind === "l") throw changed(path);
  throw noSuchDirectory(path, parent);
}

function missingParents(under: Under, path: string): string[] {
  return ancestorsOf(path).filter((dir) => {
    const kind = under.node(dir)?.kind;
    if (kind === "f") throw notADirectory(path, dir);
    if (kind === "l") throw changed(path);
    return kind !== "d";
  });
}

function nodeOf(path: string, to: Version, modeBefore: number | undefined, now: number): Node {
  const common = { path, sha: bytesOfSha(to.sha), size: to.size, mtime: now, seq: null };
  if (to.mode === LINK_MODE) return { ...common, kind: "l", mode: null, target: Buffer.from(bytesOf(to)) };
  const kept = modeBefore === LINK_MODE ? undefined : modeBefore;
  return { ...common, kind: "f", mode: (to.mode ?? kept ?? 0o644) & 0o1777, target: null };
}
