// Follows the journal: entries as they are appended, by this process or any other, until the signal stops it.
import { setTimeout } from "node:timers/promises";
import type { Backend, Entry } from "../../core/backend.ts";
import { newestEntry } from "./journal.ts";

/**
 * Everything after `last`, oldest first. The journal is looked at a few times a second, which costs next to nothing; or,
 * where the backend reports changes, when it does, and now and then in case a hint was lost.
 */
export async function* followJournal(
  backend: Backend,
  last: Pick<Entry, "seq">,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  let seen = last;
  let failures = 0;
  const hints = listen(backend);
  try {
    while (!signal.aborted) {
      try {
        hints.reset();
        const entries = await nextEntries(backend, seen);
        for (const entry of entries) {
          seen = entry;
          yield entry;
          if (signal.aborted) return;
        }
        failures = 0;
        if (entries.length >= WINDOW) continue;
      } catch (error) {
        // The end of the journal may be under way.
        if (++failures > MAX_FAILURES) throw error;
      }
      await (failures > 0 ? pause(PAUSE_MS, signal) : hints.next(signal));
    }
  } finally {
    hints.end();
  }
}

const WINDOW = 200;
const MAX_FAILURES = 5;
const PAUSE_MS = 200;
/** A hint may be lost with its connection. */
const UNHINTED_MS = 2000;

interface Hints {
  /** What comes from now on is news. */
  reset(): void;
  /** Until there is one, or long enough was waited. */
  next(signal: AbortSignal): Promise<void>;
  end(): void;
}

function listen(backend: Backend): Hints {
  let news = new AbortController();
  const end = backend.watch?.(() => news.abort());
  return {
    reset() {
      if (news.signal.aborted) news = new AbortController();
    },
    next: (signal) =>
      end === undefined ? pause(PAUSE_MS, signal) : pause(UNHINTED_MS, AbortSignal.any([signal, news.signal])),
    end: () => end?.(),
  };
}

async function nextEntries(backend: Backend, seen: Pick<Entry, "seq">): Promise<readonly Entry[]> {
  const newest = await newestEntry(backend);
  if (newest === undefined || newest.seq <= seen.seq) return [];
  const found: Entry[] = [];
  const range = { sinceSeq: seen.seq + 1, untilSeq: seen.seq + WINDOW };
  for await (const entry of backend.log({ ...range, newestFirst: true })) found.push(entry);
  return found.reverse();
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
