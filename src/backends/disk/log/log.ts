// The log of a workspace: appends entries and the versions they bring, follows other processes, knows the last word on every path.
import fs from "node:fs";
import type { Entry, EntryDraft, Head, Path, Sha, Version } from "../../../core/backend.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { RECOVERY } from "../../journal/draft.ts";
import { damaged, GENESIS, placeAfter, readLine, START, seal, type Tail } from "../../journal/entry.ts";
import { abortedBy, applyTo } from "../../journal/heads.ts";
import { refusalOf } from "../errno.ts";
import { closeQuietly, flushData, flushDirectory, isFlushed } from "../io.ts";
import { readDerived, saveDerived } from "./derived-file.ts";
import { readEntries } from "./query.ts";
import { encodeRecord, type ReadAt, type RecordDraft, walkRecords } from "./record.ts";
import {
  addRecord,
  appendWhole,
  createSegment,
  entryAt,
  listSegments,
  moveTornAside,
  type OpenSegment,
  openEnd,
  openSegment,
  openToWrite,
  type Part,
  readSegment,
  recordsOf,
  rewriteWithout,
  segmentPath,
  wholeRecords,
  windowOn,
} from "./segment.ts";
import { fromIndex } from "./segment-index.ts";

export interface LogOptions {
  readonly segmentBytes: number;
  /** Entries up to this one were whole before: one that is not by now was damaged, and is no torn tail. */
  readonly settledSeq: () => number;
}

/** What one entry says, and the versions that it brings. */
export interface Addition {
  readonly draft: EntryDraft;
  readonly blobs: readonly Version[];
}

/**
 * `dir` must exist. Opening reads the headers of the last segment, however long the log is. Reading needs no lock;
 * whatever writes needs the lock of the workspace and a `begin` since it was taken.
 */
export class Log {
  readonly dir: string;
  readonly #segmentBytes: number;
  readonly #settledSeq: () => number;
  #open: OpenSegment | null = null;
  #tail: Tail = START;
  #heads: SavedHeads | null = null;
  #broken: Error | null = null;
  /** A flush failed: the pages of the file are not to be relied on. */
  #isFlushLost = false;
  /** A segment was created: its name is safe only once the directory is flushed. */
  #isDirectoryChanged = false;

  constructor(dir: string, { segmentBytes, settledSeq }: LogOptions) {
    this.dir = dir;
    this.#segmentBytes = Math.min(segmentBytes, JOURNAL_LIMITS.segmentBytes);
    this.#settledSeq = settledSeq;
    this.#findTail();
  }

  get tail(): Tail {
    return this.#tail;
  }

  /** The segment that is appended to. */
  get open(): OpenSegment | null {
    return this.#open;
  }

  /** The last word on every path. */
  get heads(): ReadonlyMap<Path, Head> {
    this.#heads ??= openHeads(this.dir, this.reach());
    return this.#heads.heads;
  }

  /** The same object until there is another word, so that what follows from it can be kept with it. */
  head(path: Path): Head | null {
    return this.heads.get(path) ?? null;
  }

  /** Its segments, as far as followed: what queries go by. */
  reach(): Part[] {
    const open = this.#open;
    const segments = listSegments(this.dir).filter(({ firstSeq }) => open !== null && firstSeq <= open.firstSeq);
    return segments.map((segment, i) => ({
      ...segment,
      lastSeq: (segments[i + 1]?.firstSeq ?? this.#tail.seq + 1) - 1,
      open: segment.firstSeq === open?.firstSeq ? open : null,
    }));
  }

  /** Under the lock, before anything is written: catches up, and moves what a crash left of a record aside. */
  begin(): void {
    this.#followToWrite();
    this.#cutTail();
  }

  #followToWrite(): void {
    this.follow();
    if (this.#open?.isWritable === false) this.#switchTo(openToWrite(this.#open));
  }

  /** Catches up with what other processes appended. */
  follow(): void {
    if (this.#broken !== null) throw this.#broken;
    if (!this.#readOn()) this.#findTail();
  }

  /** In one write. An addition that is no entry is answered with its refusal, and the others stand. */
  append(additions: readonly Addition[]): readonly (Entry | Error)[] {
    this.#prepareToWrite();
    let tail: Tail = this.#tail;
    const records: RecordDraft[] = [];
    const answers = additions.map(({ draft, blobs }) => {
      try {
        const { entry, line } = seal(draft, placeAfter(tail, new Date()));
        tail = entry;
        records.push({ line, blobs });
        return entry;
      } catch (error) {
        return error as Error;
      }
    });
    this.#write(records);
    for (const answer of answers) if (!(answer instanceof Error)) this.#stepTo(answer);
    return answers;
  }

  record(draft: EntryDraft): Entry {
    const [entry] = this.append([{ draft, blobs: [] }]);
    if (entry instanceof Error) throw entry;
    return entry!;
  }

  /** Versions without an entry. `keptAt`: when they were kept elsewhere, if they come from there. */
  keep(blobs: RecordDraft["blobs"], { keptAt, ...kind }: Pick<RecordDraft, "isSeen"> & { keptAt?: number } = {}): void {
    this.#prepareToWrite();
    if (blobs.length > 0) this.#write([{ blobs, ...kind }], keptAt);
  }

  /** The next entry, as it is stored elsewhere. */
  copy(line: Buffer): void {
    const { entry, intact } = readLine(line);
    if (entry?.prev !== this.#tail.hash || !intact || entry.seq !== this.#tail.seq + 1)
      throw damaged(`Journal entry ${this.#tail.seq + 1} is missing.`);
    this.#prepareToWrite();
    this.#write([{ line, blobs: [] }]);
    this.#stepTo(entry);
  }

  /** Makes everything that was appended safe from a power failure. Without the lock, nothing is written anew for it. */
  async flush({ isLocked = true } = {}): Promise<void> {
    if (this.#isFlushLost && !isLocked) throw new Error("A flush of the journal failed.");
    const fd = this.#toFlush();
    if (fd === null) return;
    // Of pages that could not be written, the system may say next time that they were.
    await flushData(fd).catch((error) => {
      this.#isFlushLost = true;
      throw error;
    });
  }

  close(): void {
    this.#broken = new Error("The journal was closed.");
    this.#switchTo(null);
  }

  #toFlush(): number | null {
    if (this.#isFlushLost) this.#writeAnew();
    if (this.#open === null) return null;
    if (this.#isDirectoryChanged) flushDirectory(this.dir);
    this.#isDirectoryChanged = false;
    return this.#open.fd;
  }

  /** After a flush that failed: all that is in the segment goes into a new file, before anything more does. */
  #writeAnew(): void {
    if (this.#open === null) return;
    this.#isFlushLost = true;
    written(() => rewriteWithout(this.#open!.path, new Set()));
    this.#isFlushLost = false;
    this.#followToWrite();
  }

  /** What a write that failed left behind is looked at first. */
  #prepareToWrite(): void {
    this.begin();
    if (this.#isFlushLost) this.#writeAnew();
  }

  #write(records: readonly RecordDraft[], time = Date.now()): void {
    if (records.length === 0) return;
    const bytes = Buffer.concat(records.map((record) => encodeRecord(record, time)));
    const open = this.#segmentFor(bytes.length);
    this.#heads?.saveIfDue(this.#tail);
    const from = open.end;
    written(() => appendWhole(open.fd, bytes, from));
    const read: ReadAt = (offset, length) => bytes.subarray(offset - from, offset - from + length);
    for (const record of walkRecords(read, { from, to: from + bytes.length })) addRecord(open, record);
  }

  #stepTo(entry: Entry): void {
    this.#tail = { seq: entry.seq, hash: entry.hash, at: entry.at };
    if (entry.outcome === "aborted") this.#heads = null;
    if (this.#heads !== null) applyTo(this.#heads.heads, entry);
  }

  #segmentFor(bytes: number): OpenSegment {
    const open = this.#open;
    if (open !== null && (open.lines.length === 0 || open.end + bytes <= this.#segmentBytes)) return open;
    if (open !== null && !isFlushed(this.#toFlush()!)) this.#writeAnew();
    const firstSeq = this.#tail.seq + 1;
    this.#switchTo(written(() => createSegment({ path: segmentPath(this.dir, firstSeq), firstSeq })));
    if (open !== null) this.#seal(open, firstSeq - 1);
    return this.#open!;
  }

  /** Makes its index; and what sessions saw is looked for in the last two segments only. */
  #seal({ path, firstSeq }: OpenSegment, lastSeq: number): void {
    readSegment(path, (file) => fromIndex({ path, firstSeq, lastSeq }, file, () => true));
    void this.heads; // so that logs get snapshots even where no caller asks for heads
    const [old] = listSegments(this.dir).slice(-3, -2);
    if (old === undefined) return;
    try {
      if (readSegment(old.path, (file) => recordsOf(file, firstSeq - 1).some(({ seen }) => seen !== undefined)))
        rewriteWithout(old.path, new Set());
    } catch {
      // The next segment that is dropped from tries it again.
    }
  }

  #cutTail(): void {
    const bytes = this.#open === null ? 0 : fs.fstatSync(this.#open.fd).size - this.#open.end;
    if (bytes === 0) return;
    const file = written(() => moveTornAside(this.#open!, this.dir, new Date()));
    this.#isDirectoryChanged = true;
    const message = `The last ${bytes} bytes were no whole entry and were moved aside.`;
    this.record({ ...RECOVERY, outcome: "note", changes: [], message, details: { bytes, file } });
  }

  /** False where the log is not what it was, and more. */
  #readOn(): boolean {
    for (;;) {
      const open = this.#open;
      if (open !== null) {
        const { size, nlink } = fs.fstatSync(open.fd);
        if (nlink === 0 || size < open.end) return false;
        const read = windowOn(open.fd);
        const stretch = { from: open.end, to: size, settled: 0 };
        for (const record of size > open.end ? wholeRecords(open.fd, this.#tail.seq, stretch) : []) {
          const entry = record.line && entryAt(read, record.line);
          if (record.line !== null && (entry?.prev !== this.#tail.hash || entry.seq !== this.#tail.seq + 1))
            return false;
          addRecord(open, record);
          if (entry) this.#stepTo(entry);
        }
        if (open.end < size) return false;
      }
      const firstSeq = this.#tail.seq + 1;
      const path = segmentPath(this.dir, firstSeq);
      if (open?.firstSeq === firstSeq || fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return true;
      this.#switchTo(openSegment({ path, firstSeq }));
    }
  }

  #findTail(): void {
    // First: what is settled before the log is read must be in it.
    const settled = this.#settledSeq();
    const { open, tail } = openEnd(listSegments(this.dir), settled);
    this.#switchTo(open);
    if (tail.hash !== this.#tail.hash) this.#heads = null;
    this.#tail = tail;
    if (tail.seq < settled)
      this.#break(settled, `The journal reached entry ${settled} and ends at entry ${tail.seq} now.`);
  }

  /** For good: what stands at another end now would be appended to there. */
  #break(seq: number, why: string): never {
    this.#switchTo(null);
    this.#broken = damaged(why, { seq });
    throw this.#broken;
  }

  #switchTo(open: OpenSegment | null): void {
    const before = this.#open;
    this.#open = open;
    // One that was created, here or by another process, has a name that may not be safe yet.
    if (open !== null && open !== before) this.#isDirectoryChanged = true;
    if (before !== null && before !== open) closeQuietly(before.fd);
  }
}

function written<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusalOf(error, "the journal", "write to");
  }
}

// The last word on every path, kept now and then, so that opening a log does not read all of it.

/** The state after an entry. */
interface Snapshot extends Pick<Tail, "seq" | "hash"> {
  readonly rows: readonly (readonly [Path, number, Sha | null])[];
}

interface SavedHeads {
  readonly heads: Map<Path, Head>;
  saveIfDue(tail: Tail): void;
}

/** From the snapshot and the entries since then; from all entries where it is not of this log. What is damaged is passed over. */
function openHeads(dir: string, parts: readonly Part[], isWithout = false): SavedHeads {
  const path = `${dir}/last-words.heads`;
  const kept = readDerived<Snapshot, Snapshot>(path, (each) => (isOf(parts, each) ? each : null));
  const { seq, rows } = isWithout || kept === null ? EMPTY : kept;
  const aborted = abortedBy(readEntries(parts, { sinceSeq: seq + 1, outcomes: ["aborted"] }));
  if ([...aborted].some((each) => each <= seq)) return openHeads(dir, parts, true);
  const heads = new Map(rows.map(([of, at, sha]): [Path, Head] => [of, { seq: at, sha }]));
  for (const entry of readEntries(parts, { sinceSeq: seq + 1 })) if (!aborted.has(entry.seq)) applyTo(heads, entry);
  let savedSeq = seq;
  return {
    heads,
    /** Each one is as large as there are paths, so it must have been worth as many entries. */
    saveIfDue(tail) {
      if (tail.seq - savedSeq < Math.max(MIN_ENTRIES, heads.size) || heads.size > MAX_PATHS) return;
      const all = [...heads].map(([of, head]) => [of, head.seq, head.sha]);
      saveDerived(path, { seq: tail.seq, hash: tail.hash, rows: all });
      savedSeq = tail.seq;
    },
  };
}

const EMPTY: Snapshot = { seq: 0, hash: GENESIS, rows: [] };

function isOf(parts: readonly Part[], { seq, hash }: Snapshot): boolean {
  const [entry] = readEntries(parts, { sinceSeq: seq, untilSeq: seq });
  return entry?.hash === hash;
}

const MIN_ENTRIES = 500;
/** Where there are more, it is done without. */
const MAX_PATHS = 500_000;
