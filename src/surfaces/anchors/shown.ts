// What an answer has shown of the version it speaks of: the anchors in it must mean these very lines in the next call.

import type { Path, Sha } from "../../core/backend.ts";
import { type AnchorIndex, anchorIndex } from "../../edit/anchors/index.ts";
import { knownLines } from "../../edit/anchors/resolve/seen.ts";
import { countLines } from "../../edit/text/lines.ts";
import type { Session } from "../../kernel/session.ts";
import type { SeenText } from "./versions.ts";

interface Answer {
  /** The whole text of the file now. */
  readonly after: string;
  /** The lines of it that the answer shows. */
  readonly shown: readonly number[];
  /** What the session had been shown before, where that is another version than the one that the answer goes on from. */
  readonly earlier: SeenText | undefined;
}

/** The session stands on this version from now on; of the one it knew before, only lines that cannot be mistaken count. */
export async function rememberShown(
  session: Session,
  { path, sha }: { readonly path: Path; readonly sha: Sha },
  { after, shown, earlier }: Answer,
): Promise<void> {
  const total = countLines(after);
  const lasting = earlier === undefined ? [] : lastingLines(earlier, anchorIndex(after));
  const lines = [...shown, ...lasting].map((line) => ({ from: line, to: line }));
  // Of an empty file there is no line to show, and yet it is known.
  const ranges = total === 0 ? [{ from: 1, to: 0 }] : lines;
  await session.showed(path, { sha }, { total, shown: ranges });
}

function lastingLines({ text, shown }: SeenText, now: AnchorIndex): number[] {
  const known = text === undefined ? [] : knownLines(anchorIndex(text), now);
  let range = 0;
  return known.flatMap((line) => {
    while (range < shown.length && shown[range]!.to < line.was) range++;
    return (shown[range]?.from ?? Number.POSITIVE_INFINITY) <= line.was ? line.now : [];
  });
}
