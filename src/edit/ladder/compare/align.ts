// Old lines side by side with the file's: equal, different, or on one side only. The cheapest way, if there is just one.

import { similarity } from "../../../core/similarity.ts";
import type { Lookup } from "./lookup.ts";
import { isBlankLine } from "./normal.ts";

/** Where each old line lies: an index of the file's lines, or -1 where the file has none for it. */
export interface Aligned {
  readonly pairs: readonly number[];
  /** The file's lines from the first to the last pair. */
  readonly first: number;
  readonly last: number;
}

// So many lines more or fewer than the other side has.
const MOST_SHIFT = 2;
const WIDTH = 2 * MOST_SHIFT + 1;
// What it costs that the file has a line more, a pair differs a little, the file has a line less, a pair differs a lot.
const EXTRA = 6;
const ALIKE = 7;
const MISSING = 8;
const UNLIKE = 10;
const LEAST_ALIKE = 0.5;

/** The alignment of the old lines with those from about `start` on; undefined where several are as good. */
export function alignedAt(lookup: Lookup, oldLines: readonly string[], start: number): Aligned | undefined {
  const { ids, lines } = lookup;
  const old = lookup.idsOf(oldLines);
  const height = old.length;
  if (height === 1) return { pairs: [start], first: start, last: start };
  const fileAt = (row: number, shift: number) => start + row + shift - MOST_SHIFT;
  const known = new Map<number, number>();
  const pairing = (row: number, shift: number): number => {
    const line = fileAt(row, shift);
    if (line < 0 || line >= lines.length) return Number.POSITIVE_INFINITY;
    if (ids[line] === old[row]) return 0;
    const cost = known.get(at(row, shift)) ?? unequal(oldLines[row]!, lines[line]!);
    known.set(at(row, shift), cost);
    return cost;
  };
  const before = costs(height);
  for (let row = 0; row <= height; row++) {
    for (let shift = 0; shift < WIDTH; shift++) {
      if (row === 0) before[shift] = 0;
      else {
        const paired = before[at(row - 1, shift)]! + pairing(row - 1, shift);
        const unpaired = shift + 1 < WIDTH ? before[at(row - 1, shift + 1)]! + MISSING : Number.POSITIVE_INFINITY;
        const extra = shift > 0 && row < height ? before[at(row, shift - 1)]! + EXTRA : Number.POSITIVE_INFINITY;
        before[at(row, shift)] = Math.min(paired, unpaired, extra);
      }
    }
  }
  const after = costs(height);
  for (let row = height; row >= 0; row--) {
    for (let shift = WIDTH - 1; shift >= 0; shift--) {
      if (row === height) after[at(row, shift)] = 0;
      else {
        const paired = after[at(row + 1, shift)]! + pairing(row, shift);
        const unpaired = shift > 0 ? after[at(row + 1, shift - 1)]! + MISSING : Number.POSITIVE_INFINITY;
        const extra = shift + 1 < WIDTH && row > 0 ? after[at(row, shift + 1)]! + EXTRA : Number.POSITIVE_INFINITY;
        after[at(row, shift)] = Math.min(paired, unpaired, extra);
      }
    }
  }
  const least = Math.min(...after.subarray(0, WIDTH));
  const pairs: number[] = [];
  for (let row = 0; row < height; row++) {
    const choices = new Set<number>();
    for (let shift = 0; shift < WIDTH; shift++) {
      const cost = before[at(row, shift)]!;
      if (cost + pairing(row, shift) + after[at(row + 1, shift)]! === least) choices.add(fileAt(row, shift));
      if (shift > 0 && cost + MISSING + after[at(row + 1, shift - 1)]! === least) choices.add(-1);
    }
    if (choices.size !== 1) return undefined;
    for (const choice of choices) pairs.push(choice);
  }
  const there = pairs.filter((pair) => pair >= 0);
  return there.length === 0 ? undefined : { pairs, first: there[0]!, last: there.at(-1)! };
}

function unequal(wrote: string, file: string): number {
  if (isBlankLine(wrote) || isBlankLine(file)) return Number.POSITIVE_INFINITY;
  return similarity(wrote.trim(), file.trim()) >= LEAST_ALIKE ? ALIKE : UNLIKE;
}

function costs(height: number): Float64Array {
  return new Float64Array((height + 1) * WIDTH).fill(Number.POSITIVE_INFINITY);
}

function at(row: number, shift: number): number {
  return row * WIDTH + shift;
}
