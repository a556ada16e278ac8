// Reading entries out of the segments of a journal, oldest or newest first, without reading more than is asked for.
import { setImmediate } from "node:timers/promises";
import type { Entry, LogFilter } from "../backend.ts";
import { damaged, readLine, seqOfLine } from "../entry.ts";
import { lineFilter, matches } from "../entry-filter.ts";
import { closeQuietly } from "./io.ts";
import { linesBackward, linesForward, listSegments, openToRead, type Segment, wholeEnd } from "./segment.ts";

/** How far the journal is known to reach: what others append later is not part of this reading. */
export interface Reach {
  readonly dir: string;
  readonly lastSeq: number;
  /** The last segment and the offset behind its last whole line, when it is open. */
  readonly open: { readonly firstSeq: number; readonly end: number } | null;
}

export function* readEntries(reach: Reach, filter: LogFilter): Generator<Entry> {
  for (const entry of select(reach, filter)) if (entry !== null) yield entry;
}

/** All of them, those included that only hold their place in the chain. */
export function* readChained(reach: Reach, range: Range): Generator<Entry> {
  for (const entry of scan(reach, range, () => true, "all")) if (entry !== null) yield entry;
}

/** The same, letting other work in between blocks. */
export async function* readLog(reach: Reach, filter: LogFilter): AsyncGenerator<Entry> {
  for (const entry of select(reach, filter)) {
    if (entry === null) await setImmediate();
    if (entry !== null) yield entry;
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
export function* scan(
  reach: Reach,
  range: Range,
  wanted: (line: Buffer) => boolean,
  which: Which = "fit",
): Generator<Entry | null> {
  if (range.sinceSeq > range.untilSeq) return;
  const parts = partsOf(reach, range);
  const oldest = range.newestFirst ? parts.at(-1) : parts[0];
  const startIsMissing = oldest === undefined || oldest.firstSeq > range.sinceSeq;
  if (startIsMissing && !range.newestFirst) throw missing(range.sinceSeq);
  for (const part of parts) yield* scanPart(part, range, wanted, which);
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

function* select(reach: Reach, filter: LogFilter): Generator<Entry | null> {
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  const range = {
    sinceSeq: Math.max(filter.sinceSeq ?? 1, 1),
    untilSeq: Math.min(filter.untilSeq ?? reach.lastSeq, reach.lastSeq),
    newestFirst: filter.newestFirst ?? false,
  };
  for (const entry of scan(reach, range, lineFilter(filter))) {
    if (entry !== null && !matches(entry, filter)) continue;
    yield entry;
    if (entry !== null && --left <= 0) return;
  }
}

interface Part extends Segment {
  readonly lastSeq: number;
  readonly end: number | null;
}

function partsOf(reach: Reach, range: Range): Part[] {
  const segments = listSegments(reach.dir).filter(({ firstSeq }) => firstSeq <= reach.lastSeq);
  const parts = segments.map((segment, i) => ({
    ...segment,
    lastSeq: (segments[i + 1]?.firstSeq ?? reach.lastSeq + 1) - 1,
    end: segment.firstSeq === reach.open?.firstSeq ? reach.open.end : null,
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

export function* present(entries: Iterable<Entry | null>): Generator<Entry> {
  for (const entry of entries) if (entry !== null) yield entry;
}
