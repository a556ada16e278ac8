// The memory backend: the same contract as on disk, for tests, sandboxes and stores without a directory.
import { FLAG, strictOptions, validate } from "../../api/options.ts";
import type {
  Author,
  Backend,
  Change,
  CommitNote,
  Entry,
  EntryDraft,
  Head,
  KeptVersion,
  Resolved,
  Sha,
  Version,
} from "../../core/backend.ts";
import { LINK_MODE } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { bytesOf, versionOf } from "../../core/version.ts";
import { untilClosed } from "../closing.ts";
import { type Asked, appliedDraft, observe, observedDrafts, refuseNested } from "../journal/draft.ts";
import { createJournal, type Journal } from "../journal/in-memory.ts";
import { toForget, usedSince } from "../journal/to-forget.ts";
import { refuseLarger } from "../paths.ts";
import { createTree, type Tree } from "./tree.ts";

/** What a backend in memory begins with. */
export interface MemoryOptions {
  /** Backends of one name share their files, journal and versions, for as long as the process lives. */
  readonly name?: string;
  /** By their paths; directories are made. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** A directory goes with its last file. Default: it stays, as on disk. */
  readonly pruneDirectories?: boolean;
  /** False: no old versions are kept, and of the journal the newest entries only. Default: all of both. */
  readonly history?: boolean;
}

const OPTIONS = strictOptions<MemoryOptions>({ name: true, files: true, pruneDirectories: FLAG, history: FLAG });

interface Contents {
  readonly tree: Tree;
  readonly journal: Journal;
  readonly kept: Map<Sha, KeptVersion & { readonly version: Version }>;
}

const byName = new Map<string, Contents>();

/** A backend in memory: the same promises as on disk, for as long as the process lives. */
export function memory(options: MemoryOptions = {}): Backend {
  validate(options, OPTIONS);
  const { history = true } = options;
  const { tree, journal, kept } = contentsOf(options.name, history ? undefined : NEWEST);
  for (const [path, content] of Object.entries(options.files ?? {})) {
    tree.put(tree.resolve(path).path, versionOf([Buffer.from(content as Uint8Array)], 0o644), 0);
  }

  function keep(version: Version): void {
    if (!history || kept.has(version.sha)) return;
    const { sha, size } = version;
    kept.set(sha, { sha, size, keptAt: Date.now(), version: copied({ sha, size, parts: version.parts }) });
  }

  const find = (sha: Sha): KeptVersion | null => kept.get(sha) ?? null;

  function recordOthers(asked: Iterable<Asked>, author: Author, note?: CommitNote): Entry | null {
    const observed = [...asked].flatMap((each) => {
      const now = tree.files.get(each.path) ?? null;
      return observe(each, { head: journal.head(each.path), now, find }) ?? [];
    });
    for (const { path } of observed) if (tree.files.has(path)) keep(tree.files.get(path)!);
    return observedDrafts(observed, author, note).map(journal.append).at(-1) ?? null;
  }

  return untilClosed({
    name: options.name ?? "memory",

    async resolve(raw, how): Promise<Resolved> {
      return tree.resolve(raw, how);
    },

    async read(path, how) {
      tree.requireFile(path);
      const version = tree.files.get(path) ?? null;
      if (version !== null) refuseLarger(path, version.size, how?.maxBytes);
      return version && copied(version);
    },

    async stream(path) {
      tree.requireFile(path);
      const version = tree.files.get(path);
      return version === undefined ? null : inOrder(copied(version).parts);
    },

    async *list(dir) {
      yield* tree.list(dir);
    },

    async commit(changes, author, note, { begin } = {}) {
      begin?.();
      refuseNested(changes);
      for (const change of changes) check(tree, change);
      recordOthers(
        changes.map(({ path }) => ({ path })),
        author,
      );
      const before = changes.map((change) => tree.files.get(change.path) ?? null);
      const { path } = changes.find(({ from }, i) => (before[i]?.sha ?? null) !== from) ?? {};
      if (path !== undefined)
        throw new Refusal("stale_file", `${path} is not at the version that the change was made from.`, { path });
      // Nothing may have changed when this is refused.
      const written = journal.prepare(appliedDraft(changes, before, author, note));
      for (const version of [...before, ...changes.map((change) => change.to)]) if (version !== null) keep(version);
      for (const [i, { path, to }] of changes.entries()) {
        const mode = (to?.mode ?? before[i]?.mode ?? 0o644) & 0o1777;
        // The file and its kept version share their bytes; callers get copies.
        if (to !== null) tree.put(path, { ...(kept.get(to.sha)?.version ?? copied(to)), mode });
        else tree.remove(path, options.pruneDirectories);
      }
      return { entry: written(), warnings: [] };
    },

    async record(draft: EntryDraft) {
      return journal.append(draft);
    },

    async notice(paths, author, { begin } = {}) {
      begin?.();
      return recordOthers(
        [...paths].map((path) => ({ path })),
        author,
      );
    },

    async witness(changes, author, note) {
      return recordOthers(changes, author, note);
    },

    async recall(sha, { maxBytes } = {}) {
      const version = kept.get(sha)?.version ?? null;
      if (version !== null) refuseLarger(`The kept version ${sha.slice(0, 12)}`, version.size, maxBytes);
      return version && copied(version);
    },

    async keep(versions) {
      for (const version of versions) {
        kept.delete(version.sha);
        keep(version);
      }
    },

    async *kept() {
      for (const { sha, size, keptAt } of kept.values()) yield { sha, size, keptAt };
    },

    async forget(shas, looked) {
      const used = usedSince(journal.log({ sinceSeq: looked?.newest?.seq ?? 1 }), looked);
      const { gone, told } = toForget(
        [...new Set(shas)].flatMap((sha) => kept.get(sha) ?? []),
        used,
        looked,
      );
      for (const sha of gone) kept.delete(sha);
      return told;
    },

    async head(path): Promise<Head | null> {
      return journal.head(path);
    },

    async *log(filter) {
      yield* journal.log(filter);
    },

    async verify(how) {
      return journal.verify(how);
    },

    async sign(privateKey) {
      return journal.sign(privateKey);
    },

    async close() {},
  });
}

/** Enough to say who changed a file last. */
const NEWEST = 100;

function contentsOf(name: string | undefined, newest: number | undefined): Contents {
  const known = name === undefined ? undefined : byName.get(name);
  const contents: Contents = known ?? { tree: createTree(), journal: createJournal({ newest }), kept: new Map() };
  if (name !== undefined) byName.set(name, contents);
  return contents;
}

function check(tree: Tree, { path, from, to, createParents }: Change): void {
  if (to?.mode === LINK_MODE) throw new Refusal("unsupported", "The memory backend has no symbolic links.", { path });
  tree.requireFile(path);
  if (from === null) tree.requireParents(path, createParents);
}

/** `slice` of a Buffer would be a view of what its owner may write to again. */
function copied(version: Version): Version {
  return { ...version, parts: [Buffer.from(bytesOf(version))] };
}

async function* inOrder(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
