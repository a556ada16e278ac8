// Flushes of the tree's files that no change waits for: the log has their bytes, so a power failure loses nothing of them.
import fs from "node:fs";
import { closeQuietly } from "./io.ts";

/** "full" waits until the disk has the log, "fast" leaves that to the operating system. */
export type Durability = "full" | "fast";

/** By path. Each holds a descriptor. */
const waiting = new Map<string, number>();
const running = new Set<Promise<void>>();
const MAX_WAITING = 64;
/** The threads that flush are few, and the log needs one. */
const MAX_RUNNING = 2;

/** Takes over the descriptor. One of the same file that still waits is displaced by now, and needs no flush any more. */
export function beginFlush(path: string, fd: number): void {
  const displaced = waiting.get(path);
  if (displaced !== undefined) closeQuietly(displaced);
  waiting.set(path, fd);
  startNext();
}

/** Waits while too many are under way. */
export async function flushesBounded(): Promise<void> {
  while (waiting.size > MAX_WAITING) await Promise.race(running);
}

export async function flushesDone(): Promise<void> {
  while (running.size > 0) await Promise.all(running);
}

function startNext(): void {
  const [next] = waiting;
  if (next === undefined || running.size >= MAX_RUNNING) return;
  const [path, fd] = next;
  waiting.delete(path);
  const flush = new Promise<void>((resolve) => {
    fs.fdatasync(fd, () => {
      closeQuietly(fd);
      running.delete(flush);
      startNext();
      resolve();
    });
  });
  running.add(flush);
}
