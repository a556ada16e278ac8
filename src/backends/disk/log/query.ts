// Reads entries out of the segments of the log, oldest or newest first, and no more of them than is asked for.
import { setImmediate } from "node:timers/promises";
import type { Entry, Head, LogFilter, Path, Sha, Use } from "../../../core/backend.ts";
import { damaged, encode, readLine } from "../../journal/entry.ts";
import { lineFilter, matches } from "../../journal/entry-filter.ts";
import { lastWord } from "../../journal/heads.ts";
import { closeQuietly } from "../io.ts";
import type { StateFile } from "../state-file.ts";
import type { LineAt } from "./record.ts";
import {
  listSegments,
  type OpenSegment,
  openToRead,
  readLineAt,
  readSegment,
  recordsOf,
  type SealedSegment,
  windowOn,
} from "./segment.ts";
import { fromIndex, linesFor, linesIn, usesIn } from "./segment-index.ts";

/** How far the log is known to reach: what others append later is not part of this reading. */
export interface Reach {
  readonly dir: string;
  readonly lastSeq: number;
  /** The segment that is appended to, and where its lines are. */
  readonly open: (Pick<OpenSegment, "firstSeq" | "ino"> & { readonly lines: readonly LineAt[] }) | null;
}

interface Range {
  readonly sinceSeq: number;
  readonly untilSeq: number;
  readonly newestFirst: boolean;
}

export function* readEntries(reach: Reach, filter: LogFilter): Generator<Entry> {
  yield* present(select(reach, filter));
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
  yield* present(scan(reach, range, () => true, "all"));
}

/** The journal's last word on a path, from the entries alone. */
export function lastWordIn(reach: Reach, path: Path): Head | null {
  const named = Buffer.from(encode(path));
  const range = { sinceSeq: 1, untilSeq: reach.lastSeq, newestFirst: true };
  const concerns = (line: Buffer): boolean => line.indexOf(named) !== -1 || line.indexOf(ABORTED) !== -1;
  return lastWord(present(scan(reach, range, concerns, "fit")), path);
}

const ABORTED = Buffer.from('"outcome":"aborted"');

/** Which paths had these versions. */
export async function* streamUses(reach: Reach, shas: ReadonlySet<Sha>): AsyncGenerator<Use> {
  const range = { sinceSeq: 1, untilSeq: reach.lastSeq, newestFirst: false };
  for (const part of allParts(reach)) {
    const uses = part.isSealed ? readSegment(part.path, (file) => fromIndex(part, file, (i) => usesIn(i, shas))) : null;
    if (uses !== null) yield* uses;
    else
      for (const entry of present(scanPart(reach, part, range, () => true, "fit")))
        yield* usesOf(entry).filter(({ sha }) => shas.has(sha));
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
 * Entries whose raw line is wanted, and null now and then. A line that was altered is passed over: what lies behind it
 * can still be brought back, and verification names it.
 */
function* scan(
  reach: Reach,
  range: Range,
  wanted: (line: Buffer) => boolean,
  which: Which,
  filter?: LogFilter,
): Generator<Entry | null> {
  if (range.sinceSeq > range.untilSeq) return;
  const parts = allParts(reach);
  const first = parts[0]?.firstSeq ?? 1;
  if (first > 1 && range.sinceSeq < first) throw missing(range.sinceSeq);
  const inRange = parts.filter(({ firstSeq, lastSeq }) => firstSeq <= range.untilSeq && lastSeq >= range.sinceSeq);
  for (const part of range.newestFirst ? inRange.reverse() : inRange)
    yield* scanPart(reach, part, range, wanted, which, filter);
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
  const file = openToRead(part.path);
  if (file === null) throw missing(part.firstSeq);
  try {
    const lines = linesOf(reach, part, file, filter).filter(({ seq }) => seq >= sinceSeq && seq <= untilSeq);
    const read = windowOn(file.fd);
    for (const [n, at] of (newestFirst ? lines.reverse() : lines).entries()) {
      const line = readLineAt(read, at);
      const { entry, intact, unfit } = line !== null && wanted(line) ? readLine(line) : PASSED_OVER;
      if (intact && entry?.seq === at.seq && (unfit === null || which === "all")) yield entry;
      if (n % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield null;
    }
  } finally {
    closeQuietly(file.fd);
  }
}

const PASSED_OVER = { entry: null, intact: false, unfit: null };
const LINES_AT_ONCE = 256;

/** In this very file: another process may put one in its place. An index may leave out lines that do not fit. */
function linesOf({ open }: Reach, part: Part, file: StateFile, filter: LogFilter | undefined): LineAt[] {
  if (!part.isSealed && file.stat.ino === open!.ino) return [...open!.lines];
  const isIndexed = filter !== undefined && INDEXED.some((field) => filter[field] !== undefined);
  const found = part.isSealed
    ? fromIndex(part, file, (index) => (isIndexed ? linesFor(index, filter) : linesIn(index)))
    : null;
  return found ?? recordsOf(file, part.lastSeq).flatMap(({ line }) => line ?? []);
}

/** What an index can tell. */
const INDEXED = ["since", "until", "session", "agent", "tool", "path", "outcomes", "only"] as const;

interface Part extends SealedSegment {
  readonly isSealed: boolean;
}

/** The segments that are sealed, by what is known. */
export function sealedSegments(reach: Reach): SealedSegment[] {
  return allParts(reach).filter(({ isSealed }) => isSealed);
}

function allParts({ dir, open, lastSeq }: Reach): Part[] {
  const openSeq = open?.firstSeq ?? 0;
  const segments = listSegments(dir).filter(({ firstSeq }) => firstSeq <= openSeq);
  return segments.map((segment, i) => ({
    ...segment,
    lastSeq: (segments[i + 1]?.firstSeq ?? lastSeq + 1) - 1,
    isSealed: segment.firstSeq < openSeq,
  }));
}

const missing = (seq: number) => damaged(`Journal entry ${seq} is missing.`, { seq });

function* present(entries: Iterable<Entry | null>): Generator<Entry> {
  for (const entry of entries) if (entry !== null) yield entry;
}
