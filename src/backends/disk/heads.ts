// Snapshots of the journal's last words, so that knowing them does not take reading the whole journal.
import { hash } from "node:crypto";
import fs from "node:fs";
import type { Entry, Head, Path, Sha } from "../backend.ts";
import { damaged, GENESIS } from "../entry.ts";
import { Heads } from "../heads.ts";
import type { Tail } from "./open-segment.ts";
import { paddedSeq } from "./segment.ts";

/** From the newest snapshot that fits this journal and the entries since then; from all entries when there is none. */
export function loadHeads(
  dir: string,
  tail: Tail,
  entriesSince: (seq: number) => Iterable<Entry>,
  lookBack: (path: Path) => Head | null,
): { readonly heads: Heads; readonly snapshotSeq: number } {
  for (const { seq, prev, heads: known } of candidates(dir)) {
    if (seq > tail.seq + 1) continue;
    const heads = new Heads(known, lookBack);
    if (applyAll(heads, entriesSince(seq), prev, tail)) return { heads, snapshotSeq: seq };
  }
  throw damaged("The first entry of the journal is not its first.", { seq: 1 });
}

/**
 * The state just before entry `seq`, unless another process kept one not long ago. Gives the number of the newest
 * there is. A snapshot can always be made again from the entries, so failing to keep one is no failure.
 */
export function writeSnapshot(dir: string, seq: number, worth: number, tail: Tail, heads: Heads): number {
  const temporary = `${dir}/${paddedSeq(seq)}.heads.tmp`;
  try {
    const newest = Number.parseInt(snapshotNames(dir)[0] ?? "1", 10);
    if (seq - newest < worth / 2) return newest;
    const body = JSON.stringify([...heads.all()].map(([path, head]) => [path, head.seq, head.sha]));
    const header = JSON.stringify({ seq, prev: tail.hash, sha256: hash("sha256", body) });
    fs.writeFileSync(temporary, `${header}\n${body}\n`, { mode: 0o600 });
    fs.renameSync(temporary, `${dir}/${paddedSeq(seq)}.heads.json`);
    for (const old of snapshotNames(dir).slice(KEPT)) fs.unlinkSync(`${dir}/${old}`);
  } catch {
    removeQuietly(temporary);
  }
  return seq;
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
const NAME = /^\d{16}\.heads\.json$/;

function removeQuietly(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // it stays until the next snapshot replaces it
  }
}

function snapshotNames(dir: string): string[] {
  const names = fs.readdirSync(dir).filter((name) => NAME.test(name));
  return names.sort().reverse();
}

function* candidates(dir: string): Generator<Snapshot> {
  for (const name of snapshotNames(dir)) {
    const snapshot = readSnapshot(`${dir}/${name}`);
    if (snapshot !== null) yield snapshot;
  }
  yield EMPTY;
}

function readSnapshot(path: string): Snapshot | null {
  try {
    const [header = "", body = ""] = fs.readFileSync(path, "utf8").split("\n");
    const { seq, prev, sha256 } = JSON.parse(header) as { seq: number; prev: Sha; sha256: string };
    if (hash("sha256", body) !== sha256) return null;
    const rows = JSON.parse(body) as [Path, number, Sha | null][];
    return { seq, prev, heads: rows.map(([path, seq, sha]) => [path, { seq, sha }]) };
  } catch {
    return null;
  }
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
