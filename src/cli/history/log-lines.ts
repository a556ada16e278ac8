// How many lines an entry added and removed, for the log: counted in the kept versions, within bounds that keep it quick.
import type { Backend, Entry } from "../../core/backend.ts";
import { filesOf, type Lines, type Room, toldDiff } from "../../kernel/history/entry.ts";

/** A log reads no more of the kept versions than this; entries beyond are not counted. */
export const roomForLog = (): Room => ({ bytes: 16 * 1024 * 1024 });

/** In the order of the entry's files; undefined where there is nothing to count. */
export async function countedLines(
  backend: Backend,
  entry: Entry,
  room: Room,
  most: number,
): Promise<readonly (Lines | undefined)[]> {
  const counted: (Lines | undefined)[] = [];
  for (const file of filesOf(entry).slice(0, most)) {
    const { diff } = await toldDiff(backend, file, { room, largest: LARGEST, quick: true, maxBytes: 0 });
    const isEmptyMove = !("left" in diff) && file.letter === "R" && diff.insertions + diff.deletions === 0;
    counted.push("left" in diff || isEmptyMove ? undefined : diff);
  }
  return counted;
}

const LARGEST = 1024 * 1024;
