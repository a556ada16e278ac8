// Line diff: which lines changed between two texts, never slower than a fixed amount of work.
import { numbersOf } from "../text/occurrences.ts";
import { markChanges } from "./myers.ts";

/** Lines `aStart..aEnd` of one side became lines `bStart..bEnd` of the other: 0-based, end-exclusive. */
export interface Region {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

export interface DiffOptions {
  /** Steps the search may take; beyond it the regions get coarser, never wrong. */
  readonly budget?: number;
}

// At most about 0.2 s of searching. Minimal whenever fewer lines than BUDGET / (lines of both sides) changed.
const BUDGET = 12_000_000;

/**
 * The changed regions in order, at least one common line between two of them. A block that could stand at several
 * places is reported at the last one, so that the same change is found at the same place whatever else changed.
 */
export function diffLines(a: readonly string[], b: readonly string[], options: DiffOptions = {}): readonly Region[] {
  const start = commonStart(a, b);
  const end = commonEnd(a, b, start);
  const aHi = a.length - end;
  const bHi = b.length - end;
  if (start === aHi && start === bHi) return [];
  if (start === aHi || start === bHi) return settle([{ aStart: start, aEnd: aHi, bStart: start, bEnd: bHi }], a, b);
  return settle(between(a, b, { aStart: start, aEnd: aHi, bStart: start, bEnd: bHi }, options.budget ?? BUDGET), a, b);
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let n = 0;
  while (n < most && a[n] === b[n]) n++;
  return n;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let n = 0;
  while (n < most && a[a.length - 1 - n] === b[b.length - 1 - n]) n++;
  return n;
}

function between(a: readonly string[], b: readonly string[], range: Region, budget: number): Region[] {
  const ids = new Map<string, number>();
  const left = numbersOf(a.slice(range.aStart, range.aEnd), ids);
  const onlyRight = ids.size;
  const right = numbersOf(b.slice(range.bStart, range.bEnd), ids);
  const inRight = new Uint8Array(ids.size);
  for (const id of right) inRight[id] = 1;

  // A line that the other side lacks is changed whatever the search finds: it need not take part.
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

/** `aKept[n]` and `bKept[n]` are the same line; whatever lies between two such pairs changed. */
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

/** Slides pure insertions and deletions down as far as they go, and joins what then touches. */
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
