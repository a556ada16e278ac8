// One journal entry as one line of text: sealing it into the hash chain and reading it back.
import { hash } from "node:crypto";
import type { Entry, EntryChange, EntryDraft, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import { printableJson } from "../../core/printable.ts";
import { isSha } from "../../core/version.ts";
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

function written(draft: EntryDraft, place: Place): string {
  const { session, agent, tool, call, changes, message } = draft;
  // Before anything is copied: each of these alone could be larger than any entry.
  for (const text of [session, agent, tool, call, message]) {
    if (typeof text === "string" && text.length > JOURNAL_LIMITS.entryBytes) throw unfitDraft(TOO_LONG);
  }
  if (!Array.isArray(changes)) throw unfitDraft('It has a "changes" which is not a list.');
  let text: string;
  try {
    text = encode({
      seq: place.seq,
      at: place.at,
      prev: place.prev,
      outcome: draft.outcome,
      session,
      agent,
      tool,
      call,
      changes: changes.map(ordered),
      error: draft.error,
      message,
      of: draft.of,
      details: draft.details,
    });
  } catch (error) {
    throw unfitDraft("It holds something that JSON cannot say, goes round in circles, or nests without end.", error);
  }
  // No character of it takes more than three bytes.
  const isLong = text.length * 3 > MAX_BODY && Buffer.byteLength(text) > MAX_BODY;
  if (isLong) throw unfitDraft(TOO_LONG);
  return text;
}

function unfitDraft(why: string, cause?: unknown): Refusal {
  return new Refusal("invalid_input", `The journal does not take this entry. ${why}`, {
    next: "Correct what was handed over to be written down.",
    ...(cause !== undefined && { cause }),
  });
}

/** What one line says, and whether its bytes still are what was sealed. */
export interface ReadLine {
  /** Null when the line is not an entry at all. */
  readonly entry: Entry | null;
  /** The hash that the bytes have; an untouched entry carries the same one. */
  readonly computed: Sha;
  readonly intact: boolean;
  /** What is wrong with an entry that has its place in the chain and is none otherwise: then `entry` only holds that place. */
  readonly unfit: string | null;
}

export function readLine(line: Buffer): ReadLine {
  const bodyEnd = line.length - TRAILER_BYTES;
  if (bodyEnd <= 0 || !standsAt(line, bodyEnd, HASH_KEY_BYTES)) return UNREADABLE;
  const computed = hash("sha256", line.subarray(0, bodyEnd)) as Sha;
  const value = parsed(line);
  if (value === null || !hasPlace(value) || value.seq !== seqOfLine(line)) return UNREADABLE;
  const intact = value.hash === computed;
  // Of lines that are read one after another, each names the one before, whose hash is known to be one.
  if (intact && value.prev !== lastComputed && !isSha(value.prev)) return UNREADABLE;
  lastComputed = computed;
  const unfit = whyUnfit(value);
  return { entry: unfit === null ? (value as unknown as Entry) : placeholder(value), computed, intact, unfit };
}

/** The entry of a stored line. Refuses one that was altered, or is none. */
export function parseLine(line: string): Entry {
  const { entry, intact, unfit } = readLine(Buffer.from(line));
  if (entry === null) throw damaged("A line of the journal is not an entry.");
  if (!intact) throw damaged(`Journal entry ${entry.seq} was altered.`);
  if (unfit !== null) throw damaged(`Journal entry ${entry.seq} ${unfit}.`);
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
const TOO_LONG = `It is longer than the ${JOURNAL_LIMITS.entryBytes} bytes that an entry may have.`;

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

function ordered(change: EntryChange): Record<string, unknown> {
  return {
    path: change.path,
    from: change.from,
    to: change.to,
    fromSize: change.fromSize,
    toSize: change.toSize,
    fromMode: change.fromMode,
    toMode: change.toMode,
    proof: change.proof,
    movedFrom: change.movedFrom,
  };
}

let lastComputed: Sha = GENESIS;

function standsAt(line: Buffer, at: number, bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) if (line[at + i] !== bytes[i]) return false;
  return true;
}

type Placed = Readonly<Record<string, unknown>> & {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
};

function hasPlace(value: Readonly<Record<string, unknown>>): value is Placed {
  return isSeq(value.seq) && typeof value.prev === "string" && typeof value.hash === "string";
}

/** Says nothing and changes nothing; the chain goes through it. */
function placeholder({ seq, prev, hash }: Placed): Entry {
  const place = { seq, at: new Date(0).toISOString(), prev: prev as Sha, hash: hash as Sha };
  return { ...place, outcome: "note", session: "stet", tool: "unreadable", changes: [] };
}

function parsed(line: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
