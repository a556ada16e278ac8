// Reads entries out of the segments of the log, oldest or newest first, and no more of them than is asked for.
import { setImmediate } from "node:timers/promises";
import type { Entry, Head, LogFilter, Path, Sha, Use } from "../../../core/backend.ts";
import { damaged, encode, readLine, seqOfLine } from "../../journal/entry.ts";
import { lineFilter, matches } from "../../journal/entry-filter.ts";
import { lastWord } from "../../journal/last-words.ts";
import { closeQuietly } from "../io.ts";
import { walkRecords } from "./record.ts";
import { listSegments, openToRead, readLineAt, type Segment, windowOn } from "./segment.ts";
import { fromIndex, linesFor, linesIn, type NumberedLine, type SealedSegment, usesIn } from "./segment-index.ts";

/** How far the log is known to reach: what others append later is not part of this reading. */
export interface Reach {
  readonly dir: string;
  readonly lastSeq: number;
  /** The segment that is appended to, and where its lines are. */
  readonly open: { readonly firstSeq: number; readonly lines: readonly NumberedLine[] } | null;
}

export interface Range {
  readonly sinceSeq: number;
  readonly untilSeq: number;
  readonly newestFirst: boolean;
}

export function* readEntries(reach: Reach, filter: LogFilter): Generator<Entry> {
  for (const entry of select(reach, filter)) if (entry !== null) yield entry;
}

/** As `readEntries`, letting other work in. */
export async function* streamEntries(reach: Reach, filter: LogFilter): AsyncGenerator<Entry> {
  for (const entry of select(reach, filter)) {
    if (entry === null) await setImmediate();
    else yield entry;
  }
}

/** All of them from a number on, those included that only hold their place in the chain. */
export function* chainedSince(reach: Reach, sinceSeq: number): Generator<Entry> {
  const range = { sinceSeq, untilSeq: reach.lastSeq, newestFirst: false };
  for (const entry of scan(reach, range, () => true, "all")) if (entry !== null) yield entry;
}

/** The journal's last word on a path, from the entries alone. */
export function lastWordIn(reach: Reach, path: Path): Head | null {
  const named = Buffer.from(encode(path));
  const range = { sinceSeq: 1, untilSeq: reach.lastSeq, newestFirst: true };
  const concerns = (line: Buffer): boolean => line.indexOf(named) !== -1 || line.indexOf(ABORTED) !== -1;
  return lastWord(present(scan(reach, range, concerns, "fit")), path);
}

/** Which paths had these versions. */
export async function* streamUses(reach: Reach, shas: ReadonlySet<Sha>): AsyncGenerator<Use> {
  const range = { sinceSeq: 1, untilSeq: reach.lastSeq, newestFirst: false };
  for (const part of partsOf(reach, range)) {
    const uses = part.isSealed ? fromIndex(part, (index) => usesIn(index, shas)) : null;
    if (uses !== null) yield* uses;
    else
      for (const entry of scanPart(reach, part, range, () => true, "fit"))
        if (entry !== null) yield* usesOf(entry).filter(({ sha }) => shas.has(sha));
    await setImmediate();
  }
}

function usesOf({ seq, at, outcome, changes }: Entry): Use[] {
  if (outcome !== "applied" && outcome !== "external") return [];
  const time = Date.parse(at);
  return changes.flatMap(({ path, from, to }) =>
    [from, to].flatMap((sha) => (sha === null ? [] : { seq, at: time, path, sha })),
  );
}

const ABORTED = Buffer.from('"outcome":"aborted"');

/** "fit": without lines that have their place in the chain and are no entries otherwise. */
type Which = "fit" | "all";

function* select(reach: Reach, filter: LogFilter): Generator<Entry | null> {
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  const range = {
    sinceSeq: Math.max(filter.sinceSeq ?? 1, 1),
    untilSeq: Math.min(filter.untilSeq ?? reach.lastSeq, reach.lastSeq),
    newestFirst: filter.newestFirst ?? false,
  };
  for (const entry of scan(reach, range, lineFilter(filter), "fit", filter)) {
    if (entry !== null && !matches(entry, filter)) continue;
    yield entry;
    if (entry !== null && --left <= 0) return;
  }
}

/**
 * Entries whose raw line is wanted, and null now and then. Every line read must be in its place in the sequence; hash
 * and form are checked of those that are wanted. A full check of all lines is the work of verification.
 */
function* scan(
  reach: Reach,
  range: Range,
  wanted: (line: Buffer) => boolean,
  which: Which,
  filter?: LogFilter,
): Generator<Entry | null> {
  if (range.sinceSeq > range.untilSeq) return;
  const parts = partsOf(reach, range);
  const oldest = range.newestFirst ? parts.at(-1) : parts[0];
  const startIsMissing = oldest === undefined || oldest.firstSeq > range.sinceSeq;
  if (startIsMissing && !range.newestFirst) throw missing(range.sinceSeq);
  for (const part of parts) yield* scanPart(reach, part, range, wanted, which, filter);
  if (startIsMissing) throw missing(range.sinceSeq);
}

function* scanPart(
  reach: Reach,
  part: Part,
  { sinceSeq, untilSeq, newestFirst }: Range,
  wanted: (line: Buffer) => boolean,
  which: Which,
  filter?: LogFilter,
): Generator<Entry | null> {
  yield null;
  const lines = linesOf(reach, part, filter).filter(({ seq }) => seq >= sinceSeq && seq <= untilSeq);
  if (lines.length === 0) return;
  const segment = openToRead(part.path);
  if (segment === null) throw missing(part.firstSeq);
  try {
    const read = windowOn(segment.fd);
    for (const [n, at] of (newestFirst ? lines.reverse() : lines).entries()) {
      const line = readLineAt(read, at);
      if (line === null || seqOfLine(line) !== at.seq)
        throw damaged(`Journal entry ${at.seq} is not in its place.`, { seq: at.seq });
      if (wanted(line)) {
        const entry = intactEntry(line, at.seq, which);
        if (entry !== null) yield entry;
      }
      if (n % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield null;
    }
  } finally {
    closeQuietly(segment.fd);
  }
}

const LINES_AT_ONCE = 256;

/** An index may leave out lines that do not fit. */
function linesOf(reach: Reach, part: Part, filter: LogFilter | undefined): NumberedLine[] {
  if (!part.isSealed) return [...reach.open!.lines];
  const isIndexed = filter !== undefined && INDEXED.some((field) => filter[field] !== undefined);
  const found = fromIndex(part, (index) => {
    if (isIndexed) return [...linesFor(index, filter)];
    const { starts, lengths } = linesIn(index);
    return Array.from(starts, (start, n) => ({ seq: part.firstSeq + n, start, bytes: lengths[n]! }));
  });
  return found ?? walkLines(part);
}

/** What an index can tell. */
const INDEXED = ["since", "until", "session", "agent", "tool", "path", "outcomes", "only"] as const;

/** Where there is no index, since something in the segment is damaged: its lines by the headers alone. */
function walkLines({ path, firstSeq, lastSeq }: Part): NumberedLine[] {
  const file = openToRead(path);
  if (file === null) throw missing(firstSeq);
  try {
    const lines: NumberedLine[] = [];
    for (const { lineBytes, lineOffset } of walkRecords(windowOn(file.fd), 0, file.stat.size))
      if (lineBytes > 0) lines.push({ seq: firstSeq + lines.length, start: lineOffset, bytes: lineBytes });
    if (lines.length < lastSeq - firstSeq + 1) throw missing(firstSeq + lines.length);
    return lines;
  } finally {
    closeQuietly(file.fd);
  }
}

interface Part extends SealedSegment {
  readonly isSealed: boolean;
}

/** The segments that are sealed, by what is known. */
export function sealedSegments(reach: Reach): SealedSegment[] {
  return allParts(reach).filter(({ isSealed }) => isSealed);
}

function partsOf(reach: Reach, range: Range): Part[] {
  const inRange = allParts(reach).filter((part) => part.firstSeq <= range.untilSeq && part.lastSeq >= range.sinceSeq);
  return range.newestFirst ? inRange.reverse() : inRange;
}

function allParts(reach: Reach): Part[] {
  const openSeq = reach.open?.firstSeq ?? 0;
  const segments: Segment[] = listSegments(reach.dir).filter(({ firstSeq }) => firstSeq <= openSeq);
  return segments.map((segment, i) => ({
    ...segment,
    lastSeq: (segments[i + 1]?.firstSeq ?? reach.lastSeq + 1) - 1,
    isSealed: segment.firstSeq < openSeq,
  }));
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
