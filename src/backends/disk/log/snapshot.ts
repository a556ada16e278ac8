// The last word on every path, kept now and then, so that opening a log does not read all of it.
import type { Head, Path, Sha } from "../../../core/backend.ts";
import { GENESIS, type Tail } from "../../journal/entry.ts";
import { abortedBy, applyTo } from "../../journal/heads.ts";
import { readDerived, saveDerived } from "./derived-file.ts";
import { readEntries } from "./query.ts";
import type { Part } from "./segment.ts";

/** The state after an entry. */
interface Snapshot extends Pick<Tail, "seq" | "hash"> {
  readonly rows: readonly (readonly [Path, number, Sha | null])[];
}

export interface SavedHeads {
  readonly heads: Map<Path, Head>;
  saveIfDue(tail: Tail): void;
}

/** From the snapshot and the entries since then; from all entries where it is not of this log. What is damaged is passed over. */
export function openHeads(dir: string, parts: readonly Part[], isWithout = false): SavedHeads {
  const path = `${dir}/last-words.heads`;
  const kept = readDerived<Snapshot, Snapshot>(path, (each) => (isOf(parts, each) ? each : null));
  const { seq, rows } = isWithout || kept === null ? EMPTY : kept;
  const aborted = abortedBy(readEntries(parts, { sinceSeq: seq + 1, outcomes: ["aborted"] }));
  if ([...aborted].some((each) => each <= seq)) return openHeads(dir, parts, true);
  const heads = new Map(rows.map(([of, at, sha]): [Path, Head] => [of, { seq: at, sha }]));
  for (const entry of readEntries(parts, { sinceSeq: seq + 1 })) if (!aborted.has(entry.seq)) applyTo(heads, entry);
  let savedSeq = seq;
  return {
    heads,
    /** Each one is as large as there are paths, so it must have been worth as many entries. */
    saveIfDue(tail) {
      if (tail.seq - savedSeq < Math.max(MIN_ENTRIES, heads.size) || heads.size > MAX_PATHS) return;
      const all = [...heads].map(([of, head]) => [of, head.seq, head.sha]);
      saveDerived(path, { seq: tail.seq, hash: tail.hash, rows: all });
      savedSeq = tail.seq;
    },
  };
}

const EMPTY: Snapshot = { seq: 0, hash: GENESIS, rows: [] };

function isOf(parts: readonly Part[], { seq, hash }: Snapshot): boolean {
  const [entry] = readEntries(parts, { sinceSeq: seq, untilSeq: seq });
  return entry?.hash === hash;
}

const MIN_ENTRIES = 500;
/** Where there are more, it is done without. */
const MAX_PATHS = 500_000;
