// How much room the history takes, and how much of it is versions that no file has any more; estimated where there is much of it.
import fs from "node:fs";
import type { HistoryWeight, Sha } from "../../../core/backend.ts";
import { isSha } from "../../../core/version.ts";
import { namesIn } from "../journal/segment.ts";

/** `current`: the versions that the journal's last words name. */
export function weigh(
  journal: { readonly dir: string; readonly entries: number },
  objects: string,
  current: ReadonlySet<Sha>,
): HistoryWeight {
  const journalBytes = namesIn(journal.dir, /./).reduce((sum, name) => sum + roomOf(`${journal.dir}/${name}`), 0);
  const { names, every, versions, isAll } = sampled(objects);
  let [bytes, spareBytes] = [0, 0];
  for (const name of names) {
    const room = roomOf(`${objects}/${name}`);
    bytes += room;
    if (!current.has(name as Sha)) spareBytes += room;
  }
  /** One name stands for so many. */
  const each = names.length === 0 ? 1 : versions / names.length;
  return {
    entries: journal.entries,
    versions,
    bytes: Math.round(journalBytes + bytes * each),
    spareBytes: Math.round(spareBytes * each),
    exact: every === 1,
    all: isAll,
  };
}

/** Looked at one by one, so that the answer is quick however many there are. */
const MOST_SAMPLED = 2000;
/** Names of versions that are counted. */
const MOST_COUNTED = 200_000;
const BLOCK_BYTES = 512;
const NAMES_AT_ONCE = 1024;

interface Sample {
  readonly names: readonly string[];
  /** One name in so many is in it. */
  readonly every: number;
  readonly versions: number;
  readonly isAll: boolean;
}

/** Every n-th name, n growing with their number: directories may list the newest first. */
function sampled(dir: string): Sample {
  let names: string[] = [];
  let [every, versions] = [1, 0];
  const opened = fs.opendirSync(dir, { bufferSize: NAMES_AT_ONCE });
  try {
    for (let found = opened.readSync(); found !== null; found = opened.readSync()) {
      if (!isSha(found.name)) continue;
      if (versions === MOST_COUNTED) return { names, every, versions, isAll: false };
      if (versions++ % every === 0) names.push(found.name);
      if (names.length <= MOST_SAMPLED) continue;
      names = names.filter((_, n) => n % 2 === 0);
      every *= 2;
    }
  } finally {
    opened.closeSync();
  }
  return { names, every, versions, isAll: true };
}

/** On the disk, where that is told: a small file takes a whole block. */
function roomOf(path: string): number {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 0 : (stat.blocks ?? 0) * BLOCK_BYTES || stat.size;
}
