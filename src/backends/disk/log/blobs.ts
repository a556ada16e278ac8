// The kept versions of a log: where each one is, reading it, listing all of them, dropping some for good.
import { hash } from "node:crypto";
import fs from "node:fs";
import type { KeptVersion, Sha, Version } from "../../../core/backend.ts";
import { isSha } from "../../../core/version.ts";
import { refuseLarger } from "../../paths.ts";
import { readFully, removeQuietly } from "../io.ts";
import { damagedVersion, type Objects } from "../objects.ts";
import type { Log } from "./log.ts";
import type { BlobAt } from "./record.ts";
import { addBlob, readSegment, recordsOf, rewriteWithout, type SealedSegment } from "./segment.ts";
import { fromIndex } from "./segment-index.ts";

/** Above this a version is a file of its own: a segment is read and rewritten as a whole. */
export const INLINE_BYTES = 1024 * 1024;

export class Blobs {
  readonly #log: Log;
  readonly #objects: Objects;
  /** By the path of their segment, as long as its size stays the same. */
  readonly #tables = new Map<string, { readonly size: number; readonly blobs: ReadonlyMap<Sha, BlobAt> }>();

  constructor(log: Log, objects: Objects) {
    this.#log = log;
    this.#objects = objects;
  }

  has(sha: Sha): boolean {
    return this.find(sha) !== null;
  }

  /** In the segment that is appended to: to find out more takes longer than to keep it once more. */
  isRecent(sha: Sha): boolean {
    return (this.#log.open?.blobs.get(sha)?.offset ?? 0) > 0;
  }

  find(sha: Sha): KeptVersion | null {
    return this.#place(sha)?.blob ?? this.#objects.find(sha);
  }

  /** Verified: bytes that no longer have the sha256 they are filed under are not given out. */
  async get(sha: Sha, maxBytes: number): Promise<Version | null> {
    if (!isSha(sha)) return null;
    for (let looksLeft = 2; looksLeft > 0; looksLeft--) {
      const place = this.#place(sha);
      if (place === null) break;
      const { offset, size } = place.blob;
      refuseLarger(`The kept version ${sha.slice(0, 12)}`, size, maxBytes);
      const bytes = readSegment(place.path, ({ fd }) => readFully(fd, offset, size));
      if (bytes !== null && hash("sha256", bytes) === sha) return { sha, size, parts: [bytes] };
      // Another process may have rewritten the segment meanwhile.
      this.#tables.clear();
      this.#log.follow();
      if (looksLeft === 1) throw damagedVersion(sha);
    }
    return this.#objects.get(sha, maxBytes);
  }

  *list(): Generator<KeptVersion> {
    const all = new Map<Sha, BlobAt>();
    for (const { blobs } of this.#tablesInOrder()) for (const blob of blobs.values()) addBlob(all, blob);
    for (const [sha, { offset, size, keptAt }] of all) if (offset > 0) yield { sha, size, keptAt };
    for (const version of this.#objects.list()) if (!all.has(version.sha)) yield version;
  }

  /** Under the lock. Their bytes are gone when it returns; the lines of entries stay as they are, so the chain holds. */
  forget(shas: ReadonlySet<Sha>): void {
    for (const sha of shas) this.#objects.remove(sha);
    const holding = this.#tablesInOrder().filter(({ blobs }) => [...shas].some((sha) => blobs.has(sha)));
    try {
      for (const { path } of holding) this.#withRoom(() => rewriteWithout(path, shas));
    } finally {
      this.#tables.clear();
      this.#log.follow();
    }
  }

  /** Where its bytes are, and when it was kept last. */
  #place(sha: Sha): Place | null {
    let keptAt: number | undefined;
    for (const { path, blobs } of this.#newestFirst()) {
      const blob = blobs.get(sha);
      if (blob === undefined) continue;
      keptAt ??= blob.keptAt;
      if (blob.offset > 0) return { path, blob: { ...blob, keptAt } };
    }
    return null;
  }

  *#newestFirst(): Generator<Table> {
    const { open } = this.#log;
    if (open !== null) yield open;
    for (const part of this.#log.reach().reverse())
      if (part.open === null) yield { path: part.path, blobs: this.#table(part) };
  }

  #tablesInOrder(): Table[] {
    return [...this.#newestFirst()].reverse();
  }

  #table(segment: SealedSegment): ReadonlyMap<Sha, BlobAt> {
    const size = fs.statSync(segment.path, { throwIfNoEntry: false })?.size ?? -1;
    const known = this.#tables.get(segment.path);
    if (known?.size === size) return known.blobs;
    const blobs = new Map<Sha, BlobAt>();
    const found = readSegment(segment.path, (file) => {
      const known = fromIndex(segment, file, (index) => index.blobs());
      return known ?? recordsOf(file, segment.lastSeq).flatMap((record) => record.blobs);
    });
    for (const blob of found ?? []) addBlob(blobs, blob);
    if (this.#tables.size >= MAX_TABLES) this.#tables.delete(this.#tables.keys().next().value!);
    this.#tables.set(segment.path, { size, blobs });
    return blobs;
  }

  /** On a full disk, what can be made again from the log makes room for the segment that becomes smaller. */
  #withRoom(work: () => void): void {
    const { dir } = this.#log;
    try {
      work();
    } catch (error) {
      const derived = fs.readdirSync(dir).filter((name) => /\.(?:index|heads)$/.test(name));
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC" || derived.length === 0) throw error;
      for (const name of derived) removeQuietly(`${dir}/${name}`);
      work();
    }
  }
}

interface Table {
  readonly path: string;
  readonly blobs: ReadonlyMap<Sha, BlobAt>;
}

type Place = Pick<Table, "path"> & { readonly blob: BlobAt };

const MAX_TABLES = 512;
