// Entries as lines of the timeline.
import type { Backend, Entry } from "../../../core/backend.ts";
import { filesOf, type Room, toldDiff } from "../../../kernel/history/entry.ts";
import { abortedSince, entryAt } from "../../../kernel/history/journal.ts";
import { markIn } from "../../../kernel/history/marks.ts";
import { isOfPart, type UndoStatus, undoStatusOf } from "../../../kernel/history/taken-back.ts";
import { pathsIn } from "../../../kernel/history/timeline.ts";
import type { EntryFate, EntryLine, Lines } from "../../wire.ts";

/** Limits of one line; the entry itself has all. */
const MAX_PATHS = 3;
const MAX_WORDS = 400;
const MAX_OF = 1000;
/** Each of them is looked up for every page that is open. */
const MAX_BEHIND = 100;
/** Longer than any path; a refused call may have asked for more. */
const MAX_CHARACTERS = 4096;

export interface Known extends Partial<UndoStatus> {
  readonly reviewed: { has(seq: number): boolean };
  /** The entry is newer than the page: what it says of others is news. */
  readonly isNew?: true;
}

export function lineOf(w: string, entry: Entry, { reviewed, isNew, ...status }: Known): EntryLine {
  const { seq, at, outcome, agent, session, tool, error, message, of, details, changes } = entry;
  const paths = pathsIn(entry);
  const mark = markIn(entry);
  const command = typeof details?.command === "string" ? details.command : undefined;
  return {
    w,
    ...fateIn(seq, status),
    at,
    outcome,
    agent,
    session,
    tool,
    error,
    message: message && cut(message, MAX_WORDS),
    command: command && cut(command, MAX_WORDS),
    paths: paths.slice(0, MAX_PATHS).map((path) => path.slice(0, MAX_CHARACTERS)),
    files: changes.length > 0 ? filesOf(entry).length : paths.length,
    reviewed: reviewed.has(seq),
    restored: details?.restored === undefined ? undefined : true,
    of: of?.slice(0, MAX_OF),
    part: isOfPart(entry) || undefined,
    mark: mark === undefined || !isNew ? undefined : { of: of ?? [], reviewed: mark },
  };
}

/**
 * What an entry changed about others. An undo takes back the entries that it is about; what those had taken back counts
 * again, and so on. For these, and where only a part was taken back, the undo status is looked up.
 */
export async function fatesSince(backend: Backend, entry: Entry): Promise<EntryFate[]> {
  const { seq: takenBackBy, outcome, details } = entry;
  const of = firstOf(entry);
  if (outcome !== "applied" || of.length === 0) return [];
  const isPlain = !isOfPart(entry) && details?.restored === undefined;
  const found = await entriesBehind(backend, isPlain ? await aboutWhat(backend, of) : of);
  const status = await undoStatusOf(backend, found, "each");
  const plain = isPlain ? of.map((seq) => ({ seq, takenBackBy })) : [];
  return [...found.map(({ seq }) => fateIn(seq, status)), ...plain];
}

function firstOf({ of = [] }: Entry): readonly number[] {
  return of.slice(0, MAX_OF);
}

/** The numbers of the entries that these are about. */
async function aboutWhat(backend: Backend, seqs: readonly number[]): Promise<number[]> {
  const asked = new Set(seqs);
  const range = { sinceSeq: Math.min(...seqs), untilSeq: Math.max(...seqs) };
  const about: number[] = [];
  for await (const entry of backend.log({ ...range, only: "of entries", outcomes: ["applied"] }))
    if (asked.has(entry.seq)) about.push(...firstOf(entry));
  return about;
}

/** These entries, those that they are about, and so on. */
async function entriesBehind(backend: Backend, seqs: readonly number[]): Promise<Entry[]> {
  const found = new Map<number, Entry>();
  const next = [...seqs];
  for (let seq = next.shift(); seq !== undefined && found.size < MAX_BEHIND; seq = next.shift()) {
    const each = found.has(seq) ? undefined : await entryAt(backend, seq);
    if (each === undefined) continue;
    found.set(seq, each);
    next.push(...firstOf(each));
  }
  return [...found.values()];
}

function fateIn(seq: number, { takenBack, parts }: Partial<UndoStatus>): EntryFate {
  return { seq, takenBackBy: takenBack?.get(seq), partsBack: parts?.get(seq)?.length };
}

export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Files of one entry whose lines are counted; of an entry with more none are. */
const MAX_COUNTED = 20;
/** Of kept versions, to count the lines of all entries in one answer. */
const MAX_READ = 4 * 1024 * 1024;

/** How many lines an entry added and removed; undefined where that cannot be told of each of its files. */
export async function countsOf(
  backend: Backend,
  entry: Entry,
  room: Room = { bytes: MAX_READ },
): Promise<Lines | undefined> {
  const files = filesOf(entry);
  if (files.length === 0 || files.length > MAX_COUNTED) return undefined;
  const sum = { insertions: 0, deletions: 0 };
  for (const file of files) {
    const { diff } = await toldDiff(backend, file, { room, maxBytes: 0, largest: MAX_READ / 8 });
    if ("left" in diff) return undefined;
    sum.insertions += diff.insertions;
    sum.deletions += diff.deletions;
  }
  return sum;
}

/** Each with what became of it later. */
export async function linesOf(
  backend: Backend,
  w: string,
  entries: readonly Entry[],
  reviewed: Known["reviewed"],
): Promise<EntryLine[]> {
  const changes = entries.filter(({ outcome }) => outcome === "applied" || outcome === "external");
  if (changes.length === 0) return entries.map((entry) => lineOf(w, entry, { reviewed }));
  const status = await undoStatusOf(backend, changes, "each");
  const aborted = await abortedSince(backend, Math.min(...changes.map(({ seq }) => seq)));
  const room = { bytes: MAX_READ };
  const lines: EntryLine[] = [];
  for (const entry of entries) {
    const line = { ...lineOf(w, entry, { reviewed, ...status }), lines: await countsOf(backend, entry, room) };
    lines.push(aborted.has(entry.seq) ? { ...line, outcome: "aborted" } : line);
  }
  return lines;
}
