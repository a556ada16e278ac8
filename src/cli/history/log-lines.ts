// How many lines an entry added and removed, for the log: counted in the kept versions, within bounds that keep it quick.
import type { Backend, Entry } from "../../core/backend.ts";
import { type Lines, sectionsIn } from "../../kernel/history/journal/diff-sections.ts";
import { type Room, toldDiff } from "../../kernel/history/journal/entry-diff.ts";
import { filesOf } from "../../kernel/history/journal/entry-files.ts";

export interface Counted extends Lines {
  /** Not checked: as the journal says. */
  readonly unchecked?: true;
}

/** A log reads no more of the kept versions than this; entries beyond are told as the journal says. */
export const roomForLog = (): Room => ({ bytes: 16 * 1024 * 1024 });

/** In the order of the entry's files; undefined where there is nothing to count. */
export async function countedLines(
  backend: Backend,
  entry: Entry,
  room: Room,
  most: number,
): Promise<readonly (Counted | undefined)[]> {
  const counted: (Counted | undefined)[] = [];
  const files = filesOf(entry).slice(0, most);
  const sections = files.length === 0 ? undefined : sectionsIn(entry.diff ?? "");
  for (const file of files) {
    const section = sections?.get(file.path);
    const { diff } = await toldDiff(backend, file, { room, section, largest: LARGEST, quick: true, maxBytes: 0 });
    const isMove = file.letter === "R";
    if (!("left" in diff)) counted.push(isMove && diff.insertions + diff.deletions === 0 ? undefined : diff);
    // About a move the journal's diff says that all of one file went and all of another came.
    else counted.push(isMove || section?.lines === undefined ? undefined : { ...section.lines, unchecked: true });
  }
  return counted;
}

const LARGEST = 1024 * 1024;
