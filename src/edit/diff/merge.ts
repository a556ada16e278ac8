// Three-way merge of texts by lines: returns both sides' changes, or the conflicts as data.
import { splitLines } from "../text/lines.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import { diffLines, type Region } from "./diff.ts";

/** A place in three versions: 0-based lines, end-exclusive. */
interface Span {
  readonly baseStart: number;
  readonly baseEnd: number;
  readonly oursStart: number;
  readonly oursEnd: number;
  readonly theirsStart: number;
  readonly theirsEnd: number;
}

/** A place where both sides change, with the three texts. */
interface Conflict extends Span {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export type Merge =
  | { readonly ok: true; readonly text: string; readonly splices: readonly Splice[] }
  | { readonly ok: false; readonly conflicts: readonly Conflict[] };

/**
 * Merges texts by lines, terminators included; `splices` turn `ours` into the merged text. Different changes conflict if
 * they overlap or touch, that is, have no unchanged line in between. A change that could stand in several places occupies
 * all of them. With `mayTouch`, changes that touch conflict only if both add the same line, or if `ours` already has all
 * lines that `theirs` adds.
 */
export function merge3(base: string, ours: string, theirs: string, mayTouch = false): Merge {
  const baseText = lineTable(base);
  const oursText = lineTable(ours);
  const theirsText = lineTable(theirs);
  const splices: Splice[] = [];
  const conflicts: Conflict[] = [];
  const oursChanges = changesOf(baseText.lines, oursText.lines);
  const theirsChanges = changesOf(baseText.lines, theirsText.lines);
  let oursMore: Map<string, number> | undefined;

  for (const place of places(oursChanges, theirsChanges, mayTouch)) {
    const was = baseText.slice(place.baseStart, place.baseEnd);
    const mine = oursText.slice(place.oursStart, place.oursEnd);
    const other = theirsText.slice(place.theirsStart, place.theirsEnd);
    if (other === was || other === mine) continue;
    const [start, end] = [oursText.offset(place.oursStart), oursText.offset(place.oursEnd)];
    const isClean = mine === was && !(mayTouch && isAdded(other, was)) && !joinsLines(start, end, other);
    if (isClean) splices.push({ start, end, text: other });
    else conflicts.push({ ...place, base: was, ours: mine, theirs: other });
  }
  if (conflicts.length > 0) return { ok: false, conflicts };
  return { ok: true, text: applySplices(ours, splices), splices };

  /** True when text would follow a last line without a newline. */
  function joinsLines(start: number, end: number, text: string): boolean {
    if (text === "") return false;
    return (start > 0 && ours[start - 1] !== "\n") || (end < ours.length && !text.endsWith("\n"));
  }

  /** True when `ours` adds every line that `theirs` adds here. */
  function isAdded(other: string, was: string): boolean {
    const added = [...countsOf(lineTable(other).lines, lineTable(was).lines)].filter(([, n]) => n > 0);
    oursMore ??= countsOf(oursText.lines, baseText.lines);
    return added.length > 0 && added.every(([line]) => (oursMore!.get(line) ?? 0) > 0);
  }
}

/** Counts each line in `lines`, minus its count in `others`. */
function countsOf(lines: readonly string[], others: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) - 1);
  return counts;
}

/** A region with its new lines. */
type Wide = Region & { readonly lines: readonly string[] };

/** Returns the regions of a diff, each extended to all places where it could stand. */
function changesOf(base: readonly string[], other: readonly string[]): Wide[] {
  const regions = diffLines(base, other);
  let free = 0;
  return regions.map(({ aStart, aEnd, bStart, bEnd }, index) => {
    const limit = regions[index + 1]?.aStart ?? base.length;
    const [lines, start, end] = aStart === aEnd ? [other, bStart, bEnd] : [base, aStart, aEnd];
    const isOneSided = aStart === aEnd || bStart === bEnd;
    let up = 0;
    while (isOneSided && aStart - up > free && lines[start - up - 1] === lines[end - up - 1]) up++;
    let down = 0;
    while (isOneSided && aEnd + down < limit && lines[start + down] === lines[end + down]) down++;
    free = aEnd + down;
    const [from, to] = [bStart - up, bEnd + down];
    return { aStart: aStart - up, aEnd: free, bStart: from, bEnd: to, lines: other.slice(from, to) };
  });
}

interface LineTable {
  readonly lines: readonly string[];
  offset(line: number): number;
  slice(from: number, to: number): string;
}

function lineTable(text: string): LineTable {
  const lines = splitLines(text);
  const offset = (line: number) => lines[line]?.start ?? text.length;
  return {
    lines: lines.map((line) => line.text + line.eol),
    offset,
    slice: (from, to) => text.slice(offset(from), offset(to)),
  };
}

/** Groups changes of both sides that overlap or touch, in the order of the base. */
function* places(ours: readonly Wide[], theirs: readonly Wide[], mayTouch: boolean): Generator<Span> {
  let o = 0;
  let t = 0;
  let oursShift = 0;
  let theirsShift = 0;
  while (o < ours.length || t < theirs.length) {
    const baseStart = Math.min(ours[o]?.aStart ?? Infinity, theirs[t]?.aStart ?? Infinity);
    const oursStart = baseStart + oursShift;
    const theirsStart = baseStart + theirsShift;
    let baseEnd = baseStart;
    const added = new Set<string>();
    for (let isFree = true; ; isFree = !mayTouch) {
      const joins = ({ aStart, aEnd, lines }: Wide): boolean => {
        if (aStart !== baseEnd || isFree) return aStart <= baseEnd;
        return (aStart === aEnd && baseStart === baseEnd) || lines.some((line) => added.has(line));
      };
      const sides = [ours[o], theirs[t]].filter((region) => region !== undefined && joins(region));
      const [next] = sides.sort((a, b) => a!.aEnd - b!.aEnd);
      if (!next) break;
      baseEnd = Math.max(baseEnd, next.aEnd);
      for (const line of next.lines) added.add(line);
      if (next === ours[o]) {
        oursShift = next.bEnd - next.aEnd;
        o++;
      } else {
        theirsShift = next.bEnd - next.aEnd;
        t++;
      }
    }
    const [oursEnd, theirsEnd] = [baseEnd + oursShift, baseEnd + theirsShift];
    yield { baseStart, baseEnd, oursStart, oursEnd, theirsStart, theirsEnd };
  }
}
