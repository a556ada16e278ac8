// The kept versions of a log: where each one is, reading it, listing all of them, dropping some for good.
import { hash } from "node:crypto";
import fs from "node:fs";
import type { KeptVersion, Sha, Version } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { isSha } from "../../../core/version.ts";
import { refuseLarger } from "../../path-refusals.ts";
import { closeQuietly } from "../io.ts";
import type { Objects } from "../objects.ts";
import type { Log } from "./log.ts";
import { sealedSegments } from "./query.ts";
import { type BlobAt, walkRecords } from "./record.ts";
import { rewriteWithout } from "./rewrite.ts";
import { openToRead, readFully, segmentPath, windowOn } from "./segment.ts";
import { blobsIn, fromIndex, type SealedSegment } from "./segment-index.ts";

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
    const { open } = this.#log;
    for (const segment of sealedSegments(this.#log.reach()))
      if (holdsAny(this.#table(segment), shas)) rewriteWithout(segment.path, shas);
    if (open !== null && holdsAny(open.blobs, shas)) {
      rewriteWithout(segmentPath(this.#log.dir, open.firstSeq), shas);
      this.#log.follow();
    }
    for (const sha of shas) this.#objects.remove(sha);
    this.#tables.clear();
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
    for (const blob of fromIndex(segment, blobsIn) ?? walkBlobs(segment.path))
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

function readBlob(place: Place): Buffer | null {
  if ("fd" in place) return readFully(place.fd, place.blob.offset, place.blob.size);
  const file = openToRead(place.path);
  if (file === null) return null;
  try {
    return readFully(file.fd, place.blob.offset, place.blob.size);
  } finally {
    closeQuietly(file.fd);
  }
}

function walkBlobs(path: string): BlobAt[] {
  const file = openToRead(path);
  if (file === null) return [];
  try {
    return [...walkRecords(windowOn(file.fd), 0, file.stat.size)].flatMap(({ blobs }) => blobs);
  } finally {
    closeQuietly(file.fd);
  }
}
