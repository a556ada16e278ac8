// Boundary echo: new lines that repeat the lines right before or after them, as when a replacement carries its own surroundings.

import { isLowEntropy } from "../edit/anchors/lines/line-index.ts";
import type { Region } from "../edit/diff/diff.ts";

export interface Echo {
  /** First and last repeated line of the new text, 1-based. */
  readonly first: number;
  readonly last: number;
  /** First line of the copy that was there already. */
  readonly of: number;
  /** The old text repeats itself in the same way, so this may be its habit. */
  readonly usual: boolean;
}

/** The first `most` of them: each is looked for in all of the old text. */
export function boundaryEchoes(
  before: readonly string[],
  after: readonly string[],
  regions: readonly Region[],
  most: number,
): Echo[] {
  const found: Copy[] = [];
  for (const region of regions) {
    if (found.length >= most) break;
    const room = { above: region.bStart, below: after.length - region.bEnd, own: region.bEnd - region.bStart };
    const above = longest(after, Math.min(room.own, room.above), (size) => [region.bStart, region.bStart - size]);
    const below = longest(after, Math.min(room.own, room.below), (size) => [region.bEnd - size, region.bEnd]);
    for (const copy of [above, below]) if (copy !== undefined) found.push(copy);
  }
  return found.slice(0, most).map((copy) => describe(copy, before, after));
}

/** New lines that are the same as the line before them, unless the old text had such a pair or they say nothing. 1-based. */
export function repeatedLines(
  before: readonly string[],
  after: readonly string[],
  regions: readonly Region[],
): { readonly line: number; readonly of: number }[] {
  const pairs = regions.flatMap(({ bStart, bEnd }) => {
    // The pairs of which at least one line is new: also the last new line and the one after it.
    const last = bEnd > bStart ? Math.min(bEnd, after.length - 1) : bStart - 1;
    const seconds = Array.from(
      { length: Math.max(0, last - Math.max(1, bStart) + 1) },
      (_, n) => Math.max(1, bStart) + n,
    );
    return seconds.filter((at) => after[at] === after[at - 1] && !isLowEntropy(after[at]!));
  });
  if (pairs.length === 0) return [];
  const usual = new Set(before.filter((line, at) => line === before[at - 1]));
  return pairs.filter((at) => !usual.has(after[at]!)).map((at) => ({ line: at + 1, of: at }));
}

interface Copy {
  readonly at: number;
  readonly of: number;
  readonly size: number;
}

// Longer copies are deliberate: a page is not repeated by accident at a boundary.
const LONGEST_ECHO = 60;

function longest(lines: readonly string[], room: number, place: (size: number) => [number, number]): Copy | undefined {
  let isDull = false;
  for (let size = Math.min(room, LONGEST_ECHO); size > 0 && !isDull; size--) {
    const [at, of] = place(size);
    if (!sameLines(lines, at, of, size)) continue;
    if (telling(lines.slice(at, at + size))) return { at, of, size };
    // Shorter ones are a part of this one, and say no more.
    isDull = true;
  }
  return undefined;
}

function sameLines(lines: readonly string[], one: number, other: number, size: number): boolean {
  for (let n = 0; n < size; n++) if (lines[one + n] !== lines[other + n]) return false;
  return true;
}

// "end", "</div>", "break;", "i++;" and rows of numbers stand twice in a row in good code.
const LEAST_LETTERS = 8;

/** Whether a repetition of these lines says anything. */
function telling(lines: readonly string[]): boolean {
  return lines.some((line) => line.replace(/\P{L}+/gu, "").length >= LEAST_LETTERS);
}

function describe({ at, of, size }: Copy, before: readonly string[], after: readonly string[]): Echo {
  const block = after.slice(at, at + size);
  return { first: at + 1, last: at + size, of: of + 1, usual: repeats(before, block) };
}

function repeats(lines: readonly string[], block: readonly string[]): boolean {
  for (let at = lines.indexOf(block[0]!); at !== -1; at = lines.indexOf(block[0]!, at + 1)) {
    if (at + 2 * block.length > lines.length) return false;
    if (block.every((line, n) => lines[at + n] === line && lines[at + block.length + n] === line)) return true;
  }
  return false;
}
