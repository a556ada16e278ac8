// Entries as lines of the timeline.
import type { Backend, Entry } from "../../../core/backend.ts";
import { abortedSince } from "../../../kernel/history/journal/applied-entries.ts";
import { isFromElsewhere } from "../../../kernel/history/journal/elsewhere.ts";
import { filesOf } from "../../../kernel/history/journal/entry-files.ts";
import { markIn } from "../../../kernel/history/review/marks.ts";
import { pathsIn } from "../../../kernel/history/review/timeline.ts";
import { isOfPart } from "../../../kernel/history/undo/part.ts";
import { type Fate, fateOfEach } from "../../../kernel/history/undo/taken-back.ts";
import type { EntryLine } from "../../../page/wire.ts";

/** In one line; the entry itself has all. */
const MOST_PATHS = 3;
const MOST_WORDS = 400;
const MOST_OF = 1000;
/** Longer than any path; a refused call may have asked for more. */
const MOST_CHARACTERS = 4096;

export interface Known {
  readonly reviewed: { has(seq: number): boolean };
  readonly takenBack?: Fate["takenBack"];
  readonly parts?: Fate["parts"];
  /** It was not there when the page was loaded: what it says of others is news. */
  readonly isNew?: true;
}

export function lineOf(w: string, entry: Entry, { reviewed, takenBack, parts, isNew }: Known): EntryLine {
  const { seq, at, outcome, agent, session, tool, error, message, of, details } = entry;
  const paths = pathsIn(entry);
  const by = takenBack?.get(seq);
  const partsBack = parts?.get(seq)?.length;
  const mark = markIn(entry);
  const command: unknown = details?.command;
  return {
    w,
    seq,
    at,
    outcome,
    ...(agent !== undefined && { agent }),
    session,
    tool,
    ...(error !== undefined && { error }),
    ...(message !== undefined && { message: cut(message, MOST_WORDS) }),
    ...(typeof command === "string" && { command: cut(command, MOST_WORDS) }),
    paths: paths.slice(0, MOST_PATHS).map((path) => path.slice(0, MOST_CHARACTERS)),
    files: entry.changes.length > 0 ? filesOf(entry).length : paths.length,
    reviewed: reviewed.has(seq),
    ...(by !== undefined && { takenBackBy: by }),
    ...(partsBack !== undefined && { partsBack }),
    ...(details?.restored !== undefined && { restored: true }),
    ...(isFromElsewhere(entry) && { elsewhere: true }),
    ...(of !== undefined && { of: of.slice(0, MOST_OF) }),
    ...(isOfPart(entry) && { part: true }),
    ...(mark !== undefined && isNew === true && { mark: { of: of ?? [], reviewed: mark } }),
  };
}

export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** With what became of them later. */
export async function linesOf(
  backend: Backend,
  w: string,
  entries: readonly Entry[],
  reviewed: Known["reviewed"],
): Promise<EntryLine[]> {
  const changes = entries.filter(({ outcome }) => outcome === "applied" || outcome === "external");
  if (changes.length === 0) return entries.map((entry) => lineOf(w, entry, { reviewed }));
  const { takenBack, parts } = await fateOfEach(backend, changes);
  const aborted = await abortedSince(backend, Math.min(...changes.map(({ seq }) => seq)));
  return entries.map((entry) => {
    const line = lineOf(w, entry, { reviewed, takenBack, parts });
    return aborted.has(entry.seq) ? { ...line, outcome: "aborted" } : line;
  });
}
