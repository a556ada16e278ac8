// Reads entries out of the segments of the log, oldest or newest first, and no more of them than is asked for.
import { setImmediate } from "node:timers/promises";
import type { Entry, LogFilter } from "../../../core/backend.ts";
import { damaged } from "../../journal/entry.ts";
import { lineFilter, matches } from "../../journal/entry-filter.ts";
import { closeQuietly } from "../io.ts";
import { openStateFile, type StateFile } from "../state-file.ts";
import type { LineAt } from "./record.ts";
import { entryAt, type Part, readLineAt, recordsOf, windowOn } from "./segment.ts";
import { fromIndex } from "./segment-index.ts";

export function* readEntries(parts: readonly Part[], filter: LogFilter): Generator<Entry> {
  yield* present(select(parts, filter));
}

/** As `readEntries`, letting other work in. */
export async function* streamEntries(parts: readonly Part[], filter: LogFilter): AsyncGenerator<Entry> {
  for (const entry of select(parts, filter)) {
    if (entry === null) await setImmediate();
    else yield entry;
  }
}

/** The lines of all entries as they are stored, those included that were altered. */
export function* storedLines(parts: readonly Part[]): Generator<Buffer> {
  for (const part of parts) {
    const file = openStateFile(part.path);
    if (file === null) throw missing(part.firstSeq);
    try {
      const read = windowOn(file.fd);
      for (const { line } of recordsOf(file, part.lastSeq))
        if (line !== null) yield Buffer.from(readLineAt(read, line) ?? "");
    } finally {
      closeQuietly(file.fd);
    }
  }
}

function* select(parts: readonly Part[], filter: LogFilter): Generator<Entry | null> {
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  for (const entry of scan(parts, filter, lineFilter(filter))) {
    if (entry !== null && !matches(entry, filter)) continue;
    yield entry;
    if (entry !== null && --left <= 0) return;
  }
}

/**
 * Entries whose raw line is wanted and that may fit, and null now and then. A line that was altered is passed over: what
 * lies behind it can still be brought back, and verification names it.
 */
function* scan(parts: readonly Part[], filter: LogFilter, wanted: (line: Buffer) => boolean): Generator<Entry | null> {
  const { sinceSeq = 1, untilSeq = Number.POSITIVE_INFINITY, newestFirst } = filter;
  const inRange = parts.filter(({ firstSeq, lastSeq }) => firstSeq <= untilSeq && lastSeq >= sinceSeq);
  const [first] = parts;
  if (first !== undefined && inRange.length > 0 && first.firstSeq > Math.max(sinceSeq, 1)) throw missing(sinceSeq);
  for (const part of newestFirst ? inRange.reverse() : inRange) yield* scanPart(part, filter, wanted);
}

function* scanPart(part: Part, filter: LogFilter, wanted: (line: Buffer) => boolean): Generator<Entry | null> {
  yield null;
  const { sinceSeq = 1, untilSeq = part.lastSeq, newestFirst } = filter;
  const last = Math.min(untilSeq, part.lastSeq);
  const file = openStateFile(part.path);
  if (file === null) throw missing(part.firstSeq);
  try {
    const lines = linesOf(part, file, filter).filter(({ seq }) => seq >= sinceSeq && seq <= last);
    const read = windowOn(file.fd);
    for (const [n, at] of (newestFirst ? lines.reverse() : lines).entries()) {
      const entry = entryAt(read, at, wanted);
      if (entry?.seq === at.seq) yield entry;
      if (n % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield null;
    }
  } finally {
    closeQuietly(file.fd);
  }
}

const LINES_AT_ONCE = 256;

/** In this very file: another process may put one in its place. */
function linesOf(part: Part, file: StateFile, filter: LogFilter): readonly LineAt[] {
  if (part.open?.ino === file.stat.ino) return part.open.lines;
  const found = part.open ? null : fromIndex(part, file, (index) => index.lines(filter));
  return found ?? recordsOf(file, part.lastSeq).flatMap(({ line }) => line ?? []);
}

const missing = (seq: number) => damaged(`Journal entry ${seq} is missing.`, { seq });

function* present(entries: Iterable<Entry | null>): Generator<Entry> {
  for (const entry of entries) if (entry !== null) yield entry;
}
