// Reading the journal without the lock: its last entry may be taken back meanwhile, which looks like damage and is none.
import type { Entry, LogFilter, Sha, Use } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import type { Journal } from "./journal.ts";

/** Runs `work` under the lock: what the journal holds then stays. */
export type Settled = <T>(work: () => T) => Promise<T>;

/** What is damaged under the lock, or cannot be looked at under it, is refused as it was found. */
export async function readUnlocked<T>(read: () => T, settled: Settled): Promise<T> {
  try {
    return read();
  } catch (error) {
    return unlessDamaged(error, () => settled(read));
  }
}

/** Goes on where it was, as far as the journal is known to reach under the lock. */
export async function* logUnlocked(journal: Journal, filter: LogFilter, settled: Settled): AsyncGenerator<Entry> {
  let rest = filter;
  try {
    journal.follow();
    for await (const entry of logFollowed(journal, filter)) {
      rest = after(rest, entry);
      yield entry;
    }
  } catch (error) {
    yield* await unlessDamaged(error, () =>
      settled(() => {
        journal.follow();
        return journal.log(rest);
      }),
    );
  }
}

/**
 * `journal.log`, after a `follow`: the tail is then known to be what the file ends with. The newest entry, which every read
 * by anchors asks for, is read once, as long as none follows it.
 */
async function* logFollowed(journal: Journal, filter: LogFilter): AsyncGenerator<Entry> {
  if (!isForNewest(filter)) return yield* journal.log(filter);
  const last = known.get(journal);
  const { seq, hash } = journal.tail;
  if (last !== undefined && last.seq === seq && last.hash === hash) return yield last;
  for await (const entry of journal.log(filter)) {
    if (entry.hash === hash) known.set(journal, entry);
    yield entry;
  }
}

const known = new WeakMap<Journal, Entry>();

function isForNewest({ newestFirst, limit, ...rest }: LogFilter): boolean {
  return newestFirst === true && limit === 1 && Object.values(rest).every((value) => value === undefined);
}

/** As far as the journal reached under the lock; where it cannot be had, as far as it reaches now. */
export async function lastingUses(
  journal: Journal,
  shas: ReadonlySet<Sha>,
  settled: Settled,
): Promise<AsyncIterable<Use>> {
  const read = (): AsyncIterable<Use> => {
    journal.follow();
    return journal.uses(shas);
  };
  return settled(read).catch((error) => {
    if (error instanceof Refusal && error.kind !== "journal_damaged") return read();
    throw error;
  });
}

async function unlessDamaged<T>(error: unknown, again: () => Promise<T>): Promise<T> {
  if (!(error instanceof Refusal) || error.kind !== "journal_damaged") throw error;
  try {
    return await again();
  } catch (other) {
    throw other instanceof Refusal && other.kind === "journal_damaged" ? other : error;
  }
}

function after(filter: LogFilter, { seq }: Entry): LogFilter {
  const limit = filter.limit === undefined ? {} : { limit: filter.limit - 1 };
  return filter.newestFirst ? { ...filter, ...limit, untilSeq: seq - 1 } : { ...filter, ...limit, sinceSeq: seq + 1 };
}
