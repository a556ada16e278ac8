// What a sealed segment holds, in short: where each line is, who wrote it, which paths and versions it changes, which versions it keeps.
import type { Entry, LogFilter, Path, Sha, Use } from "../../../core/backend.ts";
import { readLine } from "../../journal/entry.ts";
import { isOfKind, type Kind, kindOf as kindOfEntry, periodOf } from "../../journal/entry-filter.ts";
import type { StateFile } from "../state-file.ts";
import { type Head, type IndexedParts, type Parts, readParts, writeParts } from "./derived-file.ts";
import { type BlobAt, type LineAt, walkRecords } from "./record.ts";
import { readLineAt, type SealedSegment, windowOn } from "./segment.ts";

/**
 * Answers from the index of a segment, which is made where it is missing or does not fit. `file` is the segment, open.
 * Null: the segment must be read through.
 */
export function fromIndex<T>(
  segment: SealedSegment,
  file: StateFile,
  use: (index: IndexedParts) => T | null,
): T | null {
  const { size } = file.stat;
  const path = indexPath(segment.path);
  const known = readParts(path, (index) =>
    index.head.size === size && index.head.lastSeq === segment.lastSeq ? use(index) : null,
  );
  if (known !== null) return known;
  const made = summarize(file.fd, size, segment);
  if (made === null) return null;
  writeParts(path, made.head, made.parts);
  return use({ head: made.head, part: (name) => Uint8Array.from(made.parts[name]!) });
}

export const indexPath = (segmentPath: string): string => segmentPath.replace(/\.log$/, ".index");

/** Null unless every line of the segment is an entry in its place, unaltered, that follows the one before. */
function summarize(
  fd: number,
  size: number,
  { firstSeq, lastSeq }: SealedSegment,
): { head: Head; parts: Parts } | null {
  const kinds = new Numbered<string>();
  const paths = new Numbered<Path>();
  const shas = new Numbered<Sha>();
  const starts: number[] = [];
  const lengths: number[] = [];
  const kindOf: number[] = [];
  const times: number[] = [];
  const changed: number[] = [];
  const moved: number[] = [];
  const versions: number[] = [];
  const blobs: BlobAt[] = [];
  let [end, since, until] = [0, LATEST, ""];
  let last: Entry | null = null;
  const read = windowOn(fd);
  for (const record of walkRecords(read, 0, size)) {
    blobs.push(...record.blobs);
    for (const sha of record.renewed) blobs.push({ sha, size: NONE, offset: 0, keptAt: record.time });
    end = record.end;
    const place = record.line;
    if (place === null) continue;
    const line = readLineAt(read, place);
    const { entry, intact, unfit } = line === null ? UNREAD : readLine(line);
    if (entry === null || !intact || entry.seq !== firstSeq + starts.length) return null;
    if (last !== null && entry.prev !== last.hash) return null;
    const { at } = entry;
    for (const { path, from, to, movedFrom } of entry.changes) {
      changed.push(starts.length, paths.of(path));
      versions.push(from === null ? NONE : shas.of(from), to === null ? NONE : shas.of(to));
      if (movedFrom !== undefined) moved.push(starts.length, paths.of(movedFrom));
    }
    if (unfit === null && at < since) since = at;
    if (unfit === null && at > until) until = at;
    kindOf.push(kinds.of(unfit === null ? JSON.stringify(kindOfEntry(entry)) : "null"));
    times.push(Date.parse(at));
    starts.push(place.start);
    lengths.push(place.bytes);
    last = entry;
  }
  if (end !== size || firstSeq + starts.length - 1 !== lastSeq) return null;
  const parts = {
    kinds: Buffer.from(`[${kinds.all.join(",")}]`),
    paths: Buffer.from(JSON.stringify(paths.all)),
    starts: bytesOfNumbers(starts),
    lengths: bytesOfNumbers(lengths),
    kindOf: bytesOfNumbers(kindOf),
    changed: bytesOfNumbers(changed),
    moved: bytesOfNumbers(moved),
    times: bytesOfDoubles(times),
    versions: bytesOfNumbers(versions),
    blobPlaces: bytesOfNumbers(blobs.flatMap(({ sha, offset, size }) => [shas.of(sha), offset, size])),
    blobTimes: bytesOfDoubles(blobs.map(({ keptAt }) => keptAt)),
    // The last: places of versions number them too.
    shas: Buffer.from(shas.all.join(""), "hex"),
  };
  return { head: { firstSeq, lastSeq, size, since, until }, parts };
}

const UNREAD = { entry: null, intact: false, unfit: null };

/** Where every line of the segment is. */
export function linesIn(index: IndexedParts): LineAt[] {
  const [starts, lengths] = [numbersIn(index.part("starts")), numbersIn(index.part("lengths"))];
  const firstSeq = index.head.firstSeq as number;
  return Array.from(starts, (start, n) => ({ seq: firstSeq + n, start, bytes: lengths[n]! }));
}

/** In the order of the journal: all that fit and perhaps some that do not. */
export function linesFor(index: IndexedParts, filter: LogFilter): LineAt[] {
  const [since, until] = periodOf(filter);
  if (since !== undefined && (index.head.until as string) < since) return [];
  if (until !== undefined && (index.head.since as string) > until) return [];
  const kinds = JSON.parse(textIn(index.part("kinds"))) as (Kind | null)[];
  const fitting = kinds.map((kind) => kind !== null && isOfKind(kind, filter));
  if (!fitting.includes(true)) return [];
  const [starts, lengths] = [numbersIn(index.part("starts")), numbersIn(index.part("lengths"))];
  const kindOf = numbersIn(index.part("kindOf"));
  const firstSeq = index.head.firstSeq as number;
  const found: LineAt[] = [];
  const touching = filter.path === undefined ? starts.keys() : entriesWith(filter.path, index);
  for (const at of touching) {
    const seq = firstSeq + at;
    if (seq < (filter.sinceSeq ?? 0) || seq > (filter.untilSeq ?? Number.POSITIVE_INFINITY)) continue;
    if (fitting[kindOf[at]!]) found.push({ seq, start: starts[at]!, bytes: lengths[at]! });
  }
  return found;
}

/** Of these versions, by entries that changed files; in the order of the journal. */
export function usesIn(index: IndexedParts, wanted: ReadonlySet<Sha>): Use[] {
  const asked = new Map<number, Sha>();
  for (const [n, sha] of shasIn(index.part("shas")).entries()) if (wanted.has(sha)) asked.set(n, sha);
  if (asked.size === 0) return [];
  const kinds = JSON.parse(textIn(index.part("kinds"))) as (Kind | null)[];
  const changing = kinds.map((kind) => kind !== null && isOfKind(kind, CHANGING));
  const paths = JSON.parse(textIn(index.part("paths"))) as Path[];
  const [kindOf, changed] = [numbersIn(index.part("kindOf")), numbersIn(index.part("changed"))];
  const [times, versions] = [doublesIn(index.part("times")), numbersIn(index.part("versions"))];
  const firstSeq = index.head.firstSeq as number;
  const uses: Use[] = [];
  for (let n = 0; n < versions.length; n++) {
    const sha = asked.get(versions[n]!);
    if (sha === undefined) continue;
    const change = n - (n % 2);
    const at = changed[change]!;
    if (changing[kindOf[at]!])
      uses.push({ seq: firstSeq + at, at: times[at]!, path: paths[changed[change + 1]!]!, sha });
  }
  return uses;
}

/** The versions that the segment keeps. `offset` 0: kept before, and renewed here. */
export function blobsIn(index: IndexedParts): readonly BlobAt[] {
  const [places, times] = [numbersIn(index.part("blobPlaces")), doublesIn(index.part("blobTimes"))];
  const shas = shasIn(index.part("shas"));
  return Array.from(times, (keptAt, n) => {
    const [sha, offset, size] = places.subarray(3 * n, 3 * n + 3) as unknown as [number, number, number];
    return { sha: shas[sha]!, offset, size, keptAt };
  });
}

const LATEST = "\uffff";
const NONE = 0xffffffff;
const SHA_BYTES = 32;
const CHANGING = { outcomes: ["applied", "external"] } as const;

class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<T, number>();

  of(value: T): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.all.length);
    return this.all.push(value) - 1;
  }
}

/** Places of the entries that have the path in a change, under its new or its old name. */
function entriesWith(path: Path, index: IndexedParts): Iterable<number> {
  const text = textIn(index.part("paths"));
  const number = text.includes(JSON.stringify(path)) ? (JSON.parse(text) as Path[]).indexOf(path) : -1;
  if (number === -1) return [];
  const places = new Set<number>();
  for (const rows of [numbersIn(index.part("changed")), numbersIn(index.part("moved"))])
    for (let n = 0; n < rows.length; n += 2) if (rows[n + 1] === number) places.add(rows[n]!);
  return [...places].sort((a, b) => a - b);
}

function shasIn(bytes: Uint8Array): Sha[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  return Array.from({ length: bytes.length / SHA_BYTES }, (_, n) => text.slice(n * 64, (n + 1) * 64) as Sha);
}

const numbersIn = (part: Uint8Array): Uint32Array => new Uint32Array(part.buffer);
const doublesIn = (part: Uint8Array): Float64Array => new Float64Array(part.buffer);
const textIn = (part: Uint8Array): string => Buffer.from(part.buffer).toString("utf8");
const bytesOfNumbers = (numbers: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(numbers).buffer);
const bytesOfDoubles = (numbers: readonly number[]): Uint8Array => new Uint8Array(Float64Array.from(numbers).buffer);
