// Snapshots of the journal's last words, so that knowing them does not take reading the whole journal.
import { hash } from "node:crypto";
import type { Entry, Head, Path, Sha } from "../../../core/backend.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { isSha } from "../../../core/version.ts";
import { damaged, GENESIS, type Tail } from "../../journal/entry.ts";
import { isPath, isSeq } from "../../journal/entry-form.ts";
import { Heads } from "../../journal/last-words.ts";
import { isTangled } from "../../journal/nesting.ts";
import { removeQuietly } from "../io.ts";
import { readStateFile, replaceStateFile } from "../state/file.ts";
import { chainedSince, lastWordIn, type Reach } from "./log.ts";
import { namesIn, paddedSeq } from "./segment.ts";

/** From the newest snapshot that fits this journal and the entries since then; from all entries when there is none. `journal`: as far as it reaches by then. */
export function loadHeads(journal: () => Reach, tail: Tail): { readonly heads: Heads; readonly snapshotSeq: number } {
  for (const { seq, prev, heads: known } of candidates(journal().dir, tail.seq + 1)) {
    const heads = new Heads(known, (path) => lastWordIn(journal(), path));
    if (applyAll(heads, chainedSince(journal(), seq), prev, tail)) return { heads, snapshotSeq: seq };
  }
  throw damaged("The first entry of the journal is not its first.", { seq: 1 });
}

/**
 * The state just before entry `seq`, unless another process kept one not long ago. Gives the number of the newest
 * there is. A snapshot can always be made again from the entries, so failing to keep one is no failure.
 */
export function writeSnapshot(dir: string, seq: number, worth: number, tail: Tail, heads: Heads): number {
  try {
    const names = snapshotNames(dir);
    // Of entries that are not there yet: of another journal, or put there by another program.
    for (const strange of names.filter((name) => seqOf(name) > seq)) removeQuietly(`${dir}/${strange}`);
    const newest = Math.max(1, ...names.map(seqOf).filter((known) => known <= seq));
    if (seq - newest < worth / 2) return newest;
    sweep(dir);
    const body = JSON.stringify([...heads.all()].map(([path, head]) => [path, head.seq, head.sha]));
    const header = JSON.stringify({ seq, prev: tail.hash, sha256: hash("sha256", body) });
    if (body.length > JOURNAL_LIMITS.snapshotBytes / 3) return seq;
    replaceStateFile(`${dir}/${paddedSeq(seq)}.heads.json`, [`${header}\n${body}\n`], false);
    for (const old of snapshotNames(dir).slice(KEPT)) removeQuietly(`${dir}/${old}`);
  } catch {
    // the next one is tried when it is due
  }
  return seq;
}

/** What writers left that died. Under the lock, so no other process is writing one. */
function sweep(dir: string): void {
  for (const name of namesIn(dir, LEFTOVER)) removeQuietly(`${dir}/${name}`);
}

interface Snapshot {
  /** The state just before this entry. */
  readonly seq: number;
  /** The hash of the entry before: a snapshot of another journal, or of an entry since taken back, does not fit. */
  readonly prev: Sha;
  readonly heads: readonly (readonly [Path, Head])[];
}

const EMPTY: Snapshot = { seq: 1, prev: GENESIS, heads: [] };
/** The newest, and one more in case a crash left that one incomplete. */
const KEPT = 2;
/** More are never there unless another program put them there. */
const CONSIDERED = 4;
const NAME = /^\d{16}\.heads\.json$/;
const LEFTOVER = /^\d{16}\.(?:heads|(?:heads\.json|index|uses)\.[0-9a-f]{16})\.tmp$/;

const seqOf = (name: string) => Number.parseInt(name, 10);

/** Newest first. */
function snapshotNames(dir: string): string[] {
  return namesIn(dir, NAME).reverse();
}

function* candidates(dir: string, newest: number): Generator<Snapshot> {
  const names = snapshotNames(dir).filter((name) => seqOf(name) <= newest);
  for (const name of names.slice(0, CONSIDERED)) {
    const snapshot = readSnapshot(`${dir}/${name}`, seqOf(name));
    if (snapshot !== null) yield snapshot;
  }
  yield EMPTY;
}

/** Null when it is anything but a snapshot of before this entry: the entries themselves say what it should say. */
function readSnapshot(path: string, seq: number): Snapshot | null {
  try {
    const bytes = readStateFile(path, JOURNAL_LIMITS.snapshotBytes);
    if (bytes === undefined) return null;
    const lineEnd = bytes.indexOf(10);
    const header = JSON.parse(bytes.toString("utf8", 0, Math.min(lineEnd, MOST_HEADER))) as Record<string, unknown>;
    const body = bytes.subarray(lineEnd + 1, bytes.at(-1) === 10 ? -1 : undefined);
    if (header.seq !== seq || !isSha(header.prev) || hash("sha256", body) !== header.sha256) return null;
    const rows: unknown = isTangled(body) ? null : JSON.parse(body.toString("utf8"));
    if (!Array.isArray(rows) || !rows.every((row) => isRow(row, seq))) return null;
    return { seq, prev: header.prev, heads: rows.map(([path, seq, sha]) => [path, { seq, sha }]) };
  } catch {
    return null;
  }
}

const MOST_HEADER = 1000;

function isRow(row: unknown, before: number): row is [Path, number, Sha | null] {
  if (!Array.isArray(row) || row.length !== 3) return false;
  const [path, seq, sha] = row as unknown[];
  return isPath(path) && isSeq(seq) && seq < before && (sha === null || isSha(sha));
}

/** False when the first entry does not follow `prev`: then it is not the state before that entry that is known. */
function applyAll(heads: Heads, entries: Iterable<Entry>, prev: Sha, tail: Tail): boolean {
  let expected = prev;
  for (const entry of entries) {
    if (entry.prev !== expected) {
      if (expected === prev) return false;
      throw damaged(`Journal entry ${entry.seq} does not follow the entry before it.`, { seq: entry.seq });
    }
    expected = entry.hash;
    heads.apply(entry);
  }
  return expected === tail.hash;
}
