// Flushes of the tree's files that no change waits for: the log has their bytes, so a power failure loses nothing of them.
import fs from "node:fs";
import { closeQuietly } from "./io.ts";

/** "full" waits until the disk has the log, "fast" leaves that to the operating system. */
export type Durability = "full" | "fast";

/** By path. Each holds a descriptor. */
const waiting = new Map<string, number>();
/** Descriptors of files that were displaced. */
const displaced: number[] = [];
const underWay = new Set<Promise<void>>();
const MAX_WAITING = 64;
/** The threads that flush are few, and the log needs one. */
const MAX_FLUSHING = 2;
let flushing = 0;
let closing: NodeJS.Timeout | undefined;

/** Takes over the descriptor. One of the same file that still waits is displaced by now, and needs no flush any more. */
export function beginFlush(path: string, fd: number): void {
  const before = waiting.get(path);
  if (before !== undefined) closeQuietly(before);
  waiting.set(path, fd);
  startNext();
}

/**
 * Of a file that was displaced. Its last close frees its blocks, and waits until the disk is done with them: a thread does
 * it, for some at a time, since waking one costs more than most of them take.
 */
export function closeLater(fd: number): void {
  displaced.push(fd);
  closing ??= setTimeout(closeDisplaced, CLOSE_MS).unref();
  if (displaced.length >= CLOSE_AT_ONCE) closeDisplaced();
}

const CLOSE_AT_ONCE = 16;
const CLOSE_MS = 100;

function closeDisplaced(): void {
  clearTimeout(closing);
  closing = undefined;
  for (const fd of displaced.splice(0)) track((done) => fs.close(fd, done));
}

/** Waits while too many are under way. */
export async function flushesBounded(): Promise<void> {
  while (waiting.size + underWay.size > MAX_WAITING) await Promise.race(underWay);
}

export async function flushesDone(): Promise<void> {
  closeDisplaced();
  while (underWay.size > 0) await Promise.all(underWay);
}

function startNext(): void {
  const [next] = waiting;
  if (next === undefined || flushing >= MAX_FLUSHING) return;
  const [path, fd] = next;
  waiting.delete(path);
  flushing++;
  track((done) =>
    fs.fdatasync(fd, () => {
      closeQuietly(fd);
      flushing--;
      startNext();
      done();
    }),
  );
}

function track(work: (done: () => void) => void): void {
  const run = new Promise<void>(work).then(() => void underWay.delete(run));
  underWay.add(run);
}
