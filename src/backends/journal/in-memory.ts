// A journal whose entries are held in memory: the same sealed lines as on disk, in an array.
import { strictOptions, validate } from "../../api/options.ts";
import type { Entry, EntryDraft, Head, LogFilter, Path, Verification, VerifyOptions } from "../../core/backend.ts";
import { verifyLines } from "./chain.ts";
import { parseLine, placeAfter, START, seal, type Tail } from "./entry.ts";
import { matches } from "./entry-filter.ts";
import { abortedBy, applyTo } from "./heads.ts";
import { signedNote } from "./signed-heads.ts";

/** A journal in memory: what a backend needs of one. */
export interface Journal {
  /** Appends an entry. Refuses what cannot be one. */
  append(draft: EntryDraft): Entry;
  /** The same in two steps: what cannot be an entry is refused here, and what this gives appends it, if it is the next one. */
  prepare(draft: EntryDraft): () => Entry;
  /** The last word on a path. */
  head(path: Path): Head | null;
  /** The entries that fit, as `Backend.log` gives them. */
  log(filter?: LogFilter): Generator<Entry>;
  /** Checks the whole chain. */
  verify(options?: VerifyOptions): Verification;
  /** Signs the newest entry, and notes it. */
  sign(privateKey: string): { readonly text: string; readonly entry: Entry };
}

/** How a journal in memory is kept. */
export interface JournalOptions {
  /** The lines that were stored, in their order. One that is damaged is refused: look at such a journal with `verifyLines`. */
  readonly lines?: Iterable<string>;
  /** Given each line, which has no line end, before its entry counts. What it throws leaves the journal as it was. */
  readonly store?: (line: string) => void;
  /** How many of the newest entries are held; all unless given. */
  readonly newest?: number | undefined;
}

const OPTIONS = strictOptions<JournalOptions>({ lines: true, store: true, newest: true });

/** Opens a journal that is held in memory, on the lines of one that was stored, or empty. */
export function createJournal(options: JournalOptions = {}): Journal {
  validate(options, OPTIONS);
  const { newest = Number.POSITIVE_INFINITY } = options;
  const lines: string[] = [...(options.lines ?? [])];
  const entries: Entry[] = lines.map(parseLine);
  let heads = headsOf(entries);
  const tail = (): Tail => entries.at(-1) ?? START;

  function prepare(draft: EntryDraft): () => Entry {
    const { entry, line } = seal(draft, placeAfter(tail(), new Date()));
    return () => {
      options.store?.(line);
      entries.push(entry);
      lines.push(line);
      if (entry.outcome === "aborted") heads = headsOf(entries);
      applyTo(heads, entry);
      if (entries.length > newest) {
        const { seq, changes } = entries.shift()!;
        lines.shift();
        // Neither are files held that it deleted.
        for (const { path, to } of changes) if (to === null && heads.get(path)?.seq === seq) heads.delete(path);
      }
      return entry;
    };
  }

  const append = (draft: EntryDraft): Entry => prepare(draft)();

  return {
    append,
    prepare,
    head: (path) => heads.get(path) ?? null,
    *log(filter = {}) {
      const found = entries.filter((entry) => matches(entry, filter));
      yield* (filter.newestFirst ? found.reverse() : found).slice(0, filter.limit);
    },
    verify(how) {
      const bytes = lines.map((line) => Buffer.from(line));
      return verifyLines(bytes, how);
    },
    sign(privateKey) {
      const { text, draft } = signedNote(tail(), privateKey);
      return { text, entry: append(draft) };
    },
  };
}

function headsOf(entries: readonly Entry[]): Map<Path, Head> {
  const heads = new Map<Path, Head>();
  const aborted = abortedBy(entries);
  for (const entry of entries) if (!aborted.has(entry.seq)) applyTo(heads, entry);
  return heads;
}
