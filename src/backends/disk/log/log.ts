// The log of a workspace: appends entries and the versions they bring, follows other processes, knows the last word on every path.
import fs from "node:fs";
import type { Entry, EntryDraft, Head, Path, Version } from "../../../core/backend.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { RECOVERY } from "../../journal/draft.ts";
import { damaged, placeAfter, START, seal, type Tail } from "../../journal/entry.ts";
import type { Heads } from "../../journal/heads.ts";
import { closeQuietly, flushData, flushDirectory, isFlushed, readFully } from "../io.ts";
import type { StateFile } from "../state-file.ts";
import { rewriteWithout } from "./blobs.ts";
import { chainedSince, type Reach } from "./query.ts";
import { bytesIn, encodeRecord, type ReadAt, type RecordDraft, walkRecords } from "./record.ts";
import {
  addRecord,
  appendWhole,
  createSegment,
  intactEntryAt,
  isWhole,
  listSegments,
  logFailure,
  moveTornAside,
  type OpenSegment,
  openSegment,
  openToWrite,
  readSegment,
  recordsOf,
  segmentPath,
  windowOn,
} from "./segment.ts";
import { fromIndex } from "./segment-index.ts";
import { loadHeads, writeSnapshot } from "./snapshot.ts";
import { openEnd } from "./tail.ts";

export interface LogOptions {
  readonly segmentBytes: number;
  /** Entries up to this one were whole before: one that is not by now was damaged, and is no torn tail. */
  readonly settledSeq: () => number;
  readonly now?: () => Date;
}

/** What one entry says, and the versions that it brings. */
export interface Addition {
  readonly draft: EntryDraft;
  readonly blobs: readonly Version[];
}

/**
 * `dir` must exist. Opening reads the headers of the last segment, however long the log is. Reading needs no lock;
 * whatever writes needs the lock of the workspace and a `follow` since it was taken.
 */
export class Log {
  readonly dir: string;
  readonly #segmentBytes: number;
  readonly #settledSeq: () => number;
  readonly #now: () => Date;
  #open: OpenSegment | null = null;
  #tail: Tail = START;
  #heads: Heads | null = null;
  #snapshotSeq = 1;
  #broken: Error | null = null;
  /** A write failed: what it left behind must be looked at first. */
  #isUnsure = false;
  /** A flush failed: the pages of the file are not to be relied on. */
  #isFlushLost = false;
  /** A segment was created: its name is safe only once the directory is flushed. */
  #isDirectoryChanged = false;

  constructor(dir: string, { segmentBytes, settledSeq, now = () => new Date() }: LogOptions) {
    this.dir = dir;
    this.#segmentBytes = Math.min(segmentBytes, JOURNAL_LIMITS.segmentBytes);
    this.#settledSeq = settledSeq;
    this.#now = now;
    this.#findTail();
  }

  get tail(): Tail {
    return this.#tail;
  }

  /**
   * Under the lock, before anything is written: catches up, and moves what a crash left of a record aside. `isAlone`: no
   * other process can have appended, since this one last held the lock.
   */
  begin({ isAlone = false } = {}): void {
    if (isAlone && this.#broken === null && !this.#isUnsure && this.#isAsLeft()) return;
    this.follow();
    this.#makeWritable();
    this.#cutTail();
  }

  /** Catches up with what other processes appended. */
  follow(): void {
    if (this.#broken !== null) throw this.#broken;
    try {
      this.#catchUp();
    } catch {
      this.#findTail();
    }
    this.#isUnsure = false;
  }

  /** In one write. An addition that is no entry is answered with its refusal, and the others stand. */
  append(additions: readonly Addition[]): readonly (Entry | Error)[] {
    this.#prepareToWrite();
    let tail: Tail = this.#tail;
    const records: { entry: Entry; record: RecordDraft }[] = [];
    const answers = additions.map(({ draft, blobs }) => {
      try {
        const { entry, line } = seal(draft, placeAfter(tail, this.#now()));
        tail = entry;
        records.push({ entry, record: { line, blobs } });
        return entry;
      } catch (error) {
        return error as Error;
      }
    });
    this.#write(records.map(({ record }) => record));
    for (const { entry } of records) this.#stepTo(entry);
    return answers;
  }

  record(draft: EntryDraft): Entry {
    const [entry] = this.append([{ draft, blobs: [] }]);
    if (entry instanceof Error) throw entry;
    return entry!;
  }

  /** Versions without an entry. */
  keep(blobs: readonly Version[], rest: Pick<RecordDraft, "renewed" | "isSeen"> = {}): void {
    this.#prepareToWrite();
    if (blobs.length + (rest.renewed?.length ?? 0) > 0) this.#write([{ blobs, ...rest }]);
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
    try {
      rewriteWithout(segmentPath(this.dir, this.#open.firstSeq), new Set());
    } catch (error) {
      throw logFailure(error, "The journal could not be written anew");
    }
    this.#isFlushLost = false;
    this.follow();
  }

  /** Begins a new segment, and makes the index of the old one. */
  #rotate(): void {
    if (this.#open === null || this.#open.lines.length === 0) return;
    const { firstSeq } = this.#open;
    const lastSeq = this.#tail.seq;
    try {
      this.#switchTo(createSegment(segmentPath(this.dir, lastSeq + 1), lastSeq + 1));
    } catch (error) {
      throw logFailure(error, "A new segment of the journal could not be started");
    }
    const sealed = { firstSeq, lastSeq, path: segmentPath(this.dir, firstSeq) };
    readSegment(sealed.path, (file) => fromIndex(sealed, file, () => true));
    this.#dropSeen();
  }

  /** What sessions saw is looked for in the last two segments only. */
  #dropSeen(): void {
    const [old, next] = listSegments(this.dir).slice(-3, -1);
    if (old === undefined || next === undefined) return;
    const holdsSeen = (file: StateFile): boolean =>
      recordsOf(file, next.firstSeq - 1).some(({ seen }) => seen !== undefined);
    try {
      if (readSegment(old.path, holdsSeen)) rewriteWithout(old.path, new Set());
    } catch {
      // The next segment that is dropped from tries it again.
    }
  }

  /** Under the lock, after a crash: the first record behind this entry whose bytes did not all reach the disk is torn. */
  checkSince(seq: number): void {
    const open = this.#open;
    if (open === null) return;
    let next = open.firstSeq;
    for (const record of walkRecords(windowOn(open.fd), 0, open.end, seq)) {
      next = record.line === null ? next : record.line.seq + 1;
      if (next - 1 <= seq || isWhole(open.fd, record)) continue;
      this.#makeWritable();
      this.#findTail(record.offset);
      this.#cutTail();
      return;
    }
  }

  #cutTail(): void {
    if (this.#open === null) return;
    const bytes = fs.fstatSync(this.#open.fd).size - this.#open.end;
    if (bytes === 0) return;
    const file = moveTornAside(this.#open, this.dir, this.#now());
    this.#isDirectoryChanged = true;
    const message = `The last ${bytes} bytes were no whole entry and were moved aside.`;
    this.record({ ...RECOVERY, outcome: "note", changes: [], message, details: { bytes, file } });
  }

  #prepareToWrite(): void {
    if (this.#broken !== null) throw this.#broken;
    if (this.#isUnsure) this.begin();
    this.#makeWritable();
    if (this.#isFlushLost) this.#writeAnew();
  }

  get heads(): Heads {
    if (this.#heads === null) {
      const { heads, snapshotSeq } = loadHeads(() => this.reach(), this.#tail);
      this.#heads = heads;
      this.#snapshotSeq = snapshotSeq;
    }
    return this.#heads;
  }

  head(path: Path): Head | null {
    return this.heads.get(path);
  }

  /** The segment that is appended to. */
  get open(): OpenSegment | null {
    return this.#open;
  }

  close(): void {
    this.#broken = new Error("The journal was closed.");
    this.#switchTo(null);
  }

  #write(records: readonly RecordDraft[]): void {
    if (records.length === 0) return;
    const time = this.#now().getTime();
    const pieces = records.flatMap((record) => encodeRecord(record, time));
    const open = this.#segmentFor(bytesIn(pieces));
    this.#keepSnapshotIfDue();
    const from = open.end;
    this.#isUnsure = true;
    const end = appendWhole(open.fd, pieces, from);
    this.#isUnsure = false;
    const written = Buffer.concat(pieces);
    for (const record of walkRecords(readIn(written, from), from, end)) addRecord(open, record);
  }

  #stepTo(entry: Entry): void {
    this.#tail = { seq: entry.seq, hash: entry.hash, at: entry.at };
    try {
      this.#heads?.apply(entry);
    } catch {
      this.#heads = null; // the entry stands all the same
    }
  }

  #isAsLeft(): boolean {
    if (this.#open === null) return false;
    const { size, nlink } = fs.fstatSync(this.#open.fd);
    return nlink > 0 && size === this.#open.end;
  }

  /** `upTo`: what lies behind is no whole record. */
  #findTail(upTo = Number.POSITIVE_INFINITY): void {
    // First: what is settled before the log is read must be in it.
    const settled = this.#settledSeq();
    const { open, tail } = openEnd(this.dir, settled, upTo);
    try {
      this.#standAt(open, tail, settled);
    } finally {
      if (open !== null && this.#open !== open) closeQuietly(open.fd);
    }
  }

  #standAt(open: OpenSegment | null, tail: Tail, settled: number): void {
    const before = this.#tail;
    this.#switchTo(open);
    if (tail.hash !== before.hash) this.#heads = null;
    this.#tail = tail;
    if (tail.seq < settled)
      this.#break(settled, `The journal reached entry ${settled} and ends at entry ${tail.seq} now.`);
    if (before.seq === 0 || before.seq > settled) return;
    const [entry] = tail.seq > before.seq ? chainedSince(this.reach(), before.seq) : [tail];
    if (entry?.seq === before.seq && entry.hash === before.hash) return;
    this.#break(before.seq, `Journal entry ${before.seq}, which was there before, is gone or was replaced.`);
  }

  /** For good: what stands at another end now would be appended to there. */
  #break(seq: number, why: string): never {
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

  #catchUp(): void {
    for (;;) {
      this.#readOn();
      const next = this.#tail.seq + 1;
      if (this.#open?.firstSeq === next) return;
      const path = segmentPath(this.dir, next);
      if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
      this.#switchTo(openSegment(path, next));
    }
  }

  #readOn(): void {
    const open = this.#open;
    if (open === null) return;
    const { size, nlink } = fs.fstatSync(open.fd);
    if (nlink === 0 || size < open.end || !this.#endsWithTail(open)) {
      this.#findTail();
      return;
    }
    const read = windowOn(open.fd);
    for (const record of walkRecords(read, open.end, size)) {
      const entry = record.line && intactEntryAt(read, record.line);
      if (record.line !== null && (entry?.prev !== this.#tail.hash || entry.seq !== this.#tail.seq + 1)) return;
      addRecord(open, record);
      if (entry !== null) this.#stepTo(entry);
    }
  }

  #endsWithTail(open: OpenSegment): boolean {
    const line = open.lines.at(-1);
    if (line === undefined) return true;
    const read = readFully(open.fd, line.start + line.bytes - HASH_END, 64);
    return read.toString("latin1") === this.#tail.hash;
  }

  /** What could only be read when it was opened may be written by now. */
  #makeWritable(): void {
    const open = this.#open;
    if (open === null || open.isWritable) return;
    this.#switchTo(openToWrite(open, segmentPath(this.dir, open.firstSeq)));
  }

  #segmentFor(bytes: number): OpenSegment {
    const open = this.#open;
    if (open !== null && (open.lines.length === 0 || open.end + bytes <= this.#segmentBytes)) return open;
    if (open === null) this.#switchTo(createSegment(segmentPath(this.dir, this.#tail.seq + 1), this.#tail.seq + 1));
    else {
      if (!isFlushed(this.#toFlush()!)) this.#writeAnew();
      this.#rotate();
      void this.heads; // so that logs get snapshots even where no caller asks for heads
    }
    return this.#open!;
  }

  /** Each one is as large as there are paths, so it must have been worth as many entries. */
  #keepSnapshotIfDue(): void {
    if (this.#heads === null) return;
    const seq = this.#tail.seq + 1;
    if (seq - this.#snapshotSeq < Math.max(SNAPSHOT_ENTRIES, this.#heads.size)) return;
    writeSnapshot(this.dir, seq, this.#tail, this.#heads);
    this.#snapshotSeq = seq;
  }

  /** As far as followed: what queries go by. */
  reach(): Reach {
    const open = this.#open;
    return {
      dir: this.dir,
      lastSeq: this.#tail.seq,
      open: open === null ? null : { firstSeq: open.firstSeq, ino: open.ino, lines: open.lines },
    };
  }
}

const SNAPSHOT_ENTRIES = 500;
/** Where the hash begins, from the end of a line with its line end. */
const HASH_END = 64 + 3;

const readIn =
  (bytes: Buffer, from: number): ReadAt =>
  (offset, length) =>
    bytes.subarray(offset - from, offset - from + length);
