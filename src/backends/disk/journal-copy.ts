// Taking over a journal from elsewhere: line by line, as long as each is an entry that follows the one before it.
import fs from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import { JOURNAL_LIMITS } from "../../kernel/limits.ts";
import type { Sha } from "../backend.ts";
import { GENESIS, readLine } from "../entry.ts";
import { errnoOf } from "./errno.ts";
import { closeQuietly } from "./io.ts";
import type { Dir } from "./pin.ts";
import { linesForward, listSegments, segmentPath } from "./segment.ts";
import { createStateFile, openStateFile } from "./state-file.ts";

/** Flushed. The number of the last entry: what does not chain, and all that comes after it, stays where it is. */
export function copyChain(from: string, to: Dir): number {
  let last: { seq: number; hash: Sha } = { seq: 0, hash: GENESIS };
  for (const { firstSeq, path } of segmentsIn(from)) {
    if (firstSeq !== last.seq + 1) break;
    const { end, whole } = copySegment(path, segmentPath(to.self, firstSeq), last);
    last = end;
    if (!whole) break;
  }
  to.fsync();
  return last.seq;
}

function copySegment(from: string, to: string, before: { readonly seq: number; readonly hash: Sha }) {
  let end = before;
  const source = opened(from);
  if (source === null) return { end, whole: false };
  const target = createStateFile(to);
  try {
    for (const lines of linesForward(source.fd, 0, source.stat.size)) {
      for (const line of lines) {
        const { entry, intact, unfit } = readLine(line);
        const follows = entry?.seq === end.seq + 1 && entry.prev === end.hash;
        if (entry === null || !intact || unfit !== null || !follows) return { end, whole: false };
        writeAll(target, Buffer.concat([line, LINE_END]));
        end = { seq: entry.seq, hash: entry.hash };
      }
    }
    return { end, whole: true };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { end, whole: false };
  } finally {
    closeQuietly(source.fd);
    fs.fsyncSync(target);
    fs.closeSync(target);
    if (end.seq === before.seq) fs.rmSync(to);
  }
}

const LINE_END = Buffer.from("\n");

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
}

function segmentsIn(dir: string): ReturnType<typeof listSegments> {
  try {
    return listSegments(dir);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function opened(path: string): ReturnType<typeof openStateFile> {
  try {
    return openStateFile(path, { maxBytes: JOURNAL_LIMITS.segmentBytes });
  } catch (error) {
    if (error instanceof Refusal || errnoOf(error) !== undefined) return null;
    throw error;
  }
}
