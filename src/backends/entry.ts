// One journal entry as one line of text: sealing it into the hash chain and reading it back.
import { hash } from "node:crypto";
import { Refusal } from "../kernel/failure.ts";
import type { Entry, EntryChange, EntryDraft, Sha } from "./backend.ts";

/** The `prev` of the first entry. */
export const GENESIS = "0".repeat(64) as Sha;

export interface Place {
  readonly seq: number;
  readonly at: string;
  readonly prev: Sha;
}

/**
 * The line has no line end and can never contain one. `hash` covers the exact bytes of the line up to `,"hash":"`,
 * so a reader checks it without serialising anything again.
 */
export function seal(draft: EntryDraft, place: Place): { readonly entry: Entry; readonly line: string } {
  const open = encode({
    seq: place.seq,
    at: place.at,
    prev: place.prev,
    outcome: draft.outcome,
    session: draft.session,
    agent: draft.agent,
    tool: draft.tool,
    call: draft.call,
    changes: draft.changes.map(ordered),
    error: draft.error,
    message: draft.message,
    of: draft.of,
    diff: draft.diff,
    details: draft.details,
  }).slice(0, -1);
  const line = `${open}${HASH_KEY}${hash("sha256", open)}"}`;
  return { entry: JSON.parse(line) as Entry, line };
}

/** What one line says, and whether its bytes still are what was sealed. */
export interface ReadLine {
  /** Null when the line is not an entry at all. */
  readonly entry: Entry | null;
  /** The hash that the bytes have; an untouched entry carries the same one. */
  readonly computed: Sha;
  readonly intact: boolean;
}

export function readLine(line: Buffer): ReadLine {
  const bodyEnd = line.length - TRAILER_BYTES;
  if (bodyEnd <= 0 || line.toString("latin1", bodyEnd, bodyEnd + HASH_KEY.length) !== HASH_KEY) return UNREADABLE;
  const computed = hash("sha256", line.subarray(0, bodyEnd)) as Sha;
  const entry = parseEntry(line);
  return { entry, computed, intact: entry !== null && entry.hash === computed };
}

export function parseLine(line: string): Entry {
  const { entry, intact } = readLine(Buffer.from(line));
  if (entry !== null && intact) return entry;
  throw damaged(entry === null ? "A line of the journal is not an entry." : `Journal entry ${entry.seq} was altered.`);
}

/** The sequence number at the start of a line, without parsing it; -1 when it does not start like an entry. */
export function seqOfLine(line: Buffer): number {
  if (line.length < MIN_LINE_BYTES) return -1;
  for (let i = 0; i < SEQ_KEY.length; i++) if (line[i] !== SEQ_KEY[i]) return -1;
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
  return JSON.stringify(value).replace(BARE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function damaged(why: string, details?: Record<string, unknown>): Refusal {
  return new Refusal("journal_damaged", why, {
    next: "Have the owner of the workspace run `stet verify`, which lists everything that is wrong.",
    ...(details !== undefined && { details }),
  });
}

const BARE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const HASH_KEY = ',"hash":"';
const TRAILER_BYTES = HASH_KEY.length + 64 + 2;
const SEQ_KEY = Buffer.from('{"seq":');
const COMMA = 44;
const MIN_LINE_BYTES = SEQ_KEY.length + 2 + TRAILER_BYTES;
const UNREADABLE: ReadLine = { entry: null, computed: GENESIS, intact: false };

/** Bytes at the end of every line and its line end, from which the entry's hash can be read alone. */
export const ENDING_BYTES = TRAILER_BYTES + 1;

/** The hash in the last `ENDING_BYTES` of a line, its line end included; null when they are something else. */
export function hashOfEnding(ending: Buffer): string | null {
  if (ending.length !== ENDING_BYTES || ending[ENDING_BYTES - 1] !== 10) return null;
  if (ending.toString("latin1", 0, HASH_KEY.length) !== HASH_KEY) return null;
  return ending.toString("latin1", HASH_KEY.length, HASH_KEY.length + 64);
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

function parseEntry(line: Buffer): Entry | null {
  let value: Partial<Entry> | null;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const whole =
    Number.isSafeInteger(value.seq) &&
    typeof value.at === "string" &&
    typeof value.prev === "string" &&
    typeof value.hash === "string" &&
    typeof value.outcome === "string" &&
    typeof value.session === "string" &&
    typeof value.tool === "string" &&
    Array.isArray(value.changes);
  return whole ? (value as Entry) : null;
}
