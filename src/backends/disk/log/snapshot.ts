// The last word on every path, kept now and then, so that opening a log does not read all of it.
import type { Entry, Head, Path, Sha } from "../../../core/backend.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { damaged, GENESIS, type Tail } from "../../journal/entry.ts";
import { Heads } from "../../journal/heads.ts";
import { removeQuietly } from "../io.ts";
import { type IndexedParts, readParts, writeParts } from "./derived-file.ts";
import { chainedSince, lastWordIn, type Reach } from "./query.ts";
import { namesIn, paddedSeq } from "./segment.ts";

/** From the newest snapshot that fits and the entries since then; from all entries when there is none. */
export function loadHeads(reach: () => Reach, tail: Tail): { readonly heads: Heads; readonly snapshotSeq: number } {
  for (const { seq, prev, heads: known } of candidates(reach().dir, tail.seq + 1)) {
    const heads = new Heads(known, (path) => lastWordIn(reach(), path));
    if (applyAll(heads, chainedSince(reach(), seq), { seq, prev })) return { heads, snapshotSeq: seq };
  }
  throw damaged("The first entry of the journal is not its first.", { seq: 1 });
}

/** The state just before entry `seq`. */
export function writeSnapshot(dir: string, seq: number, tail: Tail, heads: Heads): void {
  const rows = JSON.stringify([...heads.all()].map(([path, head]) => [path, head.seq, head.sha]));
  if (rows.length > JOURNAL_LIMITS.snapshotBytes / 3) return;
  writeParts(`${dir}/${paddedSeq(seq)}.heads`, { seq, prev: tail.hash }, { heads: Buffer.from(rows) });
  for (const old of snapshotNames(dir).slice(MAX_KEPT)) removeQuietly(`${dir}/${old}`);
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
const MAX_KEPT = 2;
const NAME = /^\d{16}\.heads$/;

/** Newest first. */
const snapshotNames = (dir: string): string[] => namesIn(dir, NAME).reverse();

function* candidates(dir: string, newest: number): Generator<Snapshot> {
  for (const name of snapshotNames(dir)) {
    const seq = Number.parseInt(name, 10);
    const snapshot = seq <= newest ? readParts(`${dir}/${name}`, snapshotOf) : null;
    if (snapshot?.seq === seq) yield snapshot;
  }
  yield EMPTY;
}

function snapshotOf({ head: { seq, prev }, part }: IndexedParts): Snapshot {
  const rows = JSON.parse(Buffer.from(part("heads")).toString()) as [Path, number, Sha | null][];
  return { seq: seq as number, prev: prev as Sha, heads: rows.map(([path, at, sha]) => [path, { seq: at, sha }]) };
}

/** False when the first entry does not follow: then the snapshot is of another log. What is damaged is passed over. */
function applyAll(heads: Heads, entries: Iterable<Entry>, from: Pick<Snapshot, "seq" | "prev">): boolean {
  for (const entry of entries) {
    if (entry.seq === from.seq && entry.prev !== from.prev) return false;
    heads.apply(entry);
  }
  return true;
}
