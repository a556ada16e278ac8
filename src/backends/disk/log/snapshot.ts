// The last word on every path, kept now and then, so that opening a log does not read all of it.
import { hash } from "node:crypto";
import type { Entry, Head, Path, Sha } from "../../../core/backend.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { damaged, GENESIS, type Tail } from "../../journal/entry.ts";
import { Heads } from "../../journal/last-words.ts";
import { removeQuietly } from "../io.ts";
import { readStateFile, replaceStateFile } from "../state-file.ts";
import { chainedSince, lastWordIn, type Reach } from "./query.ts";
import { namesIn, paddedSeq } from "./segment.ts";

/** From the newest snapshot that fits and the entries since then; from all entries when there is none. */
export function loadHeads(reach: () => Reach, tail: Tail): { readonly heads: Heads; readonly snapshotSeq: number } {
  for (const { seq, prev, heads: known } of candidates(reach().dir, tail.seq + 1)) {
    const heads = new Heads(known, (path) => lastWordIn(reach(), path));
    if (applyAll(heads, chainedSince(reach(), seq), prev, tail)) return { heads, snapshotSeq: seq };
  }
  throw damaged("The first entry of the journal is not its first.", { seq: 1 });
}

/** The state just before entry `seq`. It can always be made again, so failing to keep it is no failure. */
export function writeSnapshot(dir: string, seq: number, tail: Tail, heads: Heads): void {
  try {
    const body = JSON.stringify([...heads.all()].map(([path, head]) => [path, head.seq, head.sha]));
    if (body.length > JOURNAL_LIMITS.snapshotBytes / 3) return;
    const header = JSON.stringify({ seq, prev: tail.hash, sha256: hash("sha256", body) });
    replaceStateFile(`${dir}/${paddedSeq(seq)}.heads.json`, [`${header}\n${body}\n`], false);
    for (const old of snapshotNames(dir).slice(KEPT)) removeQuietly(`${dir}/${old}`);
  } catch {
    // The next one is tried when it is due.
  }
}

interface Snapshot {
  /** The state just before this entry. */
  readonly seq: number;
  /** The hash of the entry before. */
  readonly prev: Sha;
  readonly heads: readonly (readonly [Path, Head])[];
}

const EMPTY: Snapshot = { seq: 1, prev: GENESIS, heads: [] };
/** The newest, and one more in case a crash left that one incomplete. */
const KEPT = 2;
const NAME = /^\d{16}\.heads\.json$/;
const MAX_HEADER = 1000;

/** Newest first. */
const snapshotNames = (dir: string): string[] => namesIn(dir, NAME).reverse();

function* candidates(dir: string, newest: number): Generator<Snapshot> {
  for (const name of snapshotNames(dir)) {
    const seq = Number.parseInt(name, 10);
    const snapshot = seq <= newest ? readSnapshot(`${dir}/${name}`, seq) : null;
    if (snapshot !== null) yield snapshot;
  }
  yield EMPTY;
}

/** Null when it is damaged: the entries themselves say what it should say. */
function readSnapshot(path: string, seq: number): Snapshot | null {
  try {
    const bytes = readStateFile(path, JOURNAL_LIMITS.snapshotBytes);
    if (bytes === undefined) return null;
    const lineEnd = bytes.indexOf(10);
    const header = JSON.parse(bytes.toString("utf8", 0, Math.min(lineEnd, MAX_HEADER))) as Record<string, unknown>;
    const body = bytes.subarray(lineEnd + 1, -1);
    if (header.seq !== seq || hash("sha256", body) !== header.sha256) return null;
    const rows = JSON.parse(body.toString("utf8")) as [Path, number, Sha | null][];
    return { seq, prev: header.prev as Sha, heads: rows.map(([path, seq, sha]) => [path, { seq, sha }]) };
  } catch {
    return null;
  }
}

/** False when the first entry does not follow `prev`: then the snapshot is of another log. */
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
