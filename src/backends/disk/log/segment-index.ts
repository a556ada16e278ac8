// What a sealed segment holds, in short: where each line is, who wrote it, which paths it changes, which versions it keeps.
import type { LogFilter, Path, Sha } from "../../../core/backend.ts";
import { isOfKind, type Kind, kindOf, periodOf } from "../../journal/entry-filter.ts";
import type { StateFile } from "../state-file.ts";
import { readDerived, saveDerived } from "./derived-file.ts";
import { type BlobAt, type LineAt, walkRecords } from "./record.ts";
import { addBlob, entryAt, indexPath, type SealedSegment, windowOn } from "./segment.ts";

interface SegmentIndex {
  /** In the order of the journal: all that fit and perhaps some that do not. */
  lines(filter: LogFilter): LineAt[];
  /** The versions that the segment keeps. */
  blobs(): BlobAt[];
}

/**
 * Answers from the index of a segment, which is made where it is missing or does not fit. `file` is the segment, open.
 * Null: the segment must be read through.
 */
export function fromIndex<T>(segment: SealedSegment, file: StateFile, use: (index: SegmentIndex) => T): T | null {
  const { size } = file.stat;
  const path = indexPath(segment.path);
  const known = readDerived<Head, T>(path, (head, part) => {
    const fits = head.size === size && head.lastSeq === segment.lastSeq && head.byteOrder === BYTE_ORDER;
    return fits ? use(indexOn(head, part)) : null;
  });
  if (known !== null) return known;
  const made = summarize(file, segment);
  if (made === null) return null;
  saveDerived(path, made.head, made.parts);
  return use(indexOn(made.head, (n) => made.parts[n]!));
}

interface Head {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Of the segment. */
  readonly size: number;
  /** The first and the last time of an entry. */
  readonly since: string;
  readonly until: string;
  readonly kinds: readonly Kind[];
  /** A number is as this machine has it in memory. */
  readonly byteOrder: number;
}

/** Null unless every line of the segment is an entry in its place, unaltered, that follows the one before. */
function summarize({ fd, stat }: StateFile, { firstSeq, lastSeq }: SealedSegment) {
  const [kinds, paths] = [new Numbered<string>(), new Numbered<Path>()];
  const [entries, changes]: [number[], number[]] = [[], []];
  const blobs = new Map<Sha, BlobAt>();
  let [end, next, since, until, prev] = [0, firstSeq, LATEST, "", ""];
  const read = windowOn(fd);
  for (const record of walkRecords(read, { from: 0, to: stat.size })) {
    for (const blob of record.blobs) addBlob(blobs, blob);
    end = record.end;
    if (record.line === null) continue;
    const entry = entryAt(read, record.line);
    if (entry?.seq !== next || (prev !== "" && entry.prev !== prev)) return null;
    const { at } = entry;
    for (const { path, movedFrom } of entry.changes) {
      changes.push(next - firstSeq, paths.of(path));
      if (movedFrom !== undefined) changes.push(next - firstSeq, paths.of(movedFrom));
    }
    if (at < since) since = at;
    if (at > until) until = at;
    const kind = kinds.of(JSON.stringify(kindOf(entry)));
    entries.push(record.line.start, record.line.bytes, kind);
    [next, prev] = [next + 1, entry.hash];
  }
  if (end !== stat.size || next !== lastSeq + 1) return null;
  const places = [...blobs.values()].flatMap(({ offset, size, keptAt }) => [offset, size, ...words(keptAt)]);
  const head: Head = {
    ...{ firstSeq, lastSeq, since, until, size: stat.size, byteOrder: BYTE_ORDER },
    kinds: kinds.all.map((kind) => JSON.parse(kind)),
  };
  const numbers = [entries, changes, places].map((each) => Buffer.from(Uint32Array.from(each).buffer));
  const shas = Buffer.from([...blobs.keys()].join(""), "hex");
  return { head, parts: [Buffer.from(JSON.stringify(paths.all)), shas, ...numbers] };
}

function indexOn({ firstSeq, since, until, kinds }: Head, part: (n: number) => Buffer): SegmentIndex {
  const numbers = (n: number): Uint32Array => new Uint32Array(new Uint8Array(part(n)).buffer);

  /** Those that have the path in a change, under its new or its old name. */
  function entriesWith(path: Path): ReadonlySet<number> {
    const text = part(PATHS);
    const number = text.includes(JSON.stringify(path)) ? (JSON.parse(text.toString()) as Path[]).indexOf(path) : -1;
    const rows = number === -1 ? new Uint32Array() : numbers(CHANGES);
    const found = new Set<number>();
    for (let n = 0; n < rows.length; n += CHANGE) if (rows[n + 1] === number) found.add(rows[n]!);
    return found;
  }

  return {
    lines(filter) {
      const [from, to] = periodOf(filter);
      if ((from !== undefined && until < from) || (to !== undefined && since > to)) return [];
      const fitting = kinds.map((kind) => isOfKind(kind, filter));
      if (!fitting.includes(true)) return [];
      const touching = filter.path === undefined ? null : entriesWith(filter.path);
      if (touching?.size === 0) return [];
      const rows = numbers(ENTRIES);
      const found: LineAt[] = [];
      for (let n = 0, at = 0; at < rows.length; n++, at += ENTRY)
        if (fitting[rows[at + 2]!] && touching?.has(n) !== false)
          found.push({ seq: firstSeq + n, start: rows[at]!, bytes: rows[at + 1]! });
      return found;
    },

    blobs() {
      const [rows, shas] = [numbers(BLOBS), part(SHAS).toString("hex")];
      return Array.from({ length: rows.length / BLOB }, (_, n) => {
        const at = n * BLOB;
        const sha = shas.slice(n * SHA_CHARS, (n + 1) * SHA_CHARS) as Sha;
        return { sha, offset: rows[at]!, size: rows[at + 1]!, keptAt: rows[at + 2]! * 2 ** 32 + rows[at + 3]! };
      });
    },
  };
}

const LATEST = "\uffff";
const SHA_CHARS = 64;
/** Parts: paths as JSON, kept versions, and tables of numbers. */
const [PATHS, SHAS, ENTRIES, CHANGES, BLOBS] = [0, 1, 2, 3, 4];
/** Numbers in a row: line, length and kind; entry and path; place, size and time. */
const [ENTRY, CHANGE, BLOB] = [3, 2, 4];
const BYTE_ORDER = new Uint8Array(new Uint16Array([1]).buffer)[0]!;

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

/** A time has more bits than one number here. */
const words = (time: number): number[] => [Math.floor(time / 2 ** 32), time >>> 0];
