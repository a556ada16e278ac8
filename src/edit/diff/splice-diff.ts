// The lines around the splices of an edit: all that its diff needs, however long the text is.

import { applySplices, type Splice, sortSplices } from "../text/splice.ts";

/** One more than the lines of context, so that the lines at the rim are never taken for the rim of the file. */
const AROUND = 4;

/** What `unifiedDiff` is to compare. */
export function aroundSplices(text: string, splices: readonly Splice[]) {
  const sorted = sortSplices(splices);
  const from = linesBack(text, sorted[0]?.start ?? 0);
  const to = linesOn(text, sorted.at(-1)?.end ?? 0);
  const before = text.slice(from, to);
  const shifted = sorted.map(({ start, end, text: by }) => ({ start: start - from, end: end - from, text: by }));
  return { before, after: applySplices(before, shifted), linesBefore: newlines(text, from) };
}

function linesBack(text: string, at: number): number {
  let start = at;
  for (let n = 0; n <= AROUND && start > 0; n++) start = text.lastIndexOf("\n", start - 1);
  return start > 0 ? start + 1 : 0;
}

function linesOn(text: string, at: number): number {
  let end = at;
  for (let n = 0; n <= AROUND; n++) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.length;
    end = next + 1;
  }
  return end;
}

function newlines(text: string, end: number): number {
  let n = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) n++;
  return n;
}
