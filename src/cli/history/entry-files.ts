// The files of a journal entry as people read them: one item per file, a move counted once, with lines added and removed.
import type { Entry, EntryChange, Path, Sha } from "../../backends/backend.ts";

export interface EntryFile {
  readonly letter: "A" | "M" | "D" | "R";
  readonly path: Path;
  readonly movedFrom?: Path;
  readonly before: Sha | null;
  readonly after: Sha | null;
  readonly beforeSize: number;
  readonly afterSize: number;
  readonly proof?: string;
}

export interface Lines {
  insertions: number;
  deletions: number;
}

export function filesOf({ changes }: Entry): EntryFile[] {
  const left = new Set(changes.flatMap(({ movedFrom }) => movedFrom ?? []));
  const kept = changes.filter(({ path, to }) => to !== null || !left.has(path));
  const byPath = new Map(changes.map((change) => [change.path, change]));
  return kept.map((change) => fileOf(change, (change.movedFrom && byPath.get(change.movedFrom)) ?? change));
}

function fileOf({ path, from, to, toSize, proof, movedFrom }: EntryChange, source: EntryChange): EntryFile {
  return {
    letter: movedFrom !== undefined ? "R" : from === null ? "A" : to === null ? "D" : "M",
    path,
    ...(movedFrom !== undefined && { movedFrom }),
    before: source.from,
    after: to,
    beforeSize: source.fromSize ?? 0,
    afterSize: toSize ?? 0,
    ...(proof !== undefined && { proof }),
  };
}

/** Lines per path in a diff that the journal kept. Files whose part was cut off are not in it. */
export function linesIn(diff: string): ReadonlyMap<string, Lines> {
  const found = new Map<string, Lines>();
  let from = "";
  let path = "";
  let lines: Lines = { insertions: 0, deletions: 0 };
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of diff.split("\n")) {
    if (oldLeft > 0 || newLeft > 0) {
      if (line.startsWith("-") || line.startsWith(" ")) oldLeft--;
      if (line.startsWith("+") || line.startsWith(" ")) newLeft--;
      if (line.startsWith("-")) lines.deletions++;
      if (line.startsWith("+")) lines.insertions++;
      continue;
    }
    const [, oldCount = "1", newCount = "1"] = HUNK.exec(line) ?? [];
    if (HUNK.test(line)) {
      lines = found.get(path) ?? { insertions: 0, deletions: 0 };
      found.set(path, lines);
      oldLeft = Number(oldCount);
      newLeft = Number(newCount);
    }
    if (line.startsWith("--- ")) from = line.slice("--- a/".length);
    if (line.startsWith("+++ ")) path = line === "+++ /dev/null" ? from : line.slice("+++ b/".length);
  }
  if (oldLeft > 0 || newLeft > 0) found.delete(path);
  return found;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
