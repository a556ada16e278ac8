// Entries as lines of the timeline.
import type { Backend, Entry } from "../../../core/backend.ts";
import { filesOf } from "../../../kernel/history/entry.ts";
import { abortedSince } from "../../../kernel/history/journal.ts";
import { markIn } from "../../../kernel/history/marks.ts";
import { isOfPart, type UndoStatus, undoStatusOfEach } from "../../../kernel/history/taken-back.ts";
import { pathsIn } from "../../../kernel/history/timeline.ts";
import type { EntryFate, EntryLine } from "../../wire.ts";

/** In one line; the entry itself has all. */
const MAX_PATHS = 3;
const MAX_WORDS = 400;
const MAX_OF = 1000;
/** Each is looked up for every page that is open. */
const MAX_BEHIND = 100;
/** Longer than any path; a refused call may have asked for more. */
const MAX_CHARACTERS = 4096;

export interface Known {
  readonly reviewed: { has(seq: number): boolean };
  readonly takenBack?: UndoStatus["takenBack"];
  readonly parts?: UndoStatus["parts"];
  /** It was not there when the page was loaded: what it says of others is news. */
  readonly isNew?: true;
}

export function lineOf(w: string, entry: Entry, { reviewed, takenBack, parts, isNew }: Known): EntryLine {
  const { seq, at, outcome, agent, session, tool, error, message, of, details } = entry;
  const paths = pathsIn(entry);
  const mark = markIn(entry);
  const command: unknown = details?.command;
  return {
    w,
    ...fateIn(seq, takenBack, parts),
    at,
    outcome,
    ...(agent !== undefined && { agent }),
    session,
    tool,
    ...(error !== undefined && { error }),
    ...(message !== undefined && { message: cut(message, MAX_WORDS) }),
    ...(typeof command === "string" && { command: cut(command, MAX_WORDS) }),
    paths: paths.slice(0, MAX_PATHS).map((path) => path.slice(0, MAX_CHARACTERS)),
    files: entry.changes.length > 0 ? filesOf(entry).length : paths.length,
    reviewed: reviewed.has(seq),
    ...(details?.restored !== undefined && { restored: true }),
    ...(of !== undefined && { of: of.slice(0, MAX_OF) }),
    ...(isOfPart(entry) && { part: true }),
    ...(mark !== undefined && isNew === true && { mark: { of: of ?? [], reviewed: mark } }),
  };
}

/**
 * What an entry made of others. Those that an undo is about are taken back; those that they had taken back count again,
 * and so on: what became of these is looked up, as it is where a part was taken back, or one of several files.
 */
export async function fatesSince(backend: Backend, entry: Entry): Promise<EntryFate[]> {
  const { seq: takenBackBy, outcome, details } = entry;
  const of = firstOf(entry);
  if (outcome !== "applied" || of.length === 0) return [];
  const isPlain = !isOfPart(entry) && details?.restored === undefined;
  const found = await entriesBehind(backend, isPlain ? await aboutWhat(backend, of) : of);
  const { takenBack, parts } = await undoStatusOfEach(backend, found);
  const plain = isPlain ? of.map((seq) => ({ seq, takenBackBy })) : [];
  return [...found.map(({ seq }) => fateIn(seq, takenBack, parts)), ...plain];
}

function firstOf({ of = [] }: Entry): readonly number[] {
  return of.slice(0, MAX_OF);
}

/** What these entries are about. */
async function aboutWhat(backend: Backend, seqs: readonly number[]): Promise<number[]> {
  const asked = new Set(seqs);
  const range = { sinceSeq: Math.min(...seqs), untilSeq: Math.max(...seqs) };
  const about: number[] = [];
  for await (const entry of backend.log({ ...range, only: "of entries", outcomes: ["applied"] }))
    if (asked.has(entry.seq)) about.push(...firstOf(entry));
  return about;
}

/** These, and those that they are about, and so on. */
async function entriesBehind(backend: Backend, seqs: readonly number[]): Promise<Entry[]> {
  const found = new Map<number, Entry>();
  const next = [...seqs];
  for (let seq = next.shift(); seq !== undefined && found.size < MAX_BEHIND; seq = next.shift()) {
    if (found.has(seq)) continue;
    for await (const each of backend.log({ sinceSeq: seq, untilSeq: seq })) {
      found.set(seq, each);
      next.push(...firstOf(each));
    }
  }
  return [...found.values()];
}

function fateIn(seq: number, takenBack?: UndoStatus["takenBack"], parts?: UndoStatus["parts"]): EntryFate {
  const [by, partsBack] = [takenBack?.get(seq), parts?.get(seq)?.length];
  return { seq, ...(by !== undefined && { takenBackBy: by }), ...(partsBack !== undefined && { partsBack }) };
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
  const { takenBack, parts } = await undoStatusOfEach(backend, changes);
  const aborted = await abortedSince(backend, Math.min(...changes.map(({ seq }) => seq)));
  return entries.map((entry) => {
    const line = lineOf(w, entry, { reviewed, takenBack, parts });
    return aborted.has(entry.seq) ? { ...line, outcome: "aborted" } : line;
  });
}
