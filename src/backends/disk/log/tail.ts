// Where a log ends: its last segment, read up to the last entry, which may be torn or damaged.
import fs from "node:fs";
import type { Entry } from "../../../core/backend.ts";
import { damaged, readLine, START, type Tail } from "../../journal/entry.ts";
import { closeQuietly } from "../io.ts";
import type { StateFile } from "../state-file.ts";
import { HEADER_BYTES, walkRecords } from "./record.ts";
import {
  addRecord,
  dropFrom,
  intactEntryAt,
  listSegments,
  type OpenSegment,
  openSegment,
  readLineAt,
  readSegment,
  recordsOf,
  windowOn,
} from "./segment.ts";

interface End {
  readonly open: OpenSegment | null;
  readonly tail: Tail;
}

/** `settled`: entries up to this one were whole before. `upTo`: what lies behind is no whole record. */
export function openEnd(dir: string, settled: number, upTo: number): End {
  const segments = listSegments(dir);
  const last = segments.at(-1);
  if (last === undefined) return { open: null, tail: START };
  const open = openSegment(last.path, last.firstSeq);
  try {
    const size = Math.min(upTo, fs.fstatSync(open.fd).size);
    for (const record of walkRecords(windowOn(open.fd), 0, size, settled)) addRecord(open, record);
    const tail = lastIn(open, settled) ?? (open.firstSeq === 1 ? START : lastBefore(open, segments.at(-2)?.path));
    if (tail.seq !== settled - 1 || open.end === size) return { open, tail };
    // The record of the last one is there, and cannot be read: what is appended goes behind it.
    open.end = size;
    return { open, tail: { ...tail, seq: settled } };
  } catch (error) {
    closeQuietly(open.fd);
    throw error;
  }
}

/** One that is altered is a torn tail, unless it was settled: that was damaged, and keeps its number. */
function lastIn(open: OpenSegment, settled: number): Tail | null {
  const read = windowOn(open.fd);
  for (let line = open.lines.at(-1); line !== undefined; line = open.lines.at(-1)) {
    const entry = intactEntryAt(read, line);
    if (entry?.seq === line.seq) return tailAt(entry);
    const before = open.lines.at(-2)?.seq ?? open.firstSeq - 1;
    if (before < settled) {
      const { computed } = readLine(readLineAt(read, line) ?? Buffer.alloc(0));
      return { seq: before + 1, hash: computed, at: "" };
    }
    dropFrom(open, line.start - HEADER_BYTES);
  }
  return null;
}

/** What is kept in memory of the last entry, which may be large. */
const tailAt = ({ seq, hash, at }: Entry): Tail => ({ seq, hash, at });

/** The last entry of the segment before. */
function lastBefore({ firstSeq }: OpenSegment, path: string | undefined): Tail {
  const lastSeq = firstSeq - 1;
  const last = (file: StateFile): Entry | null => {
    const line = recordsOf(file, lastSeq).findLast((record) => record.line !== null)?.line;
    return line ? intactEntryAt(windowOn(file.fd), line) : null;
  };
  const entry = path === undefined ? null : readSegment(path, last);
  if (entry?.seq === lastSeq) return tailAt(entry);
  throw damaged(`Journal entry ${lastSeq} is missing.`, { seq: lastSeq });
}
