// The journal on disk: appending to the chain, following what other processes append, and the last word on every path.
import fs from "node:fs";
import type { Entry, EntryDraft, Head, LogFilter, Path, Sha, Use, VerifyOptions } from "../../../core/backend.ts";
import { JOURNAL_LIMITS, LIMITS } from "../../../core/limits.ts";
import { damaged, readLine, START, type Tail } from "../../journal/entry.ts";
import type { Heads } from "../../journal/last-words.ts";
import { signedNote } from "../../journal/signed-heads.ts";
import { closeQuietly, isFlushed } from "../io.ts";
import type { JournalOptions } from "../options.ts";
import { type Indexes, openIndexes } from "./indexes.ts";
import { type Reach, readChained, readEntries, readLog, readUses } from "./log.ts";
import {
  type Appended,
  createSegment,
  endsWith,
  isAsLeft,
  lastEntry,
  moveAside,
  type OpenSegment,
  openedToWrite,
  openSegment,
  sealTogether,
  tailAt,
  tailBefore,
} from "./open-segment.ts";
import { appendWhole, journalFailure, linesForward, listSegments, segmentPath, wholeEnd } from "./segment.ts";
import { loadHeads, writeSnapshot } from "./snapshot.ts";
import { openSignedHeadLines, verifyJournal } from "./verify.ts";

/** `dir` must exist. Opening reads the names of the segments and the end of the last one, however long the journal is. */
export function openJournal(dir: string, options: JournalOptions = {}): Journal {
  return new Journal(dir, options);
}

/**
 * Reading needs no lock. `append`, `unappend`, `repairTail` and `signHead` need the lock of the workspace, and
 * `append` and `signHead` a `follow` since it was taken.
 */
export class Journal {
  readonly #dir: string;
  readonly #segmentBytes: number;
  readonly #snapshotEntries: number;
  readonly #now: () => Date;
  readonly #indexes: Indexes | null;
  #open: OpenSegment | null = null;
  #tail: Tail = START;
  #heads: Heads | null = null;
  #snapshotSeq = 1;
  #last: Appended | null = null;
  /** An entry that was there while this process held the lock: it can only vanish by tampering. */
  #settled: Tail = START;
  #broken: Error | null = null;
  /** A write failed: what it left behind must be looked at first. */
  #unsure = false;
  #directoryChanged = false;
  /** The last entry changes no file, so the disk may not have it: one that is appended to it could outlast it. */
  #mayLose = false;

  constructor(dir: string, options: JournalOptions) {
    this.#dir = dir;
    this.#segmentBytes = Math.min(options.segmentBytes ?? LIMITS.segmentBytes, JOURNAL_LIMITS.segmentBytes);
    this.#snapshotEntries = options.snapshotEntries ?? 500;
    this.#now = options.now ?? (() => new Date());
    this.#indexes = options.key === undefined ? null : openIndexes(dir, options.key);
    this.#findTail();
  }

  get tail(): Tail {
    return this.#tail;
  }

  /** The file that the last entry is in, to be synced. Good until the lock is released. */
  get fd(): number {
    if (this.#open === null) throw new Error("Nothing was appended yet.");
    return this.#open.fd;
  }

  /** A segment was created since `directorySynced`: the directory must be synced too before the entry in it is safe. */
  get directoryChanged(): boolean {
    return this.#directoryChanged;
  }

  directorySynced(): void {
    this.#directoryChanged = false;
  }

  /** Makes what was appended safe, also where every append waits for that. False: the disk did not confirm it. */
  flush(): boolean {
    const isSafe = this.#open === null || isFlushed(this.#open.fd);
    this.#mayLose &&= !isSafe;
    return isSafe;
  }

  /** Before an entry that will be flushed: no gap may be left in front of it by a power failure. */
  closeGap(): void {
    if (!this.#mayLose || this.flush()) return;
    throw journalFailure(new Error("it did not confirm it"), "The disk did not flush the journal");
  }

  /** Bytes of a line whose writing never ended: a crash, when seen under the lock; else perhaps a write under way. */
  get tornBytes(): number {
    return this.#open === null ? 0 : this.#open.size - this.#open.end;
  }

  /** Catches up with what other processes appended. `isAlone`: nothing, since this one last held the lock, which it does now. */
  follow({ isAlone = false } = {}): void {
    if (this.#broken !== null) throw this.#broken;
    if (isAlone && !this.#unsure && this.#open !== null && isAsLeft(this.#open)) return;
    try {
      this.#catchUp();
    } catch {
      this.#lookAfresh();
    }
    this.#unsure = false;
  }

  append(draft: EntryDraft): Entry {
    return this.appendTogether([draft])[0]!;
  }

  /** The first, and as many of the others as have room behind it: in one write, so that none can outlast one before it. */
  appendTogether(drafts: readonly EntryDraft[]): readonly Entry[] {
    if (this.#broken !== null) throw this.#broken;
    if (this.#unsure) this.follow();
    this.#makeWritable();
    if (this.tornBytes > 0) this.repairTail();
    const before = this.#tail;
    const sealed = sealTogether(drafts, before, this.#now());
    const open = this.#segmentFor(sealed[0]!.bytes.length, before.seq + 1);
    const fitting = sealed.filter(({ upTo }, n) => n === 0 || open.end + upTo <= this.#segmentBytes);
    this.#keepSnapshotIfDue(before.seq + 1);
    this.#unsure = true;
    open.end = appendWhole(open.fd, Buffer.concat(fitting.map(({ bytes }) => bytes)), open.end);
    this.#unsure = false;
    open.size = open.end;
    this.#settled = before;
    this.#last = null;
    for (const { entry, bytes } of fitting) {
      this.#last = { entry, bytes: bytes.length, before: this.#tail, last: this.#last };
      this.#stepTo(entry);
    }
    return fitting.map(({ entry }) => entry);
  }

  /** Removes the entry just appended, or all `since` one, while the lock is still held: what it says did not come to pass. */
  unappend(since?: Entry): void {
    while (since !== undefined && this.#tail.seq > since.seq) this.unappend();
    const last = this.#last;
    const open = this.#open;
    if (last === null || open === null || last.entry.seq !== this.#tail.seq) {
      throw new Error("Only the entry just appended by this process can be removed.");
    }
    const end = open.end - last.bytes;
    try {
      fs.ftruncateSync(open.fd, end);
    } catch (error) {
      throw journalFailure(error, `Journal entry ${last.entry.seq} could not be removed again`);
    }
    open.end = end;
    open.size = end;
    this.#tail = last.before;
    this.#last = last.last;
    try {
      if (this.#heads?.takeBack(last.entry) === false) this.#heads = null;
    } catch {
      this.#heads = null;
    }
  }

  /** Moves what a crash left of a line aside, into a file of its own, and notes it. Null when there is nothing. */
  repairTail(): Entry | null {
    this.follow();
    this.#makeWritable();
    const open = this.#open;
    const bytes = this.tornBytes;
    if (open === null || bytes === 0) return null;
    const file = moveAside(open, this.#dir, this.#now());
    this.#directoryChanged = true;
    const message = `The last ${bytes} bytes were no whole entry and were moved aside.`;
    return this.append({ ...RECOVERY, message, details: { bytes, file } });
  }

  get heads(): Heads {
    this.#heads ??= this.#loadHeads();
    return this.#heads;
  }

  head(path: Path): Head | null {
    return this.heads.get(path);
  }

  entry(seq: number): Entry | null {
    for (const entry of this.entries({ sinceSeq: seq, untilSeq: seq, newestFirst: true })) return entry;
    return null;
  }

  /** As far as followed. What has its place in the chain and is no entry otherwise is left out. */
  entries(filter: LogFilter = {}): Generator<Entry> {
    return readEntries(this.#reach(), filter);
  }

  log(filter: LogFilter = {}): AsyncGenerator<Entry> {
    return readLog(this.#reach(), filter);
  }

  /** In the order of the journal. */
  uses(shas: ReadonlySet<Sha>): AsyncGenerator<Use> {
    return readUses(this.#reach(), shas);
  }

  verify(options: VerifyOptions = {}): ReturnType<typeof verifyJournal> {
    return verifyJournal(this.#dir, options);
  }

  /** Signs the head; the statement is noted in the journal and beside it. A copy kept elsewhere proves a cut tail. */
  signHead(privateKey: string): { text: string; entry: Entry } {
    if (this.tornBytes > 0) this.repairTail();
    const { text, draft } = signedNote(this.#tail, privateKey);
    const beside = openSignedHeadLines(this.#dir);
    try {
      const entry = this.append(draft);
      if (beside.append(text)) this.#directoryChanged = true;
      return { text, entry };
    } finally {
      beside.close();
    }
  }

  close(): void {
    this.#broken = new Error("The journal was closed.");
    this.#switchTo(null);
    this.#heads = null;
  }

  /** Without the lock, a line may be taken back and replaced while it is read: only what several looks see is damage. */
  #lookAfresh(looksLeft = 2): void {
    try {
      this.#findTail();
    } catch (error) {
      if (looksLeft === 0 || this.#broken !== null) throw error;
      this.#lookAfresh(looksLeft - 1);
    }
  }

  #findTail(): void {
    const segments = listSegments(this.#dir);
    const last = segments.at(-1);
    if (last === undefined) {
      this.#standAt(null, START);
      return;
    }
    const open = openSegment(last.path, last.firstSeq);
    try {
      open.end = wholeEnd(open.fd, 0, open.size);
      this.#standAt(open, open.end > 0 ? lastEntry(open) : tailBefore(open, segments.at(-2)?.path));
    } finally {
      if (this.#open !== open) closeQuietly(open.fd);
    }
  }

  #standAt(open: OpenSegment | null, tail: Tail): void {
    this.#switchTo(open);
    this.#tail = tail;
    this.#heads = null;
    if (this.#last?.entry.hash !== tail.hash) this.#last = null;
    const { seq, hash } = this.#settled;
    if (tail.seq >= seq && this.#hashAt(seq) === hash) return;
    this.#broken = damaged(`Journal entry ${seq}, which was there before, is gone or was replaced.`, { seq });
    throw this.#broken;
  }

  #hashAt(seq: number): Sha | undefined {
    if (seq === this.#tail.seq) return this.#tail.hash;
    if (seq === 0) return START.hash;
    for (const { hash } of readChained(this.#reach(), { sinceSeq: seq, untilSeq: seq, newestFirst: true })) return hash;
    return undefined;
  }

  #switchTo(open: OpenSegment | null): void {
    const before = this.#open;
    this.#open = open;
    if (before !== null) closeQuietly(before.fd);
  }

  #catchUp(): void {
    for (;;) {
      this.#readOn();
      const next = this.#tail.seq + 1;
      if (this.#open?.firstSeq === next) return;
      const path = segmentPath(this.#dir, next);
      if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
      this.#switchTo(openSegment(path, next));
    }
  }

  #readOn(): void {
    const open = this.#open;
    if (open === null) return;
    const { size, nlink } = fs.fstatSync(open.fd);
    if (nlink === 0 || size < open.end || !endsWith(open, this.#tail)) {
      this.#findTail();
      return;
    }
    open.size = size;
    if (size === open.end) return;
    const end = wholeEnd(open.fd, open.end, size);
    if (end === open.end) return;
    if (this.#heads === null) {
      open.end = end;
      this.#tail = lastEntry(open);
      return;
    }
    this.#takeLines(open, end);
  }

  #takeLines(open: OpenSegment, end: number): void {
    for (const lines of linesForward(open.fd, open.end, end)) {
      for (const line of lines) {
        const { entry, intact } = readLine(line);
        if (entry === null || !intact || entry.prev !== this.#tail.hash || entry.seq !== this.#tail.seq + 1) {
          this.#findTail();
          return;
        }
        open.end += line.length + 1;
        this.#stepTo(entry);
      }
    }
  }

  #stepTo(entry: Entry): void {
    this.#tail = tailAt(entry);
    this.#mayLose = entry.outcome !== "applied";
    try {
      this.#heads?.apply(entry);
    } catch {
      this.#heads = null; // the entry stands all the same
    }
  }

  /** What could only be read when it was opened may be written by now. */
  #makeWritable(): void {
    const open = this.#open;
    if (open === null || open.writable) return;
    this.#switchTo(openedToWrite(open, segmentPath(this.#dir, open.firstSeq)));
  }

  #segmentFor(bytes: number, seq: number): OpenSegment {
    const open = this.#open;
    if (open !== null && (open.end === 0 || open.end + bytes <= this.#segmentBytes)) return open;
    try {
      if (open !== null) fs.fdatasyncSync(open.fd);
      this.#switchTo(createSegment(segmentPath(this.#dir, seq), seq));
      if (open !== null) this.#indexes?.make(open.firstSeq, seq - 1);
      this.#directoryChanged = true;
      this.#heads ??= this.#loadHeadsQuietly(); // so that journals get snapshots even where no caller asks for heads
      return this.#open!;
    } catch (error) {
      throw journalFailure(error, "A new segment of the journal could not be started");
    }
  }

  /** Each one is as large as there are paths, so it must have been worth as many entries. */
  #keepSnapshotIfDue(seq: number): void {
    if (this.#heads === null) return;
    const worth = Math.max(this.#snapshotEntries, this.#heads.size);
    if (seq - this.#snapshotSeq >= worth)
      this.#snapshotSeq = writeSnapshot(this.#dir, seq, worth, this.#tail, this.#heads);
  }

  #loadHeadsQuietly(): Heads | null {
    try {
      return this.#loadHeads();
    } catch {
      return null; // a caller that asks for a head is told what is damaged; recording must go on
    }
  }

  #loadHeads(): Heads {
    const { heads, snapshotSeq } = loadHeads(() => this.#reach(), this.#tail);
    this.#snapshotSeq = snapshotSeq;
    return heads;
  }

  #reach(): Reach {
    const open = this.#open;
    return {
      dir: this.#dir,
      lastSeq: this.#tail.seq,
      open: open === null ? null : { firstSeq: open.firstSeq, end: open.end },
      indexes: this.#indexes,
    };
  }
}

const RECOVERY = { session: "stet", tool: "recovery", outcome: "note", changes: [] } as const;
