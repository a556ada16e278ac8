// One record of the log: a header, the line of an entry or none, and the bytes of versions that are kept with it.
import type { Sha, Version } from "../../../core/backend.ts";
import { sizeOf } from "../../../core/version.ts";
import { readLine, seqOfLine } from "../../journal/entry.ts";

export const HEADER_BYTES = 24;
const BLOB_HEADER_BYTES = 36;
const MAGIC = Buffer.from("stet");
/** A kind of record: in the place of a version is what a session saw. */
const SEEN = 1;
/** In place of a size: the bytes are in an earlier record, and the version counts as kept from now on. */
const KEPT_ANEW = 0xffff_ffff;
const LINE_END = Buffer.from("\n");
/** Of a line, enough to find its number. */
const SEQ_BYTES = 24;

/** The line of an entry in a segment. */
export interface LineAt {
  readonly seq: number;
  readonly start: number;
  /** With its line end. */
  readonly bytes: number;
}

/** A version in a segment. */
export interface BlobAt {
  readonly sha: Sha;
  readonly size: number;
  /** Of its bytes, from the start of the segment. 0: they are in an earlier record, and it was kept anew. */
  readonly offset: number;
  readonly keptAt: number;
}

/** A record in a segment. */
export interface RecordAt {
  readonly offset: number;
  readonly end: number;
  /** When it was written: milliseconds since 1970. */
  readonly time: number;
  /** Null where the record only keeps versions. */
  readonly line: LineAt | null;
  readonly blobs: readonly BlobAt[];
  /** What a session saw, as JSON under its sha256. */
  readonly seen: BlobAt | undefined;
}

export interface RecordDraft {
  /** Without a line end. */
  readonly line?: string | Buffer;
  /** Without parts: one that is in the log already, and is kept anew. */
  readonly blobs: readonly (Version | Pick<Version, "sha">)[];
  /** The one blob is what a session saw, and no version. */
  readonly isSeen?: true;
}

export function encodeRecord({ line, blobs, isSeen }: RecordDraft, time: number): Buffer {
  const text = line === undefined ? [] : [typeof line === "string" ? Buffer.from(line) : line, LINE_END];
  const pieces = blobs.flatMap((blob) =>
    "parts" in blob ? [blobHeader(blob.sha, blob.size), ...blob.parts] : [blobHeader(blob.sha, KEPT_ANEW)],
  );
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(sizeOf(text), 4);
  header.writeUInt32LE(sizeOf(pieces), 8);
  header.writeUInt32LE(isSeen ? SEEN : 0, 12);
  header.writeDoubleLE(time, 16);
  return Buffer.concat([header, ...text, ...pieces]);
}

function blobHeader(sha: Sha, size: number): Buffer {
  const header = Buffer.alloc(BLOB_HEADER_BYTES);
  header.write(sha, 0, "hex");
  header.writeUInt32LE(size, 32);
  return header;
}

/** Reads `length` bytes at an offset, or fewer where the file ends. What it gives is good until the next call. */
export type ReadAt = (offset: number, length: number) => Buffer;

/** The bytes of records. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Entries up to this one were whole before. */
  readonly settled?: number;
}

/**
 * The records of a stretch, by their headers alone, up to the first that is not whole. As long as settled entries are
 * missing, that one is no torn end but was damaged: the walk goes on at the next entry that is whole.
 */
export function* walkRecords(read: ReadAt, { from, to, settled = 0 }: Stretch): Generator<RecordAt> {
  let seq = 0;
  for (let offset = from; ; ) {
    let record = recordAt(read, offset, to);
    if (record === null && seq < settled) record = nextEntry(read, { from: offset + 1, to }, seq);
    if (record === null) return;
    yield record;
    offset = record.end;
    seq = record.line?.seq ?? seq;
  }
}

/** Null where no whole record begins. */
function recordAt(read: ReadAt, offset: number, to: number): RecordAt | null {
  if (offset + HEADER_BYTES > to) return null;
  const header = read(offset, HEADER_BYTES + SEQ_BYTES);
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  const [lineBytes, blobBytes, kind] = [header.readUInt32LE(4), header.readUInt32LE(8), header.readUInt32LE(12)];
  const time = header.readDoubleLE(16);
  const start = offset + HEADER_BYTES;
  const end = start + lineBytes + blobBytes;
  if (end > to) return null;
  const line = lineBytes === 0 ? null : { seq: seqOfLine(header.subarray(HEADER_BYTES)), start, bytes: lineBytes };
  const blobs: BlobAt[] = [];
  for (let at = start + lineBytes; at < end; ) {
    const blob = read(at, BLOB_HEADER_BYTES);
    if (blob.length < BLOB_HEADER_BYTES || at + BLOB_HEADER_BYTES > end) return null;
    const sha = blob.toString("hex", 0, 32) as Sha;
    const size = blob.readUInt32LE(32);
    at += BLOB_HEADER_BYTES;
    const isHere = size !== KEPT_ANEW;
    if (isHere && at + size > end) return null;
    blobs.push({ sha, size: isHere ? size : 0, offset: isHere ? at : 0, keptAt: time });
    if (isHere) at += size;
  }
  const seen = kind === SEEN ? blobs.pop() : undefined;
  return { offset, end, time, line, blobs, seen };
}

/** The first record whose line is unaltered and has a number `above`: bytes of a version can look like a record too. */
function nextEntry(read: ReadAt, { from, to }: Stretch, above: number): RecordAt | null {
  for (let at = from; at + HEADER_BYTES <= to; ) {
    const found = read(at, SEARCH_BYTES).indexOf(MAGIC);
    const record = found === -1 ? null : recordAt(read, at + found, to);
    if (record?.line && record.line.seq > above && isUnaltered(read, record.line)) return record;
    at += found === -1 ? SEARCH_BYTES - MAGIC.length + 1 : found + 1;
  }
  return null;
}

const SEARCH_BYTES = 64 * 1024;

function isUnaltered(read: ReadAt, { start, bytes }: LineAt): boolean {
  return readLine(read(start, bytes).subarray(0, -1)).intact;
}
