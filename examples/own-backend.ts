// A complete backend on maps. The conformance suite runs against it (test-own-backend.ts).
import {
  type Author,
  type Backend,
  bytesOf,
  type CommitNote,
  LINK_MODE,
  type Path,
  Refusal,
  type Sha,
  type Version,
} from "stet";
import {
  type Asked,
  appliedDraft,
  createJournal,
  type Found,
  noSuchDirectory,
  notADirectory,
  notAFile,
  observe,
  observedDrafts,
  refuseNested,
  resolvePath,
  toForget,
  untilClosed,
  usedSince,
} from "stet/backends/parts";
/** Where your program keeps things: files, which other code may change too, the versions there were, and the journal. */
export function createStore(lines: string[] = []) {
  const journal = createJournal({ lines, store: (line) => void lines.push(line) });
  const files = new Map<Path, Version & { readonly changedAt: number }>();
  const kept = new Map<Sha, { readonly version: Version; readonly keptAt: number }>();
  return { files, kept, journal };
}

export function backendOn({ files, kept, journal }: ReturnType<typeof createStore>): Backend {
  const current = (path: Path) => files.get(path) ?? null;
  const isDirectory = (path: string) => path === "" || [...files.keys()].some((file) => file.startsWith(`${path}/`));
  const at = (path: Path): Found => ({
    kind: files.has(path) ? "file" : isDirectory(path) ? "directory" : "absent",
    size: files.get(path)?.size ?? 0,
    mtimeMs: files.get(path)?.changedAt ?? 0,
  });
  const keep = (version: Version | null) => {
    if (version !== null && !kept.has(version.sha)) kept.set(version.sha, { version, keptAt: Date.now() });
  };
  const within = (version: Version | null, most = Number.POSITIVE_INFINITY) => {
    if (version === null || version.size <= most) return version;
    throw new Refusal("file_too_large", `It has ${version.size} bytes; the limit is ${most}.`);
  };
  const requireFile = (path: Path) => {
    if (at(path).kind === "directory") throw notAFile(path);
  };
  const recordOthers = (asked: Iterable<Asked>, author: Author, note?: CommitNote) => {
    const find = (sha: Sha) => kept.get(sha)?.version ?? null;
    const look = (path: Path) => ({ head: journal.head(path), now: current(path), find });
    const observed = [...asked].flatMap((each) => observe(each, look(each.path)) ?? []);
    for (const { path } of observed) keep(current(path));
    return observedDrafts(observed, author, note).map(journal.append).at(-1) ?? null;
  };

  return untilClosed({
    name: "a store of mine",
    resolve: async (raw, options) => resolvePath(raw, options, at),
    async read(path, { maxBytes } = {}) {
      requireFile(path);
      return within(current(path), maxBytes);
    },
    async stream(path) {
      requireFile(path);
      const version = current(path);
      return version === null ? null : chunks(version);
    },
    async *list(dir) {
      if (at(dir).kind === "file") throw notADirectory(dir, dir);
      if (at(dir).kind === "absent") throw new Refusal("not_found", `There is no directory ${dir}.`, { path: dir });
      const start = dir === "" ? "" : `${dir}/`;
      const below = [...files.keys()].filter((path) => path.startsWith(start));
      for (const name of new Set(below.map((path) => path.slice(start.length).split("/")[0]!))) {
        const path = `${start}${name}` as Path;
        yield { name, path, ...at(path) };
      }
    },

    async commit(changes, author, note, { begin } = {}) {
      begin?.();
      refuseNested(changes);
      for (const { path, from, to, createParents } of changes) {
        const parent = path.split("/").slice(0, -1).join("/");
        requireFile(path);
        if (to?.mode === LINK_MODE) throw new Refusal("unsupported", "There are no links here.", { path });
        if (from === null && createParents !== true && !isDirectory(parent)) throw noSuchDirectory(path, parent);
        recordOthers([{ path }], author);
        if ((current(path)?.sha ?? null) !== from) throw new Refusal("stale_file", `${path} has changed.`, { path });
      }
      const before = changes.map(({ path }) => current(path));
      // What cannot be an entry, or be stored, is refused here. Nothing has changed yet, and nothing waits: all or none.
      const entry = journal.append(appliedDraft(changes, before, author, note));
      for (const [i, { path, to }] of changes.entries()) {
        keep(before[i] ?? null);
        keep(to);
        if (to === null) files.delete(path);
        else files.set(path, { ...to, mode: to.mode ?? before[i]?.mode ?? 0o644, changedAt: Date.now() });
      }
      return { entry, warnings: [] };
    },
    record: async (draft) => journal.append(draft),
    async notice(paths, author, { begin } = {}) {
      begin?.();
      return recordOthers(
        [...paths].map((path) => ({ path })),
        author,
      );
    },
    witness: async (changes, author, note) => recordOthers(changes, author, note),

    recall: async (sha, { maxBytes } = {}) => within(kept.get(sha)?.version ?? null, maxBytes),
    async keep(versions) {
      for (const version of versions) {
        kept.delete(version.sha);
        keep(version);
      }
    },
    async *kept() {
      for (const { version, keptAt } of kept.values()) yield { sha: version.sha, size: version.size, keptAt };
    },
    async forget(shas, looked) {
      const known = [...new Set(shas)].flatMap((sha) => kept.get(sha) ?? []);
      const versions = known.map(({ version: { sha, size }, keptAt }) => ({ sha, size, keptAt }));
      // What came into use after the look stays. Nothing waits between this and the dropping.
      const used = usedSince(journal.log({ sinceSeq: looked?.newest?.seq ?? 1 }), looked);
      const { gone, told } = toForget(versions, used, looked);
      for (const sha of gone) kept.delete(sha);
      return told;
    },

    head: async (path) => journal.head(path),
    async *log(filter) {
      yield* journal.log(filter);
    },
    verify: async (options) => journal.verify(options),
    sign: async (privateKey) => journal.sign(privateKey),
    close: async () => {},
  });
}

async function* chunks(version: Version) {
  yield new Uint8Array(bytesOf(version));
}
