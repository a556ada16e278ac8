// Reads a directory and its history for a transfer, under the lock: journal and files agree.
import type { Author, Backend, Head, Path, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { versionOf } from "../../core/version.ts";
import { verifyLines } from "../journal/chain.ts";
import { START } from "../journal/entry.ts";
import { changedMeanwhile, type FileItem, type HistoryItem, type Source } from "../transfer.ts";
import { lookAt, recordOthers } from "./external.ts";
import type { History } from "./history.ts";
import { holdHistory } from "./hold.ts";
import { closeQuietly, readFully } from "./io.ts";
import { encodeRecord, walkRecords } from "./log/record.ts";
import { listSegments, openToRead, readLineAt, windowOn } from "./log/segment.ts";
import { verifyLog } from "./log/verify.ts";

export interface DirectoryOptions {
  /** False: the journal is neither read nor needed. */
  readonly history: boolean;
  /** What is denied is no file of the workspace. */
  mayRead(path: Path): boolean;
  /** For what another program changed, which is recorded first. */
  readonly author: Author;
}

export interface DirectorySource extends Source {
  /** The journal's last word on every path that it speaks of. */
  heads(): Iterable<readonly [Path, Head]>;
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
    return await holdHistory(backend, async (held) => {
      isBegun = true;
      if (held !== null && options.history) {
        const { log } = held.history;
        const known = [...log.heads.all()].flatMap(([path]) => (options.mayRead(path) ? { path } : []));
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

function sourceOf(backend: Backend, history: History | null, { mayRead }: DirectoryOptions): DirectorySource {
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

  return {
    left,
    damaged,
    head: history?.log.tail ?? START,
    heads: () => history?.log.heads.all() ?? [],
    verify: async () => (history === null ? verifyLines([]) : verifyLog(history.log.dir)),
    async *history() {
      if (history !== null) yield* itemsOf(history, damaged);
    },
    files: () => below("" as Path),
  };
}

/** The records in their order, then the versions that are files of their own. */
async function* itemsOf({ log, blobs, objects }: History, damaged: Sha[]): AsyncGenerator<HistoryItem> {
  const keptAt = new Map([...blobs.list()].map((version) => [version.sha, version.keptAt]));
  const taken = (sha: Sha): number => {
    const time = keptAt.get(sha)!;
    keptAt.delete(sha);
    return time;
  };
  for (const { path } of listSegments(log.dir)) {
    const file = openToRead(path);
    if (file === null) continue;
    try {
      for (const item of itemsIn(file.fd, 0, file.stat.size, (sha) => keptAt.has(sha)))
        yield item.kind === "entry" ? item : { ...item, keptAt: taken(item.version.sha) };
    } finally {
      closeQuietly(file.fd);
    }
  }
  for (const sha of [...keptAt.keys()]) {
    const version = await objects.get(sha, JOURNAL_LIMITS.keptBytes).catch(unlessDamaged);
    if (version === null) damaged.push(sha);
    else yield { kind: "version", version, keptAt: taken(sha) };
  }
}

/** Of records, up to the first that is not whole. A damaged version is left out: another record may hold it unharmed. */
export function* itemsIn(
  fd: number,
  from: number,
  to: number,
  isWanted: (sha: Sha) => boolean = () => true,
): Generator<HistoryItem> {
  const read = windowOn(fd);
  for (const { line: at, blobs, time } of walkRecords(read, from, to)) {
    for (const { sha, offset, size } of blobs) {
      const version = isWanted(sha) ? versionOf([readFully(fd, offset, size)]) : undefined;
      if (version?.sha === sha) yield { kind: "version", version, keptAt: time };
    }
    const line = at && readLineAt(read, at);
    if (line !== null) yield { kind: "entry", line: Buffer.from(line) };
  }
}

/** The record that holds one item alone. */
export function recordOf(item: HistoryItem): readonly Uint8Array[] {
  if (item.kind === "entry") return encodeRecord({ line: item.line.toString(), blobs: [] }, Date.now());
  return encodeRecord({ blobs: [item.version] }, item.keptAt);
}

function unlessDamaged(error: unknown): null {
  if (error instanceof Refusal && (error.kind === "not_kept" || error.kind === "journal_damaged")) return null;
  throw error;
}
