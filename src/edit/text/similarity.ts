// How alike two texts are, from 0 to 1, at a bounded price.

import { distance } from "fastest-levenshtein";
import { contains } from "./occurrences.ts";

/** One minus the edits needed (Levenshtein) over the longer length. Texts too long for that are compared by their ends. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const longer = Math.max(a.length, b.length);
  const start = commonStart(a, b);
  const end = commonEnd(a, b, start);
  const restA = a.length - start - end;
  const restB = b.length - start - end;
  if (restA * restB > MOST_CELLS) return (start + end) / longer;
  return 1 - distance(a.slice(start, a.length - end), b.slice(start, b.length - end)) / longer;
}

/** How well `part` is found somewhere inside `whole`: one minus the edits needed over its own length. */
export function partSimilarity(part: string, whole: string): number {
  if (contains(whole, part)) return 1;
  if (part.length * whole.length > MOST_PART_CELLS) return 0;
  let above = new Uint32Array(whole.length + 1);
  let row = new Uint32Array(whole.length + 1);
  for (let i = 1; i <= part.length; i++) {
    row[0] = i;
    const code = part.charCodeAt(i - 1);
    for (let j = 1; j <= whole.length; j++) {
      const change = above[j - 1]! + (whole.charCodeAt(j - 1) === code ? 0 : 1);
      row[j] = Math.min(change, above[j]! + 1, row[j - 1]! + 1);
    }
    [above, row] = [row, above];
  }
  return 1 - above.reduce((least, cost) => Math.min(least, cost), part.length) / part.length;
}

// About 10 ms each.
const MOST_CELLS = 50_000_000;
const MOST_PART_CELLS = 1_000_000;

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let n = 0;
  while (n < most && a.charCodeAt(n) === b.charCodeAt(n)) n++;
  return n;
}

function commonEnd(a: string, b: string, start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let n = 0;
  while (n < most && a.charCodeAt(a.length - 1 - n) === b.charCodeAt(b.length - 1 - n)) n++;
  return n;
}
