// The similarity of two texts, from 0 to 1, at a bounded price.
import { distance } from "fastest-levenshtein";

/** One minus the edits needed (Levenshtein) over the longer length. Texts too long for that are compared by their ends. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const longer = Math.max(a.length, b.length);
  const start = commonStart(a, b);
  const end = commonEnd(a, b, start);
  const restA = a.length - start - end;
  const restB = b.length - start - end;
  if (restA * restB > MAX_CELLS) return (start + end) / longer;
  return 1 - distance(a.slice(start, a.length - end), b.slice(start, b.length - end)) / longer;
}

/** About 10 ms. */
const MAX_CELLS = 50_000_000;

export function commonStart(a: string, b: string): number {
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
