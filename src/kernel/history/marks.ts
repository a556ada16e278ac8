// Reviewed marks: which entries a person has looked at, kept in the journal as notes about them.
import type { Backend, Entry } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { validate } from "../../core/options.ts";
import { REVIEW_OPTIONS } from "../options.ts";
import type { CallOptions, Session } from "../session.ts";
import { newestEntry } from "./journal.ts";

/** Entries in one note: it is one line of the journal. */
const MAX_MARKED = 10_000;

/** Notes that these entries were reviewed, or with `reviewed: false` that they are to be looked at again. */
export async function markReviewed(
  session: Session,
  entries: readonly number[],
  options: CallOptions & { readonly reviewed?: boolean } = {},
): Promise<Entry> {
  validate(options, REVIEW_OPTIONS);
  const { reviewed = true, ...call } = options;
  const seqs = [...new Set(Array.isArray(entries) ? entries : [])].sort((a, b) => a - b);
  const newest = (await newestEntry(session.workspace.backend))?.seq ?? 0;
  const isNumber = (seq: number): boolean => Number.isSafeInteger(seq) && seq >= 1 && seq <= newest;
  if (seqs.length === 0 || seqs.length > MAX_MARKED || !seqs.every(isNumber))
    throw new Refusal("invalid_input", `Reviewed are 1 to ${MAX_MARKED} entries, each by its number.`, {
      next: "The log shows the numbers.",
    });
  return session.workspace.backend.record({
    ...session.author({ tool: "review", ...call }),
    outcome: "note",
    changes: [],
    of: seqs,
    details: { reviewed },
  });
}

/** The numbers of all entries that are marked now. Their own notes are not among them. */
export async function reviewedEntries(backend: Backend, known?: ReviewedSet): Promise<ReviewedSet> {
  const notes: Entry[] = [];
  for await (const entry of backend.log({ outcomes: ["note"], only: "of entries", sinceSeq: (known?.upTo ?? 0) + 1 }))
    notes.push(entry);
  if (notes.length === 0 && known !== undefined) return known;
  const seqs = new Set(known?.seqs);
  for (const note of notes) {
    const mark = markIn(note);
    if (mark !== undefined) for (const seq of note.of ?? []) mark ? seqs.add(seq) : seqs.delete(seq);
  }
  return { seqs, upTo: notes.at(-1)?.seq ?? 0 };
}

/** What is marked, and up to which entry of the journal that was looked up. */
export interface ReviewedSet {
  /** Entries. */
  readonly seqs: ReadonlySet<number>;
  /** The last note that was looked at; given back to `reviewedEntries`, only later ones are. */
  readonly upTo: number;
}

/** What a note says about the entries that it names; undefined where it is no such note. */
export function markIn({ outcome, details }: Pick<Entry, "outcome" | "details">): boolean | undefined {
  return outcome === "note" && typeof details?.reviewed === "boolean" ? details.reviewed : undefined;
}
