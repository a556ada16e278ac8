// How well a text is found inside another one, from 0 to 1, at a bounded price.
import { contains } from "./occurrences.ts";

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

/** About 10 ms. */
const MOST_PART_CELLS = 1_000_000;
