// Reviewed marks: which entries a person has looked at, kept in the journal as notes about them.
import { validate } from "../../api/options.ts";
import type { Backend, Entry } from "../../core/backend.ts";
import { refuse } from "../../words/index.ts";
import { REVIEW_OPTIONS } from "../options.ts";
import type { CallOptions, Session } from "../session.ts";
import { newestEntry } from "./journal.ts";

/** A note is one line of the journal, with all its entries. */
const MAX_MARKED = 10_000;

/** Notes that these entries were reviewed, or with `reviewed: false` that they are to be looked at again. */
export async function markReviewed(
  session: Session,
  entries: readonly number[],
  options: CallOptions & { readonly reviewed?: boolean } = {},
): Promise<Entry> {
  validate(options, REVIEW_OPTIONS);
  const { reviewed = true, ...call } = options;
  const { backend } = session.workspace;
  const of = [...new Set(Array.isArray(entries) ? entries : [])].sort((a, b) => a - b);
  const newest = (await newestEntry(backend))?.seq ?? 0;
  const isNumber = (seq: number): boolean => Number.isSafeInteger(seq) && seq >= 1 && seq <= newest;
  if (of.length === 0 || of.length > MAX_MARKED || !of.every(isNumber))
    throw refuse("reviewed_entries_invalid", { max: MAX_MARKED });
  const author = session.author({ tool: "review", ...call });
  return backend.record({ ...author, outcome: "note", changes: [], of, details: { reviewed } });
}

/** The numbers of all entries that are marked now. Their own notes are not among them. */
export async function reviewedEntries(backend: Backend, known?: ReviewedSet): Promise<ReviewedSet> {
  const { upTo, seqs: marked } = known ?? { upTo: 0, seqs: [] };
  const notes: Entry[] = [];
  for await (const note of backend.log({ outcomes: ["note"], only: "of entries", sinceSeq: upTo + 1 }))
    notes.push(note);
  if (notes.length === 0 && known !== undefined) return known;
  const seqs = new Set(marked);
  for (const note of notes) {
    const mark = markIn(note);
    if (mark !== undefined) for (const seq of note.of ?? []) mark ? seqs.add(seq) : seqs.delete(seq);
  }
  return { seqs, upTo: notes.at(-1)?.seq ?? upTo };
}

/** The marked entries, as of one note of the journal. */
export interface ReviewedSet {
  /** Their numbers. */
  readonly seqs: ReadonlySet<number>;
  /** The last note that was read. `reviewedEntries` reads only later ones when it is given this set. */
  readonly upTo: number;
}

/** What a note says about the entries that it names; undefined where it is no such note. */
export function markIn({ outcome, details }: Pick<Entry, "outcome" | "details">): boolean | undefined {
  return outcome === "note" && typeof details?.reviewed === "boolean" ? details.reviewed : undefined;
}
