// Line diff: finds the lines that differ between two texts, in bounded work.
import { numbersOf } from "../text/occurrences.ts";

/** Lines `aStart..aEnd` of one side correspond to lines `bStart..bEnd` of the other: 0-based, end-exclusive. */
export interface Region {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

export interface DiffOptions {
  /** Maximum number of steps. Beyond it the regions get coarser, never wrong. */
  readonly budget?: number;
}

// About 0.2 s of searching. The diff is minimal if fewer lines than BUDGET / (lines of both sides) differ.
const BUDGET = 12_000_000;

/**
 * Returns the changed regions in order, with a common line between any two. A change with several possible places is
 * reported at the last one, so that its place does not depend on other changes.
 */
export function diffLines(a: readonly string[], b: readonly string[], options: DiffOptions = {}): readonly Region[] {
  const range = trim(a, b, { aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length });
  const [removes, adds] = [range.aStart < range.aEnd, range.bStart < range.bEnd];
  if (!removes && !adds) return [];
  return settle(removes && adds ? between(a, b, range, options.budget ?? BUDGET) : [range], a, b);
}

function between(a: readonly string[], b: readonly string[], range: Region, budget: number): Region[] {
  const ids = new Map<string, number>();
  const left = numbersOf(a.slice(range.aStart, range.aEnd), ids);
  const onlyRight = ids.size;
  const right = numbersOf(b.slice(range.bStart, range.bEnd), ids);
  const inRight = new Uint8Array(ids.size);
  for (const id of right) inRight[id] = 1;

  // The search skips lines that the other side lacks: they are changed in any case.
  const aShared = positions(left, (id) => inRight[id] === 1);
  const bShared = positions(right, (id) => id < onlyRight);
  const marks = markChanges(
    aShared.map((at) => left[at]!),
    bShared.map((at) => right[at]!),
    budget,
  );
  return regions(range, kept(aShared, marks.a), kept(bShared, marks.b));
}

function positions(ids: Int32Array, wanted: (id: number) => boolean): Int32Array {
  const out = new Int32Array(ids.length);
  let n = 0;
  for (let i = 0; i < ids.length; i++) if (wanted(ids[i]!)) out[n++] = i;
  return out.subarray(0, n);
}

function kept(at: Int32Array, changed: Uint8Array): Int32Array {
  return at.filter((_, i) => changed[i] === 0);
}

/** Returns the lines between the pairs `aKept[n]`, `bKept[n]` of common lines. */
function regions(range: Region, aKept: Int32Array, bKept: Int32Array): Region[] {
  const found: Region[] = [];
  let aAt = range.aStart;
  let bAt = range.bStart;
  for (let n = 0; n <= aKept.length; n++) {
    const aNext = n < aKept.length ? range.aStart + aKept[n]! : range.aEnd;
    const bNext = n < bKept.length ? range.bStart + bKept[n]! : range.bEnd;
    if (aNext > aAt || bNext > bAt) found.push({ aStart: aAt, aEnd: aNext, bStart: bAt, bEnd: bNext });
    aAt = aNext + 1;
    bAt = bNext + 1;
  }
  return found;
}

/** Moves pure insertions and deletions down as far as possible, and joins regions that then touch. */
function settle(found: readonly Region[], a: readonly string[], b: readonly string[]): Region[] {
  const out: Region[] = [];
  for (let n = 0; n < found.length; n++) {
    let region = found[n]!;
    for (;;) {
      const next = found[n + 1];
      region = slide(region, a, b, next ? next.aStart - region.aEnd : a.length - region.aEnd);
      if (!next || next.aStart > region.aEnd) break;
      region = { ...region, aEnd: next.aEnd, bEnd: next.bEnd };
      n++;
    }
    out.push(region);
  }
  return out;
}

function slide(region: Region, a: readonly string[], b: readonly string[], room: number): Region {
  const { aStart, aEnd, bStart, bEnd } = region;
  let by = 0;
  if (aStart === aEnd) while (by < room && b[bStart + by] === b[bEnd + by]) by++;
  else if (bStart === bEnd) while (by < room && a[aStart + by] === a[aEnd + by]) by++;
  return { aStart: aStart + by, aEnd: aEnd + by, bStart: bStart + by, bEnd: bEnd + by };
}

interface Marks {
  readonly a: Uint8Array;
  readonly b: Uint8Array;
}

/**
 * Myers' linear-space algorithm. Unmarked symbols of `a` and `b` are equal, in order. The marks are minimal within the
 * budget. A box that gets too costly is cut at its furthest-reaching path; when the budget is spent, all of the rest is
 * marked.
 */
function markChanges(a: Int32Array, b: Int32Array, budget: number): Marks {
  const marks: Marks = { a: new Uint8Array(a.length), b: new Uint8Array(b.length) };
  const search = searchIn(a, b, budget);
  const boxes: Region[] = [{ aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length }];
  for (let box = boxes.pop(); box; box = boxes.pop()) {
    const { aStart, aEnd, bStart, bEnd } = trim(a, b, box);
    if (aStart === aEnd || bStart === bEnd || search.isExhausted()) {
      marks.a.fill(1, aStart, aEnd);
      marks.b.fill(1, bStart, bEnd);
      continue;
    }
    const [i, j] = search.cut(aStart, aEnd, bStart, bEnd);
    boxes.push({ aStart, aEnd: i, bStart, bEnd: j }, { aStart: i, aEnd, bStart: j, bEnd });
  }
  return marks;
}

/** Drops equal symbols at both ends of the range. */
function trim(a: ArrayLike<unknown>, b: ArrayLike<unknown>, range: Region): Region {
  let { aStart, aEnd, bStart, bEnd } = range;
  while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
    aStart++;
    bStart++;
  }
  while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  return { aStart, aEnd, bStart, bEnd };
}

const BEYOND = 0x7fffffff;
const MIN_CUT_COST = 16;

/** Finds the middle of a path of fewest edits. Reuses two rows of furthest points between calls. */
function searchIn(a: Int32Array, b: Int32Array, budget: number) {
  const forward = new Int32Array(a.length + b.length + 3);
  const backward = new Int32Array(a.length + b.length + 3);
  const zero = b.length + 1;
  // A cut advances by at least its cost and takes about the square of it: all cuts take about size × cutCost steps.
  const cutCost = Math.max(MIN_CUT_COST, Math.floor(budget / (a.length + b.length + 1)));
  let left = budget;
  return { isExhausted: () => left <= 0, cut };

  /** The box must not be empty on a side, nor start or end with equal symbols. */
  function cut(aLo: number, aHi: number, bLo: number, bHi: number): readonly [number, number] {
    const lowest = aLo - bHi;
    const highest = aHi - bLo;
    const fMid = aLo - bLo;
    const bMid = aHi - bHi;
    const odd = ((fMid - bMid) & 1) !== 0;
    let fMin = fMid;
    let fMax = fMid;
    let bMin = bMid;
    let bMax = bMid;
    forward[zero + fMid] = aLo;
    backward[zero + bMid] = aHi;

    for (let cost = 1; ; cost++) {
      if (fMin > lowest) forward[zero + --fMin - 1] = -1;
      else fMin++;
      if (fMax < highest) forward[zero + ++fMax + 1] = -1;
      else fMax--;
      for (let k = fMax; k >= fMin; k -= 2) {
        const below = forward[zero + k - 1]!;
        const above = forward[zero + k + 1]!;
        const from = below >= above ? below + 1 : above;
        let i = from;
        let j = i - k;
        while (i < aHi && j < bHi && a[i] === b[j]) {
          i++;
          j++;
        }
        left -= i - from + 1;
        forward[zero + k] = i;
        if (odd && bMin <= k && k <= bMax && backward[zero + k]! <= i) return [i, j];
      }

      if (bMin > lowest) backward[zero + --bMin - 1] = BEYOND;
      else bMin++;
      if (bMax < highest) backward[zero + ++bMax + 1] = BEYOND;
      else bMax--;
      for (let k = bMax; k >= bMin; k -= 2) {
        const below = backward[zero + k - 1]!;
        const above = backward[zero + k + 1]!;
        const from = below < above ? below : above - 1;
        let i = from;
        let j = i - k;
        while (i > aLo && j > bLo && a[i - 1] === b[j - 1]) {
          i--;
          j--;
        }
        left -= from - i + 1;
        backward[zero + k] = i;
        if (!odd && fMin <= k && k <= fMax && i <= forward[zero + k]!) return [i, j];
      }

      if (cost >= cutCost || left <= 0) break;
    }

    const [fi, fj] = furthest(forward, zero, fMin, fMax, aHi, bHi);
    const [bi, bj] = nearest(backward, zero, bMin, bMax, aLo, bLo);
    return fi + fj - (aLo + bLo) > aHi + bHi - (bi + bj) ? [fi, fj] : [bi, bj];
  }
}

function furthest(row: Int32Array, zero: number, min: number, max: number, aHi: number, bHi: number) {
  let best: readonly [number, number] = [-1, -1];
  for (let k = max; k >= min; k -= 2) {
    const i = Math.min(row[zero + k]!, aHi, bHi + k);
    if (i + i - k > best[0] + best[1]) best = [i, i - k];
  }
  return best;
}

function nearest(row: Int32Array, zero: number, min: number, max: number, aLo: number, bLo: number) {
  let best: readonly [number, number] = [BEYOND, BEYOND];
  for (let k = max; k >= min; k -= 2) {
    const i = Math.max(row[zero + k]!, aLo, bLo + k);
    if (i + i - k < best[0] + best[1]) best = [i, i - k];
  }
  return best;
}
