// Reading entries out of the segments of a journal, oldest or newest first, without reading more than is asked for.
import { setImmediate } from "node:timers/promises";
import type { Entry, Head, LogFilter, Path, Sha, Use } from "../../../core/backend.ts";
import { damaged, encode, readLine, seqOfLine } from "../../journal/entry.ts";
import { lineFilter, matches } from "../../journal/entry-filter.ts";
import { lastWord } from "../../journal/last-words.ts";
import { closeQuietly } from "../io.ts";
import type { Indexes } from "./indexes.ts";
import {
  lineBetween,
  linesBackward,
  linesForward,
  listSegments,
  openToRead,
  type Segment,
  wholeEnd,
} from "./segment.ts";
import type { LineAt } from "./segment-index.ts";

/** How far the journal is known to reach: what others append later is not part of this reading. */
export interface Reach {
  readonly dir: string;
  readonly lastSeq: number;
  /** The last segment and the offset behind its last whole line, when it is open. */
  readonly open: { readonly firstSeq: number; readonly end: number } | null;
  readonly indexes: Indexes | null;
}

export function* readEntries(reach: Reach, filter: LogFilter): Generator<Entry> {
  for (const entry of select(reach, filter)) if (entry !== null) yield entry;
}

/** All of them, those included that only hold their place in the chain. */
export function* readChained(reach: Reach, range: Range): Generator<Entry> {
  for (const entry of scan(reach, range, () => true, "all")) if (entry !== null) yield entry;
}

/** A few are found faster from the end than by passing over all that stands before them in their segment. */
export function chainedSince(reach: Reach, sinceSeq: number): Iterable<Entry> {
  const range = { sinceSeq, untilSeq: reach.lastSeq };
  if (reach.lastSeq - sinceSeq > MANY_ENTRIES) return readChained(reach, { ...range, newestFirst: false });
  return [...readChained(reach, { ...range, newestFirst: true })].reverse();
}

/** The journal's last word on a path, from the entries alone. */
export function lastWordIn(reach: Reach, path: Path): Head | null {
  const named = Buffer.from(encode(path));
  const range = { sinceSeq: 1, untilSeq: reach.lastSeq, newestFirst: true };
  const concerns = (line: Buffer) => line.indexOf(named) !== -1 || line.indexOf(ABORTED) !== -1;
  return lastWord(present(scan(reach, range, concerns)), path);
}

const MANY_ENTRIES = 10_000;
const ABORTED = Buffer.from('"outcome":"aborted"');

export function readLog(reach: Reach, filter: LogFilter): AsyncGenerator<Entry> {
  return breathing(select(reach, filter));
}

/** Lets other work in at every null. */
async function* breathing<T>(found: Iterable<T | null>): AsyncGenerator<T> {
  for (const each of found) {
    if (each === null) await setImmediate();
    else yield each;
  }
}

export interface Range {
  readonly sinceSeq: number;
  readonly untilSeq: number;
  readonly newestFirst: boolean;
}

/**
 * Entries whose raw line is wanted, and null after each block. Every line passed must be in its place in the
 * sequence; hash and form are checked of those that are wanted. A full check of all lines is the work of verification.
 */
function* scan(
  reach: Reach,
  range: Range,
  wanted: (line: Buffer) => boolean,
  which: Which = "fit",
  linesIn: (part: Part) => readonly LineAt[] | null = () => null,
): Generator<Entry | null> {
  if (range.sinceSeq > range.untilSeq) return;
  const parts = partsOf(reach, range);
  const oldest = range.newestFirst ? parts.at(-1) : parts[0];
  const startIsMissing = oldest === undefined || oldest.firstSeq > range.sinceSeq;
  if (startIsMissing && !range.newestFirst) throw missing(range.sinceSeq);
  for (const part of parts) {
    const lines = linesIn(part);
    yield* lines === null ? scanPart(part, range, wanted, which) : readLines(part, lines, range, which);
  }
  if (startIsMissing) throw missing(range.sinceSeq);
}

/** "fit": without lines that have their place in the chain and are no entries otherwise. */
type Which = "fit" | "all";

function* scanPart(part: Part, range: Range, wanted: (line: Buffer) => boolean, which: Which): Generator<Entry | null> {
  const { sinceSeq, untilSeq, newestFirst } = range;
  const segment = openToRead(part.path);
  if (segment === null) throw missing(part.firstSeq);
  const { fd } = segment;
  try {
    const { size } = segment.stat;
    const end = Math.min(part.end ?? size, size);
    if (wholeEnd(fd, 0, end) !== end) throw damaged(`Journal entry ${part.lastSeq} is cut short.`);
    let seq = newestFirst ? part.lastSeq : part.firstSeq;
    const isPast = () => (newestFirst ? seq < sinceSeq : seq > untilSeq);
    for (const lines of newestFirst ? linesBackward(fd, end) : linesForward(fd, 0, end)) {
      for (const line of lines) {
        if (seqOfLine(line) !== seq) throw damaged(`Journal entry ${seq} is not in its place.`, { seq });
        if (seq >= sinceSeq && seq <= untilSeq && wanted(line)) {
          const entry = intactEntry(line, seq, which);
          if (entry !== null) yield entry;
        }
        seq += newestFirst ? -1 : 1;
        if (isPast()) return;
      }
      yield null;
    }
    if (seq !== (newestFirst ? part.firstSeq - 1 : part.lastSeq + 1)) throw missing(seq);
  } finally {
    closeQuietly(fd);
  }
}

/** An index says where they are; that they are what they should be, they say themselves. */
function* readLines(part: Part, lines: readonly LineAt[], range: Range, which: Which): Generator<Entry | null> {
  yield null;
  if (lines.length === 0) return;
  const segment = openToRead(part.path);
  if (segment === null) throw missing(part.firstSeq);
  try {
    for (const { seq, start, end } of range.newestFirst ? lines.toReversed() : lines) {
      const line = lineBetween(segment.fd, start, end);
      if (line === null || seqOfLine(line) !== seq) throw damaged(`Journal entry ${seq} is not in its place.`, { seq });
      const entry = intactEntry(line, seq, which);
      if (entry !== null) yield entry;
      if (seq % LINES_AT_ONCE === 0) yield null;
    }
  } finally {
    closeQuietly(segment.fd);
  }
}

const LINES_AT_ONCE = 256;

/** Who used these versions, as far as the journal is known to reach. */
export function readUses(reach: Reach, shas: ReadonlySet<Sha>): AsyncGenerator<Use> {
  return breathing(usesFound(reach, shas));
}

function* usesFound(reach: Reach, shas: ReadonlySet<Sha>): Generator<Use | null> {
  const range = { sinceSeq: 1, untilSeq: reach.lastSeq, newestFirst: false };
  for (const part of partsOf(reach, range)) {
    const uses = part.isClosed ? (reach.indexes?.uses(part, shas) ?? null) : null;
    if (uses !== null) yield* uses;
    else
      for (const entry of scanPart(part, range, () => true, "fit"))
        yield* entry === null ? [null] : usesOf(entry).filter(({ sha }) => shas.has(sha));
    yield null;
  }
}

function usesOf({ seq, at, outcome, changes }: Entry): Use[] {
  if (outcome !== "applied" && outcome !== "external") return [];
  const time = Date.parse(at);
  return changes.flatMap(({ path, from, to }) =>
    [from, to].flatMap((sha) => (sha === null ? [] : { seq, at: time, path, sha })),
  );
}

function* select(reach: Reach, filter: LogFilter): Generator<Entry | null> {
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  const range = {
    sinceSeq: Math.max(filter.sinceSeq ?? 1, 1),
    untilSeq: Math.min(filter.untilSeq ?? reach.lastSeq, reach.lastSeq),
    newestFirst: filter.newestFirst ?? false,
  };
  const { indexes } = reach;
  const isIndexed = indexes !== null && INDEXED.some((field) => filter[field] !== undefined);
  const linesIn = (part: Part) => (isIndexed && part.isClosed ? indexes.lines(part, filter) : null);
  for (const entry of scan(reach, range, lineFilter(filter), "fit", linesIn)) {
    if (entry !== null && !matches(entry, filter)) continue;
    yield entry;
    if (entry !== null && --left <= 0) return;
  }
}

/** What an index can tell. */
const INDEXED = ["since", "until", "session", "agent", "tool", "path", "outcomes", "only"] as const;

interface Part extends Segment {
  readonly lastSeq: number;
  /** Nothing is added to it any more. */
  readonly isClosed: boolean;
  readonly end: number | null;
}

function partsOf(reach: Reach, range: Range): Part[] {
  const segments = listSegments(reach.dir).filter(({ firstSeq }) => firstSeq <= reach.lastSeq);
  const parts = segments.map((segment, i) => ({
    ...segment,
    lastSeq: (segments[i + 1]?.firstSeq ?? reach.lastSeq + 1) - 1,
    end: segment.firstSeq === reach.open?.firstSeq ? reach.open.end : null,
    isClosed: segment.firstSeq < (reach.open?.firstSeq ?? 0),
  }));
  const inRange = parts.filter((part) => part.firstSeq <= range.untilSeq && part.lastSeq >= range.sinceSeq);
  return range.newestFirst ? inRange.reverse() : inRange;
}

const missing = (seq: number) => damaged(`Journal entry ${seq} is missing.`, { seq });

function intactEntry(line: Buffer, seq: number, which: Which): Entry | null {
  const { entry, intact, unfit } = readLine(line);
  if (entry === null || !intact) throw damaged(`Journal entry ${seq} was altered.`, { seq });
  return unfit === null || which === "all" ? entry : null;
}

function* present(entries: Iterable<Entry | null>): Generator<Entry> {
  for (const entry of entries) if (entry !== null) yield entry;
}
