// What sessions saw, in the log of the history: it outlives the process. A damaged, forged or old record counts as never seen.
import { hash } from "node:crypto";
import type { Ledger, Path, Seen } from "../../core/backend.ts";
import { isRecord } from "../../core/is-record.ts";
import { LIMITS } from "../../core/limits.ts";
import { isSha, versionOf } from "../../core/version.ts";
import { isPath } from "../journal/entry-form.ts";
import type { Disk } from "./commit.ts";
import { isFull } from "./history.ts";
import type { Log } from "./log/log.ts";
import { walkRecords } from "./log/record.ts";
import { type OpenSegment, readSegment, windowOn } from "./log/segment.ts";

interface LogAccess {
  /** With what other processes appended; null where there is no log yet. */
  readLog<T>(read: (log: Log) => T): T | null;
  withLock<T>(work: (disk: Disk) => Promise<T>): Promise<T>;
}

/** Only what the open segment and the one before it hold is found by another process. Nothing is flushed. */
export function ledgerOf(session: string, { readLog, withLock }: LogAccess): Ledger {
  const start = Buffer.from(`{"session":${JSON.stringify(session)},`);
  const known = new Map<Path, Seen>();
  let reached: { readonly open: OpenSegment; readonly end: number } | null = null;

  /** A path of null stands for all. */
  function note(path: Path | null, seen: Seen | null): void {
    if (path === null) known.clear();
    else known.delete(path);
    if (path !== null && seen !== null) known.set(path, seen);
    if (known.size > LIMITS.seenFiles) known.delete(known.keys().next().value!);
  }

  function read(fd: number, from: number, to: number): void {
    const bytesAt = windowOn(fd);
    for (const { seen } of walkRecords(bytesAt, { from, to })) {
      if (seen === undefined || seen.size > MAX_BYTES) continue;
      const bytes = bytesAt(seen.offset, seen.size);
      if (!bytes.subarray(0, start.length).equals(start) || hash("sha256", bytes) !== seen.sha) continue;
      const { path, seen: value } = JSON.parse(bytes.toString());
      if (path === null || isPath(path)) note(path, isSeen(value) ? value : null);
    }
  }

  function follow(): void {
    readLog((log) => {
      const { open } = log;
      if (open === null) return;
      const isNew = reached?.open !== open;
      const before = isNew ? log.reach().at(-2) : undefined;
      if (before !== undefined) readSegment(before.path, ({ fd, stat }) => read(fd, 0, stat.size));
      read(open.fd, isNew ? 0 : reached!.end, open.end);
      reached = { open, end: open.end };
    });
  }

  async function put(path: Path | null, seen: Seen | null): Promise<void> {
    follow();
    const before = path === null ? [...known.keys()] : (known.get(path) ?? null);
    if (JSON.stringify(before) === JSON.stringify(path === null ? [] : seen)) return;
    const bytes = Buffer.from(JSON.stringify({ session, path, seen }));
    // What is too long, or finds no room, is known to this process alone.
    if (bytes.length <= MAX_BYTES)
      await withLock(async ({ history: { log } }) => {
        if (!isFull(log)) log.keep([versionOf([bytes])], { isSeen: true });
      });
    note(path, seen);
  }

  return {
    get(path) {
      follow();
      return known.get(path);
    },
    set: put,
    delete: (path) => put(path, null),
    clear: () => put(null, null),
  };
}

/** A file of which more than a thousand single parts were shown. */
const MAX_BYTES = 64 * 1024;

/** Another stet may have written it. */
const isSeen = (value: unknown): value is Seen =>
  isRecord(value) && isSha(value.sha) && Number.isSafeInteger(value.lines) && Array.isArray(value.shown);
