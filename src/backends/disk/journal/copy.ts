// Taking over a journal from elsewhere: line by line, as long as each is an entry that follows the one before it.
import fs from "node:fs";
import type { Sha, VerifyOptions } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { GENESIS, readLine } from "../../journal/entry.ts";
import { closeQuietly } from "../io.ts";
import type { Dir } from "../paths/pin.ts";
import { createStateFile, openStateFile } from "../state/file.ts";
import { linesForward, listSegments, segmentPath } from "./segment.ts";
import { otherWork } from "./verify.ts";

/**
 * Flushed. The number of the last entry: what is no entry or does not chain, and all that comes after it, stays where it
 * is.
 */
export function copyChain(from: string, to: Dir): number {
  for (const copying = copyBlocks(from, to); ; ) {
    const { done, value } = copying.next();
    if (!done) continue;
    to.fsync();
    return value;
  }
}

/** As many as `copyChain` would copy. */
export async function countChain(from: string, signal: VerifyOptions["signal"]): Promise<number> {
  for (const counting = copyBlocks(from, null); ; ) {
    const { done, value } = counting.next();
    if (done) return value;
    await otherWork(signal);
  }
}

interface Last {
  readonly seq: number;
  readonly hash: Sha;
}

/** A pause after every block; with nowhere to go, entries are only counted. */
function* copyBlocks(from: string, to: Dir | null): Generator<undefined, number> {
  let last: Last = { seq: 0, hash: GENESIS };
  for (const { firstSeq, path } of segmentsIn(from)) {
    if (firstSeq !== last.seq + 1) break;
    const { end, whole } = yield* copySegment(path, to === null ? null : segmentPath(to.self, firstSeq), last);
    last = end;
    if (!whole) break;
  }
  return last.seq;
}

function* copySegment(
  from: string,
  to: string | null,
  before: Last,
): Generator<undefined, { readonly end: Last; readonly whole: boolean }> {
  let end = before;
  const source = opened(from);
  if (source === null) return { end, whole: false };
  const target = to === null ? null : createStateFile(to);
  try {
    for (const lines of linesForward(source.fd, 0, source.stat.size)) {
      for (const line of lines) {
        const { entry, intact, unfit } = readLine(line);
        const follows = entry?.seq === end.seq + 1 && entry.prev === end.hash;
        if (entry === null || !intact || unfit !== null || !follows) return { end, whole: false };
        if (target !== null) writeAll(target, Buffer.concat([line, LINE_END]));
        end = { seq: entry.seq, hash: entry.hash };
      }
      yield;
    }
    return { end, whole: true };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { end, whole: false };
  } finally {
    closeQuietly(source.fd);
    if (target !== null && to !== null) finish(target, to, end.seq === before.seq);
  }
}

function finish(fd: number, path: string, isEmpty: boolean): void {
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  if (isEmpty) fs.rmSync(path);
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

/** Another name by hard link does no harm here: it is only read, and the copy has one name. */
function opened(path: string): ReturnType<typeof openStateFile> {
  try {
    return openStateFile(path, { maxBytes: JOURNAL_LIMITS.segmentBytes, anyLinks: true });
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
