// The stretches of a file most like a block of lines: shared three-letter groups over all windows, then edit distance.

import { similarity } from "../../core/similarity.ts";
import { contains } from "../text/occurrences.ts";

/** Lines `first..last` (0-based, inclusive) and how alike they are to the block. */
export interface Window {
  readonly first: number;
  readonly last: number;
  readonly similarity: number;
}

/** Up to `most` windows that do not overlap, the most alike first, each above `least`. */
export function nearestWindows(
  fileLines: readonly string[],
  block: readonly string[],
  most: number,
  least: number,
): Window[] {
  if (most <= 0 || fileLines.length === 0 || block.every((line) => line.trim() === "")) return [];
  const scores = sharedGroups(fileLines, block);
  const purse = { cells: MOST_CELLS };
  const wanted = block.join("\n");
  const compare = (first: number, last: number): Window => {
    const text = fileLines.slice(first, last + 1).join("\n");
    const cells = wanted.length * text.length;
    if (cells > purse.cells) return { first, last, similarity: scores[first] ?? 0 };
    purse.cells -= cells;
    return { first, last, similarity: alikeness(wanted, text, block.length === 1 && first === last) };
  };
  const height = Math.min(block.length, fileLines.length);
  const rough = peaks(scores, Math.ceil(block.length / 4))
    .map((first) => compare(first, first + height - 1))
    .sort(byLikeness);
  const fine = rough.slice(0, most).map((window) => settled(window, fileLines.length, compare));
  const chosen: Window[] = [];
  for (const window of [...fine, ...rough].sort(byLikeness)) {
    if (chosen.length === most || window.similarity <= least) break;
    if (chosen.every((other) => window.last < other.first || window.first > other.last)) chosen.push(window);
  }
  return chosen;
}

function byLikeness(a: Window, b: Window): number {
  return b.similarity - a.similarity || a.first - b.first;
}

const GROUPS = 1 << 16;

/** For every window of as many lines: the Dice coefficient of the multisets of three-letter groups. */
function sharedGroups(fileLines: readonly string[], block: readonly string[]): Float64Array {
  const wanted = new Int32Array(GROUPS);
  let blockTotal = 0;
  for (const line of block) blockTotal += eachGroup(line, (group) => wanted[group]!++);

  const starts = new Int32Array(fileLines.length + 1);
  const totals = new Int32Array(fileLines.length);
  let groups = new Uint16Array(1024);
  let used = 0;
  fileLines.forEach((line, index) => {
    if (groups.length < used + line.length + 2) groups = grown(groups, used + line.length + 2);
    totals[index] = eachGroup(line, (group) => {
      if (wanted[group]! > 0) groups[used++] = group;
    });
    starts[index + 1] = used;
  });

  const size = Math.min(block.length, fileLines.length);
  const scores = new Float64Array(fileLines.length - size + 1);
  const inWindow = new Int32Array(GROUPS);
  let shared = 0;
  let total = 0;
  for (let line = 0; line < fileLines.length; line++) {
    for (let at = starts[line]!; at < starts[line + 1]!; at++) {
      const group = groups[at]!;
      if (inWindow[group]!++ < wanted[group]!) shared++;
    }
    total += totals[line]!;
    if (line < size - 1) continue;
    const first = line - size + 1;
    scores[first] = (2 * shared) / Math.max(1, blockTotal + total);
    for (let at = starts[first]!; at < starts[first + 1]!; at++) {
      const group = groups[at]!;
      if (--inWindow[group]! < wanted[group]!) shared--;
    }
    total -= totals[first]!;
  }
  return scores;
}

/** Groups of the line between its blanks, its ends included; returns how many. */
function eachGroup(line: string, use: (group: number) => void): number {
  let start = 0;
  let end = line.length;
  while (start < end && line.charCodeAt(start) <= 32) start++;
  while (end > start && line.charCodeAt(end - 1) <= 32) end--;
  if (start === end) return 0;
  let before = 10;
  let middle = line.charCodeAt(start);
  for (let at = start + 1; at <= end; at++) {
    const code = at === end ? 10 : line.charCodeAt(at);
    use(Math.imul(before * 961 + middle * 31 + code, 0x9e3779b1) >>> 16);
    before = middle;
    middle = code;
  }
  return end - start;
}

function grown(groups: Uint16Array<ArrayBuffer>, needed: number): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(Math.max(needed, groups.length * 2));
  larger.set(groups);
  return larger;
}

/** The best-scoring windows, `apart` lines or more from each other. */
function peaks(scores: Float64Array, apart: number): number[] {
  const left = Float64Array.from(scores);
  const found: number[] = [];
  for (let n = 0; n < MOST_PEAKS; n++) {
    let best = -1;
    for (let at = 0; at < left.length; at++) if (left[at]! > (best === -1 ? 0.1 : left[best]!)) best = at;
    if (best === -1) break;
    found.push(best);
    left.fill(0, Math.max(0, best - apart + 1), best + apart);
  }
  return found;
}

/** The window, or one that is a line longer or shorter at one end if that is more alike. */
function settled(window: Window, lines: number, compare: (first: number, last: number) => Window): Window {
  if (window.similarity > CLEAR) return window;
  const others = NEIGHBOURS.map(([dFirst, dLast]) => [window.first + dFirst, window.last + dLast] as const)
    .filter(([first, last]) => first >= 0 && last < lines && first <= last)
    .map(([first, last]) => compare(first, last));
  return [window, ...others].sort(byLikeness)[0]!;
}

/** A single line may be part of a longer one. */
function alikeness(wanted: string, text: string, oneLine: boolean): number {
  const whole = similarity(wanted, text);
  if (!oneLine || text.length <= wanted.length) return whole;
  return Math.max(whole, partSimilarity(wanted.trim(), text) - PART_OF_LINE);
}

// Groups do not see the order of lines: a window with the same lines in another order must not hide the right one.
const MOST_PEAKS = 12;
// About 30 ms of comparing; what is left is ranked by its groups.
const MOST_CELLS = 100_000_000;
// So alike that a line more or less would not be.
const CLEAR = 0.95;
// Being found inside a longer line counts a little less than being a line.
const PART_OF_LINE = 0.05;
const NEIGHBOURS: readonly (readonly [number, number])[] = [
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
];

/** How well `part` is found somewhere inside `whole`: one minus the edits needed over its own length. */
function partSimilarity(part: string, whole: string): number {
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
