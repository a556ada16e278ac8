// The kept versions of a log: where each one is, reading it, listing all of them, dropping some for good.
import { hash } from "node:crypto";
import fs from "node:fs";
import { dirname } from "node:path";
import type { KeptVersion, Sha, Version } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { isSha } from "../../../core/version.ts";
import { damaged } from "../../journal/entry.ts";
import { refuseLarger } from "../../path-refusals.ts";
import { closeQuietly, flushDirectory, readFully, removeQuietly } from "../io.ts";
import type { Objects } from "../objects.ts";
import { createStateFile, type StateFile } from "../state-file.ts";
import type { Log } from "./log.ts";
import { sealedSegments } from "./query.ts";
import { type BlobAt, encodeRecord, type RecordAt, walkRecords } from "./record.ts";
import {
  namesIn,
  openToRead,
  readLineAt,
  readSegment,
  recordsOf,
  type SealedSegment,
  type Segment,
  segmentPath,
  windowOn,
} from "./segment.ts";
import { blobsIn, fromIndex, indexPath } from "./segment-index.ts";

/** Above this a version is a file of its own: a segment is read and rewritten as a whole. */
export const INLINE_BYTES = 1024 * 1024;

export class Blobs {
  readonly #log: Log;
  readonly #objects: Objects;
  /** By the first entry of their segment, as long as its size stays the same. */
  readonly #tables = new Map<number, { readonly size: number; readonly blobs: ReadonlyMap<Sha, BlobAt> }>();

  constructor(log: Log, objects: Objects) {
    this.#log = log;
    this.#objects = objects;
  }

  has(sha: Sha): boolean {
    return this.find(sha) !== null;
  }

  /** In the segment that is appended to: to find out more takes longer than to keep it once more. */
  isRecent(sha: Sha): boolean {
    return this.#log.open?.blobs.has(sha) === true;
  }

  find(sha: Sha): KeptVersion | null {
    let keptAt = this.#log.open?.renewed.get(sha) ?? 0;
    const place = this.#place(sha, (renewedAt) => {
      keptAt = Math.max(keptAt, renewedAt);
    });
    const found = place === null ? this.#objects.find(sha) : { sha, size: place.blob.size, keptAt: place.blob.keptAt };
    return found === null ? null : { ...found, keptAt: Math.max(found.keptAt, keptAt) };
  }

  /** Verified: bytes that no longer have the sha256 they are filed under are not given out. */
  async get(sha: Sha, maxBytes: number): Promise<Version | null> {
    if (!isSha(sha)) return null;
    for (let looksLeft = 2; looksLeft > 0; looksLeft--) {
      const place = this.#place(sha);
      if (place === null) break;
      refuseLarger(`The kept version ${sha.slice(0, 12)}`, place.blob.size, maxBytes);
      const bytes = readBlob(place);
      if (bytes !== null && hash("sha256", bytes) === sha) return { sha, size: bytes.length, parts: [bytes] };
      // Another process may have rewritten the segment meanwhile.
      this.#tables.clear();
      this.#log.follow();
      if (looksLeft === 1)
        throw new Refusal(
          "not_kept",
          `The kept version ${sha.slice(0, 12)} is damaged: its bytes have another sha256.`,
        );
    }
    return this.#objects.get(sha, maxBytes);
  }

  *list(): Generator<KeptVersion> {
    const all = new Map<Sha, KeptVersion>();
    const renewed = new Map(this.#log.open?.renewed);
    const add = ({ sha, size, keptAt, offset }: BlobAt): void => {
      const known = all.get(sha);
      if (offset === 0) renewed.set(sha, Math.max(keptAt, renewed.get(sha) ?? 0));
      else if (known === undefined || known.keptAt < keptAt) all.set(sha, { sha, size, keptAt });
    };
    for (const segment of sealedSegments(this.#log.reach()))
      for (const blob of this.#table(segment).values()) add(blob);
    for (const blob of this.#log.open?.blobs.values() ?? []) add(blob);
    for (const version of this.#objects.list()) all.set(version.sha, version);
    for (const version of all.values())
      yield { ...version, keptAt: Math.max(version.keptAt, renewed.get(version.sha) ?? 0) };
  }

  /** Under the lock. Their bytes are gone when it returns; the lines of entries stay as they are, so the chain holds. */
  forget(shas: ReadonlySet<Sha>): void {
    const { open, dir } = this.#log;
    for (const sha of shas) this.#objects.remove(sha);
    const holding: Segment[] = sealedSegments(this.#log.reach()).filter((each) => holdsAny(this.#table(each), shas));
    if (open !== null && holdsAny(open.blobs, shas))
      holding.push({ firstSeq: open.firstSeq, path: segmentPath(dir, open.firstSeq) });
    try {
      for (const { path } of holding) withRoom(dir, () => rewriteWithout(path, shas));
    } finally {
      this.#tables.clear();
      this.#log.follow();
    }
  }

  #place(sha: Sha, onRenewed: (at: number) => void = () => undefined): Place | null {
    const { open } = this.#log;
    const here = open?.blobs.get(sha);
    if (open !== null && here !== undefined) return { blob: here, fd: open.fd };
    for (const segment of sealedSegments(this.#log.reach()).reverse()) {
      const blob = this.#table(segment).get(sha);
      if (blob === undefined) continue;
      if (blob.offset > 0) return { blob, path: segment.path };
      onRenewed(blob.keptAt);
    }
    return null;
  }

  #table(segment: SealedSegment): ReadonlyMap<Sha, BlobAt> {
    const size = fs.statSync(segment.path, { throwIfNoEntry: false })?.size ?? -1;
    const known = this.#tables.get(segment.firstSeq);
    if (known?.size === size) return known.blobs;
    const blobs = new Map<Sha, BlobAt>();
    for (const blob of readSegment(segment.path, (file) => blobsOf(segment, file)) ?? [])
      if (blob.offset > 0 || !blobs.has(blob.sha)) blobs.set(blob.sha, blob);
    if (this.#tables.size >= MAX_TABLES) this.#tables.delete(this.#tables.keys().next().value!);
    this.#tables.set(segment.firstSeq, { size, blobs });
    return blobs;
  }
}

type Place = { readonly blob: BlobAt } & ({ readonly fd: number } | { readonly path: string });

const MAX_TABLES = 512;

function holdsAny(blobs: ReadonlyMap<Sha, BlobAt>, shas: ReadonlySet<Sha>): boolean {
  for (const sha of shas.size < blobs.size ? shas : blobs.keys()) if (shas.has(sha) && blobs.has(sha)) return true;
  return false;
}

function blobsOf(segment: SealedSegment, file: StateFile): readonly BlobAt[] {
  return fromIndex(segment, file, blobsIn) ?? recordsOf(file, segment.lastSeq).flatMap(({ blobs }) => blobs);
}

function readBlob(place: Place): Buffer | null {
  const { offset, size } = place.blob;
  if ("fd" in place) return readFully(place.fd, offset, size);
  return readSegment(place.path, ({ fd }) => readFully(fd, offset, size));
}

/** On a full disk, what can be made again from the log makes room for the segment that becomes smaller. */
function withRoom(dir: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const derived = namesIn(dir, /\.(?:index|heads)$/);
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC" || derived.length === 0) throw error;
    for (const name of derived) removeQuietly(`${dir}/${name}`);
    work();
  }
}

/**
 * Writes a segment anew: without versions that are dropped, or since the pages of its file are not to be relied on any
 * more. In one step: a reader finds the segment as it was, or as it is. Of a damaged one nothing is dropped.
 */
export function rewriteWithout(path: string, shas: ReadonlySet<Sha>): void {
  const file = openToRead(path);
  if (file === null) return;
  const temporary = `${path}.tmp`;
  try {
    fs.rmSync(temporary, { force: true });
    const to = createStateFile(temporary);
    try {
      let end = 0;
      for (const record of walkRecords(windowOn(file.fd), 0, file.stat.size)) {
        end = record.end;
        fs.writeFileSync(to, recordWithout(file.fd, record, shas));
      }
      if (end !== file.stat.size) throw damaged("A segment of the journal is damaged: nothing of it can be dropped.");
      fs.fsyncSync(to);
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    } finally {
      fs.closeSync(to);
    }
    fs.renameSync(temporary, path);
    // Before anything is appended to the new file: its flush does not make its name safe.
    flushDirectory(dirname(path));
    removeQuietly(indexPath(path));
  } finally {
    closeQuietly(file.fd);
  }
}

function recordWithout(fd: number, record: RecordAt, shas: ReadonlySet<Sha>): Buffer {
  const { offset, end, blobs, renewed, seen, time } = record;
  const keptBlobs = blobs.filter(({ sha }) => !shas.has(sha));
  const keptRenewed = renewed.filter((sha) => !shas.has(sha));
  if (keptBlobs.length === blobs.length && keptRenewed.length === renewed.length)
    return seen === undefined ? readFully(fd, offset, end - offset) : Buffer.alloc(0);
  const line = record.line && readLineAt((at, length) => readFully(fd, at, length), record.line);
  if (line === null && keptBlobs.length + keptRenewed.length === 0) return Buffer.alloc(0);
  const versions = keptBlobs.map(({ sha, size, offset: at }) => ({ sha, size, parts: [readFully(fd, at, size)] }));
  const draft = { ...(line && { line: line.toString() }), blobs: versions, renewed: keptRenewed };
  return Buffer.concat(encodeRecord(draft, time));
}
