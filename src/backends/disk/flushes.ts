// Flushes of the tree's files that no change waits for: the log has their bytes, so a power failure loses nothing of them.
import fs from "node:fs";
import { closeQuietly } from "./io.ts";

/** "full" waits until the disk has the log, "fast" leaves that to the operating system. */
export type Durability = "full" | "fast";

/** By path. Each holds a descriptor. */
const waiting = new Map<string, number>();
const due: number[] = [];
/** Descriptors of files that were displaced. */
const displaced: number[] = [];
const underWay = new Set<Promise<void>>();
let timer: NodeJS.Timeout | undefined;
/** So soon what has come together is begun, and a process that would end waits for it: many replace each other until then. */
const SOON_MS = 25;
/** At once, when so many have come together. */
const MAX_WAITING = 64;
const MAX_DISPLACED = 16;
/** The threads that flush are few, and the log needs one. */
const MAX_FLUSHING = 2;
let flushing = 0;

/** Takes over the descriptor. One of the same file that still waits is displaced by now, and needs no flush any more. */
export function flushSoon(path: string, fd: number): void {
  const before = waiting.get(path);
  if (before !== undefined) closeQuietly(before);
  waiting.set(path, fd);
  soon();
}

/** Of a file that was displaced. Its last close frees its blocks, and waits until the disk is done with them: a thread does it. */
export function closeLater(fd: number): void {
  displaced.push(fd);
  soon();
}

function soon(): void {
  timer ??= setTimeout(begin, SOON_MS);
  if (waiting.size >= MAX_WAITING || displaced.length >= MAX_DISPLACED) begin();
}

function begin(): void {
  clearTimeout(timer);
  timer = undefined;
  for (const fd of displaced.splice(0)) track((done) => fs.close(fd, done));
  due.push(...waiting.values());
  waiting.clear();
  while (due.length > 0 && flushing < MAX_FLUSHING) flushNext();
}

function flushNext(): void {
  const fd = due.shift();
  if (fd === undefined) return;
  flushing++;
  track((done) =>
    fs.fdatasync(fd, () => {
      closeQuietly(fd);
      flushing--;
      flushNext();
      done();
    }),
  );
}

/** Waits while too many are under way. */
export async function flushesBounded(): Promise<void> {
  while (due.length + underWay.size > MAX_WAITING) await Promise.race(underWay);
}

export async function flushesDone(): Promise<void> {
  begin();
  while (underWay.size > 0) await Promise.all(underWay);
}

function track(work: (done: () => void) => void): void {
  const run = new Promise<void>(work).then(() => void underWay.delete(run));
  underWay.add(run);
}
