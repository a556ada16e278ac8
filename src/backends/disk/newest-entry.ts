// The newest entry of a journal, which every read by anchors asks for: read once, as long as none follows it.
import type { Entry, LogFilter } from "../../core/backend.ts";
import type { Journal } from "./journal/journal.ts";

/** `journal.log`, after a `follow`: the tail is then known to be what the file ends with. */
export async function* logFollowed(journal: Journal, filter: LogFilter): AsyncGenerator<Entry> {
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
