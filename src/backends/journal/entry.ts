// One journal entry as one line of text: sealing it into the hash chain and reading it back.
import { hash } from "node:crypto";
import type { Entry, EntryChange, EntryDraft, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { printableJson } from "../../core/printable.ts";
import { isSeq, whyUnfit } from "./entry-form.ts";

/** The `prev` of the first entry. */
export const GENESIS = "0".repeat(64) as Sha;

/** Where an entry stands in the chain. */
export interface Place {
  /** Its number, from 1 on. */
  readonly seq: number;
  /** When it is written: ISO 8601, UTC, as `toISOString` gives it. */
  readonly at: string;
  /** The hash of the entry before it, or `GENESIS`. */
  readonly prev: Sha;
}

/** The last entry of a journal, or where it starts. */
export type Tail = Pick<Entry, "seq" | "hash" | "at">;

export const START: Tail = { seq: 0, hash: GENESIS, at: "" };

/** The place after `tail`. Times never go backwards: after a clock that was ahead, entries keep its time until the real time is later. */
export function placeAfter({ seq, hash, at }: Tail, now: Date): Place {
  const time = now.toISOString();
  return { seq: seq + 1, at: time > at ? time : at, prev: hash };
}

/**
 * An entry and its line, as it is stored. The line has no line end and can never contain one. `hash` covers the exact bytes of the line up to `,"hash":"`,
 * so a reader checks it without serialising anything again. What no reader would take for an entry is refused.
 */
export function seal(draft: EntryDraft, place: Place): { readonly entry: Entry; readonly line: string } {
  if (!isSeq(place.seq))
    throw damaged(`The journal has come to an entry ${place.seq - 1}, after which none can follow.`);
  const open = written(draft, place).slice(0, -1);
  const line = `${open}${HASH_KEY}${hash("sha256", open)}"}`;
  const entry = JSON.parse(line) as Entry;
  const why = whyUnfit(entry as unknown as Record<string, unknown>);
  if (why !== null) throw unfitDraft(`It ${why}.`);
  return { entry, line };
}

function written(draft: EntryDraft, { seq, at, prev }: Place): string {
  const { outcome, session, agent, tool, call, error, message, of, details } = draft;
  if (!Array.isArray(draft.changes)) throw unfitDraft('It has a "changes" which is not a list.');
  let text: string;
  try {
    const changes = draft.changes.map(ordered);
    text = encode({ seq, at, prev, outcome, session, agent, tool, call, changes, error, message, of, details });
  } catch (cause) {
    throw unfitDraft("It holds something that JSON cannot say, goes round in circles, or nests without end.", cause);
  }
  // No character of it takes more than three bytes.
  const isLong = text.length * 3 > MAX_BODY && Buffer.byteLength(text) > MAX_BODY;
  if (isLong) throw unfitDraft(`It is longer than the ${JOURNAL_LIMITS.entryBytes} bytes that an entry may have.`);
  return text;
}

function ordered(change: EntryChange): EntryChange {
  const { path, from, to, fromSize, toSize, fromMode, toMode, proof, movedFrom } = change;
  return { path, from, to, fromSize, toSize, fromMode, toMode, proof, movedFrom } as EntryChange;
}

function unfitDraft(why: string, cause?: unknown): Refusal {
  return new Refusal("invalid_input", `The journal does not take this entry. ${why}`, {
    next: "Correct what was handed over to be written down.",
    ...(cause !== undefined && { cause }),
  });
}

/** What one line says, and whether its bytes still are what was sealed. */
export interface ReadLine {
  /** Null when the line is not an entry. Of one that was altered, no more than `seq`, `prev` and `hash` is to be relied on. */
  readonly entry: Entry | null;
  /** The hash that the bytes have; an untouched entry carries the same one. */
  readonly computed: Sha;
  readonly intact: boolean;
  /** Why an intact one is no entry, though it has its place in the chain. */
  readonly unfit: string | null;
}

export function readLine(line: Buffer): ReadLine {
  const bodyEnd = line.length - TRAILER_BYTES;
  if (bodyEnd <= 0 || !standsAt(line, bodyEnd, HASH_KEY_BYTES)) return UNREADABLE;
  const computed = hash("sha256", line.subarray(0, bodyEnd)) as Sha;
  const value = parsed(line);
  if (value === null || value.seq !== seqOfLine(line)) return UNREADABLE;
  const intact = value.hash === computed;
  const unfit = intact ? whyUnfit(value) : null;
  return { entry: unfit === null ? value : null, computed, intact, unfit };
}

/** The entry of a stored line. Refuses one that was altered, or is none. */
export function parseLine(line: string): Entry {
  const { entry, intact, unfit } = readLine(Buffer.from(line));
  if (entry === null) throw damaged(`A line of the journal ${unfit ?? "is not an entry"}.`);
  if (!intact) throw damaged(`Journal entry ${entry.seq} was altered.`);
  return entry;
}

/** The sequence number at the start of a line, without parsing it; -1 when it does not start like an entry. */
export function seqOfLine(line: Buffer): number {
  if (!standsAt(line, 0, SEQ_KEY)) return -1;
  let seq = 0;
  for (let i = SEQ_KEY.length; i < line.length; i++) {
    const digit = line[i]! - 48;
    if (digit < 0 || digit > 9) return line[i] === COMMA && i > SEQ_KEY.length ? seq : -1;
    seq = seq * 10 + digit;
  }
  return -1;
}

/** JSON on one line for every reader: JSON leaves these line breaks, control and direction characters bare. */
export function encode(value: unknown): string {
  return printableJson(JSON.stringify(value), BARE);
}

export function damaged(why: string, details?: Record<string, unknown>): Refusal {
  return new Refusal("journal_damaged", why, {
    next: "Have the owner of the workspace run `stet verify`, which names everything that is wrong.",
    ...(details !== undefined && { details }),
  });
}

const BARE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const HASH_KEY = ',"hash":"';
const HASH_KEY_BYTES = Buffer.from(HASH_KEY);
const TRAILER_BYTES = HASH_KEY.length + 64 + 2;
const SEQ_KEY = Buffer.from('{"seq":');
const COMMA = 44;
const UNREADABLE: ReadLine = { entry: null, computed: GENESIS, intact: false, unfit: null };
const MAX_BODY = JOURNAL_LIMITS.entryBytes - TRAILER_BYTES;

/** Bytes at the end of every line and its line end, from which the entry's hash can be read alone. */
export const ENDING_BYTES = TRAILER_BYTES + 1;

/** The hash in the last `ENDING_BYTES` of a line, its line end included; null when they are something else. */
export function hashOfEnding(ending: Buffer): string | null {
  if (ending.length !== ENDING_BYTES || ending[ENDING_BYTES - 1] !== 10) return null;
  if (ending.toString("latin1", 0, HASH_KEY.length) !== HASH_KEY) return null;
  return ending.toString("latin1", HASH_KEY.length, HASH_KEY.length + 64);
}

/** As the line of an entry with this hash ends, without a line end. */
export function endingOf(hash: Sha): Buffer {
  return Buffer.from(`${HASH_KEY}${hash}"}`);
}

function standsAt(line: Buffer, at: number, bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) if (line[at + i] !== bytes[i]) return false;
  return true;
}

/** Null without a place in a chain. */
function parsed(line: Buffer): (Entry & Readonly<Record<string, unknown>>) | null {
  try {
    const value = JSON.parse(line.toString("utf8"));
    return isSeq(value?.seq) && typeof value.prev === "string" && typeof value.hash === "string" ? value : null;
  } catch {
    return null;
  }
}
