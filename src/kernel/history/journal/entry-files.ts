// The files of a journal entry as people read them: one item per file, a move counted once.
import type { Entry, EntryChange, Path, Sha } from "../../../core/backend.ts";

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

export function filesOf({ changes }: Entry): EntryFile[] {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const sourceOf = ({ movedFrom }: EntryChange): EntryChange | undefined =>
    movedFrom === undefined ? undefined : byPath.get(movedFrom);
  const left = new Set(changes.flatMap((change) => (isMove(change, sourceOf(change)) ? [change.movedFrom!] : [])));
  const kept = changes.filter(({ path, to }) => to !== null || !left.has(path));
  return kept.map((change) => fileOf(change, sourceOf(change)));
}

/** Only where the entry says what was at the source: a change that merely claims to be a move is told as what it did. */
function isMove({ to }: EntryChange, source: EntryChange | undefined): boolean {
  return to !== null && source !== undefined && source.from !== null;
}

function fileOf(change: EntryChange, source: EntryChange | undefined): EntryFile {
  const { path, from, to, toSize, proof, movedFrom } = change;
  const moved = isMove(change, source);
  const origin = moved ? source! : change;
  return {
    letter: moved ? "R" : from === null ? "A" : to === null ? "D" : "M",
    path,
    ...(moved && movedFrom !== undefined && { movedFrom }),
    before: origin.from,
    after: to,
    beforeSize: origin.fromSize ?? 0,
    afterSize: toSize ?? 0,
    ...(proof !== undefined && { proof }),
  };
}
