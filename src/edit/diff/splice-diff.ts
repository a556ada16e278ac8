// The unified diff of an edit, made from its splices: only the lines around them are looked at, however long the text is.

import { applySplices, type Splice, sortSplices } from "../text/splice.ts";
import { type UnifiedDiff, type UnifiedDiffOptions, unifiedDiff } from "./unified.ts";

/** One more than the lines of context, so that the lines at the rim are never taken for the rim of the file. */
const AROUND = 4;

export function spliceDiff(text: string, splices: readonly Splice[], options: UnifiedDiffOptions): UnifiedDiff {
  const sorted = sortSplices(splices);
  const from = linesBack(text, sorted[0]?.start ?? 0);
  const to = linesOn(text, sorted.at(-1)?.end ?? 0);
  const region = text.slice(from, to);
  const shifted = sorted.map(({ start, end, text: by }) => ({ start: start - from, end: end - from, text: by }));
  return unifiedDiff(region, applySplices(region, shifted), { ...options, linesBefore: newlines(text, from) });
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
