// Where a transfer reads from: a directory with its history.
import type { Author, Backend, Path, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { START } from "../journal/entry.ts";
import { changedMeanwhile, type FileItem, historyItems, type Item, type Source } from "../transfer.ts";
import { holders } from "./commit.ts";
import { lookAt, recordOthers } from "./current-file.ts";
import type { History } from "./history.ts";
import { storedLines } from "./log/query.ts";

export interface DirectoryOptions {
  /** False: the journal is neither read nor needed. */
  readonly history: boolean;
  readonly files: boolean;
  /** What is denied is no file of the workspace. */
  mayRead(path: Path): boolean;
  /** For what another program changed, which is recorded first. */
  readonly author: Author;
}

export interface DirectorySource extends Source {
  /** What was met, and is not moved: denied, neither file nor link, or with a name that is no text. */
  readonly left: readonly string[];
}

/** `backend` must be one of `disk`. Nothing in the workspace is changed by stet until `work` is done. */
export async function withDirectory<T>(
  backend: Backend,
  options: DirectoryOptions,
  work: (source: DirectorySource) => Promise<T>,
): Promise<T> {
  let isBegun = false;
  try {
    const hold = holders.get(backend);
    if (hold === undefined) throw new Refusal("unsupported", "This workspace is not a directory.");
    return await hold(async (held) => {
      isBegun = true;
      if (held !== null && options.history) {
        const { log } = held.history;
        const known = [...log.heads].flatMap(([path]) => (options.mayRead(path) ? { path } : []));
        await recordOthers(held, lookAt(held.root, known), options.author);
        await log.flush();
      }
      return work(sourceOf(backend, options.history ? (held?.history ?? null) : null, options));
    });
  } catch (error) {
    // Files alone can be moved without a history that can be used.
    if (options.history || isBegun || !(error instanceof Refusal) || error.kind === "busy") throw error;
    return work(sourceOf(backend, null, options));
  }
}

function sourceOf(backend: Backend, history: History | null, { mayRead, files }: DirectoryOptions): DirectorySource {
  const left: string[] = [];
  const damaged: Sha[] = [];

  async function* below(dir: Path): AsyncGenerator<FileItem> {
    for await (const { path, kind, mtimeMs } of backend.list(dir)) {
      const isItem = kind === "file" || kind === "directory" || kind === "link";
      if (!isItem || !mayRead(path)) {
        if (!path.split("/").includes(".stet")) left.push(path);
        continue;
      }
      const version = kind === "directory" ? null : await backend.read(path, { maxBytes: JOURNAL_LIMITS.keptBytes });
      if (version === null && kind !== "directory") throw changedMeanwhile(path);
      yield { kind: "file", path, mtimeMs, version };
      if (kind === "directory") yield* below(path);
    }
  }

  async function* items(): AsyncGenerator<Item> {
    if (history !== null) {
      const { log, blobs } = history;
      const recall = (sha: Sha) => blobs.get(sha, JOURNAL_LIMITS.keptBytes);
      yield* historyItems({ lines: () => storedLines(log.reach()), kept: blobs.list(), recall }, damaged);
    }
    if (files) yield* below("" as Path);
  }

  return { left, damaged, items, head: history?.log.tail ?? START, heads: () => history?.log.heads ?? [] };
}
