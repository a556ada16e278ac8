// Where a transfer reads from, and a history in one file: the records of the log as a stream, behind a line that says where it ends.
import fs from "node:fs";
import type { Author, Backend, Head, Path, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { shown } from "../../core/printable.ts";
import { versionOf } from "../../core/version.ts";
import { Chain, verifyLines } from "../journal/chain.ts";
import { START } from "../journal/entry.ts";
import {
  changedMeanwhile,
  type FileItem,
  type HistoryItem,
  type Reached,
  type Receiver,
  requireArrived,
  type Source,
} from "../transfer.ts";
import { holders } from "./commit.ts";
import { lookAt, recordOthers } from "./current-file.ts";
import { refusalOf } from "./errno.ts";
import type { History } from "./history.ts";
import { closeQuietly, readFully, removeQuietly } from "./io.ts";
import { encodeRecord, walkRecords } from "./log/record.ts";
import { appendWhole, listSegments, openToRead, readLineAt, windowOn } from "./log/segment.ts";
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
    const hold = holders.get(backend);
    if (hold === undefined) throw new Refusal("unsupported", "This workspace is not a directory.");
    return await hold(async (held) => {
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

const HEADER_BYTES = 160;
const HEADER = /^stet history 1, head (\d{1,16}):([0-9a-f]{64}), (\d{1,16}) versions, (\d{1,16}) bytes *\n$/;

/** The file gets its name when all of it is there. One that is there already is refused. */
export async function writeHistoryFile<T>(path: string, work: (receiver: Receiver) => Promise<T>): Promise<T> {
  refuseTaken(path);
  const temporary = `${path}.${process.pid}.tmp`;
  const fd = opened(temporary, "wx+", "write");
  let [end, versions] = [appendWhole(fd, [Buffer.alloc(HEADER_BYTES)], 0), 0];
  try {
    return await work({
      async add(item) {
        if (item.kind === "file") return;
        end = appendWhole(fd, recordOf(item), end);
        if (item.kind === "version") versions++;
      },
      async finish(head) {
        const text = `stet history 1, head ${head.seq}:${head.hash}, ${versions} versions, ${end} bytes`;
        fs.writeSync(fd, `${text.padEnd(HEADER_BYTES - 1)}\n`, 0);
        fs.fsyncSync(fd);
        requireArrived(await readHistoryFile(temporary, (source) => source.verify()), head);
        refuseTaken(path);
        fs.renameSync(temporary, path);
      },
    });
  } finally {
    closeQuietly(fd);
    removeQuietly(temporary);
  }
}

/** Refuses what is not a whole file of this format. */
export async function readHistoryFile<T>(path: string, work: (source: Source) => Promise<T>): Promise<T> {
  const fd = opened(path, "r", "read");
  try {
    const stat = fs.fstatSync(fd);
    const header = stat.isFile() ? HEADER.exec(readFully(fd, 0, HEADER_BYTES).toString("latin1")) : null;
    if (header === null) throw new Refusal("invalid_input", `${shown(path)} is not a history that stet exported.`);
    const [, seq, hash, versions, bytes] = header;
    if (Number(bytes) !== stat.size) throw damagedFile(path);
    const head = { seq: Number(seq), hash: hash as Sha };
    return await work(sourceIn(fd, path, stat.size, head, Number(versions)));
  } finally {
    closeQuietly(fd);
  }
}

function sourceIn(fd: number, path: string, size: number, head: Reached, versions: number): Source {
  return {
    head,
    damaged: [],
    async *history() {
      yield* itemsIn(fd, HEADER_BYTES, size);
    },
    async verify() {
      const chain = new Chain({}, []);
      let left = versions;
      for (const item of itemsIn(fd, HEADER_BYTES, size)) {
        if (item.kind === "version") left--;
        else if (!chain.line(item.line)) break;
      }
      chain.end(head);
      const verification = chain.finish();
      if (verification.ok && left !== 0) throw damagedFile(path);
      return verification;
    },
  };
}

function opened(path: string, flags: string, what: string): number {
  try {
    return fs.openSync(path, flags, 0o600);
  } catch (error) {
    throw refusalOf(error, path, what);
  }
}

function refuseTaken(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new Refusal("already_exists", `${shown(path)} is there already.`, {
    next: "Name a file that is not there yet.",
  });
}

function damagedFile(path: string): Refusal {
  return new Refusal("invalid_input", `${shown(path)} is damaged or was cut off. Nothing of it was used.`, {
    next: "Export it again.",
  });
}
