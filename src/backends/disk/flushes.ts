// Flushes of the tree's files that no change waits for: the log has their bytes, so a power failure loses nothing of them.
import fs from "node:fs";
import { closeQuietly } from "./io.ts";

/** "full" waits until the disk has the log, "fast" leaves that to the operating system. */
export type Durability = "full" | "fast";

/** By path. Each holds a descriptor. */
const waiting = new Map<string, number>();
const flushing = new Set<Promise<void>>();
const closing = new Set<Promise<void>>();
const MAX_WAITING = 64;
/** The threads that flush are few, and the log needs one. */
const MAX_FLUSHING = 2;

/** Takes over the descriptor. One of the same file that still waits is displaced by now, and needs no flush any more. */
export function beginFlush(path: string, fd: number): void {
  const displaced = waiting.get(path);
  if (displaced !== undefined) closeQuietly(displaced);
  waiting.set(path, fd);
  startNext();
}

/** Of a file that was displaced. Its last close waits until the disk is done with its bytes, so a thread does it. */
export function closeLater(fd: number): void {
  track(closing, (done) => fs.close(fd, done));
}

/** Waits while too many are under way. */
export async function flushesBounded(): Promise<void> {
  while (waiting.size + closing.size > MAX_WAITING) await Promise.race([...flushing, ...closing]);
}

export async function flushesDone(): Promise<void> {
  while (flushing.size + closing.size > 0) await Promise.all([...flushing, ...closing]);
}

function startNext(): void {
  const [next] = waiting;
  if (next === undefined || flushing.size >= MAX_FLUSHING) return;
  const [path, fd] = next;
  waiting.delete(path);
  track(flushing, (done) => fs.fdatasync(fd, () => fs.close(fd, done)));
}

function track(set: Set<Promise<void>>, work: (done: () => void) => void): void {
  const run = new Promise<void>((resolve) => {
    work(() => {
      set.delete(run);
      startNext();
      resolve();
    });
  });
  set.add(run);
}
