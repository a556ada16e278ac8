// One record of the log: a header, the line of an entry or none, and the bytes of versions that are kept with it.
import type { Sha, Version } from "../../../core/backend.ts";

export const HEADER_BYTES = 24;
const BLOB_HEADER_BYTES = 36;
const MAGIC = 0x7465_7473;
/** Of a record that says what a session saw, in the place of a version. */
const SEEN = 1;
/** In place of a size: the version is in the log already, and counts as kept from now on. */
const RENEWED = 0xffff_ffff;

export interface RecordHeader {
  /** With its line end; 0 where the record only keeps versions. */
  readonly lineBytes: number;
  readonly blobBytes: number;
  /** When it was written: milliseconds since 1970. */
  readonly time: number;
  readonly kind: number;
}

/** A version in a segment. */
export interface BlobAt {
  readonly sha: Sha;
  readonly size: number;
  /** Of its bytes, from the start of the segment. */
  readonly offset: number;
  readonly keptAt: number;
}

export interface RecordDraft {
  /** Without a line end. */
  readonly line?: string;
  readonly blobs: readonly Version[];
  /** Versions that are in the log already, and count as kept from now on. */
  readonly renewed?: readonly Sha[];
  /** The one blob is what a session saw, and no version. */
  readonly isSeen?: true;
}

/** As it is written, in pieces. */
export function encodeRecord(draft: RecordDraft, time: number): readonly Uint8Array[] {
  const { line, blobs, renewed = [], isSeen } = draft;
  const text = line === undefined ? EMPTY : Buffer.from(`${line}\n`);
  const pieces: Uint8Array[] = [];
  for (const { sha, size, parts } of blobs) pieces.push(blobHeader(sha, size), ...parts);
  for (const sha of renewed) pieces.push(blobHeader(sha, RENEWED));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt32LE(text.length, 4);
  header.writeUInt32LE(bytesIn(pieces), 8);
  header.writeUInt32LE(isSeen ? SEEN : 0, 12);
  header.writeDoubleLE(time, 16);
  return [header, text, ...pieces];
}

export const bytesIn = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

function blobHeader(sha: Sha, size: number): Buffer {
  const header = Buffer.alloc(BLOB_HEADER_BYTES);
  header.write(sha, 0, "hex");
  header.writeUInt32LE(size, 32);
  return header;
}

const EMPTY = Buffer.alloc(0);

/** Null where no record begins. */
export function decodeHeader(bytes: Buffer): RecordHeader | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC) return null;
  const [lineBytes, blobBytes] = [bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
  return { lineBytes, blobBytes, time: bytes.readDoubleLE(16), kind: bytes.readUInt32LE(12) };
}

export interface Walked extends RecordHeader {
  /** Of the record, from the start of the segment. */
  readonly offset: number;
  /** Of the line of its entry. */
  readonly lineOffset: number;
  readonly blobs: readonly BlobAt[];
  /** Versions that were in the log before this record; their bytes are elsewhere. */
  readonly renewed: readonly Sha[];
  /** What a session saw, as JSON under its sha256. */
  readonly seen: BlobAt | undefined;
  readonly end: number;
}

/** Reads `length` bytes at an offset, or fewer where the file ends. What it gives is good until the next call. */
export type ReadAt = (offset: number, length: number) => Buffer;

/** The records from an offset on, by their headers alone, up to the first that is not whole. */
export function* walkRecords(read: ReadAt, from: number, to: number): Generator<Walked> {
  for (let offset = from; offset + HEADER_BYTES <= to; ) {
    const header = decodeHeader(read(offset, HEADER_BYTES));
    if (header === null) return;
    const lineOffset = offset + HEADER_BYTES;
    const end = lineOffset + header.lineBytes + header.blobBytes;
    if (end > to) return;
    const blobs: BlobAt[] = [];
    const renewed: Sha[] = [];
    for (let at = lineOffset + header.lineBytes; at < end; ) {
      const blob = read(at, BLOB_HEADER_BYTES);
      if (blob.length < BLOB_HEADER_BYTES || at + BLOB_HEADER_BYTES > end) return;
      const sha = blob.toString("hex", 0, 32) as Sha;
      const size = blob.readUInt32LE(32);
      at += BLOB_HEADER_BYTES;
      if (size === RENEWED) {
        renewed.push(sha);
        continue;
      }
      if (at + size > end) return;
      blobs.push({ sha, size, offset: at, keptAt: header.time });
      at += size;
    }
    const seen = header.kind === SEEN ? blobs.pop() : undefined;
    yield { ...header, offset, lineOffset, blobs, renewed, seen, end };
    offset = end;
  }
}

/** Reads out of a record as it is written, where it begins at `offset` of the segment. Every header is a piece of its own. */
export function readPieces(pieces: readonly Uint8Array[], offset: number): ReadAt {
  let [n, at] = [0, offset];
  return (wanted, length) => {
    while (at + (pieces[n]?.length ?? Number.POSITIVE_INFINITY) <= wanted) at += pieces[n++]!.length;
    const piece = pieces[n];
    return piece === undefined ? EMPTY : Buffer.from(piece.buffer, piece.byteOffset + wanted - at, length);
  };
}
