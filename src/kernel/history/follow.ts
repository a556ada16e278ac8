// Follows the journal: entries as they are appended, by this process or any other, until the signal stops it.
import { setTimeout } from "node:timers/promises";
import type { Backend, Entry } from "../../core/backend.ts";

/**
 * Everything after `last`, oldest first. The journal is looked at a few times a second, which costs next to nothing; or,
 * where the backend reports changes, when it does, and now and then in case a hint was lost with its connection.
 */
export async function* followJournal(
  backend: Backend,
  last: Pick<Entry, "seq">,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  let { seq } = last;
  let failures = 0;
  let news = new AbortController();
  const unwatch = backend.watch?.(() => news.abort());
  try {
    while (!signal.aborted) {
      if (news.signal.aborted) news = new AbortController();
      try {
        const entries: Entry[] = [];
        for await (const entry of backend.log({ sinceSeq: seq + 1, limit: WINDOW })) entries.push(entry);
        for (const entry of entries) {
          seq = entry.seq;
          yield entry;
          if (signal.aborted) return;
        }
        failures = 0;
        if (entries.length >= WINDOW) continue;
      } catch (error) {
        // The end of the journal may be under way.
        if (++failures > MAX_FAILURES) throw error;
      }
      const isHinted = unwatch !== undefined && failures === 0;
      await pause(isHinted ? UNHINTED_MS : PAUSE_MS, isHinted ? AbortSignal.any([signal, news.signal]) : signal);
    }
  } finally {
    unwatch?.();
  }
}

const WINDOW = 200;
const MAX_FAILURES = 5;
const PAUSE_MS = 200;
const UNHINTED_MS = 2000;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
