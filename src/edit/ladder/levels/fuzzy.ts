// Level: the most alike block, for callers who have proven that they saw these very bytes.

import { similarity } from "../../../core/similarity.ts";
import { nearestWindows } from "../../replace/nearest.ts";
import { type Aligned, alignedAt } from "../compare/align.ts";
import { areHarmless, differencesIn, type Lines, told } from "../compare/differences.ts";
import type { Lookup } from "../compare/lookup.ts";
import { nearWindows } from "../compare/near.ts";
import { isBlankLine } from "../compare/normal.ts";
import { type Segment, segmentsOf } from "../merge.ts";
import { type Place, type Wanted, weightOf, wholeLines } from "../place.ts";
import { fitFor } from "./indentation.ts";

const MARGIN = 0.05;
const LEAST_LINES = 3;
const LEAST_WEIGHT = 40;
const LEAST_EQUAL_WEIGHT = 20;
const MOST_WINDOWS = 50;
const RUNNERS_UP = 4;

/**
 * Similarity proposes, it does not decide: at least half of the lines must be equal, the runner-up must be clearly less
 * alike, and what differs must lie in lines that the edit leaves alone, where the file's own stay, or be a slip of the pen.
 */
export function findFuzzy(lookup: Lookup, wanted: Wanted, threshold: number): Place | undefined {
  const { source } = lookup;
  const { oldLines, newLines } = wholeLines(wanted);
  const inked = oldLines.filter((line) => !isBlankLine(line)).length;
  if (inked < LEAST_LINES && weightOf(oldLines) < LEAST_WEIGHT) return undefined;
  const [best, second] = mostAlike(lookup, oldLines);
  if (!best || best.similarity < threshold || best.similarity - (second?.similarity ?? 0) < MARGIN) return undefined;
  if (best.aligned === undefined) return undefined;

  const differences = differencesIn(lookup, { oldLines, newLines }, best.aligned);
  if (differences.length * 2 > Math.max(inked, 2)) return undefined;
  const differing = new Set(differences.map(({ oldIndex }) => oldIndex));
  const equal = weightOf(oldLines.filter((_, index) => !differing.has(index)));
  const isEnough = inked >= LEAST_LINES && equal >= LEAST_EQUAL_WEIGHT;
  const areSlips = differences.length > 0 && differences.every(({ isSlip }) => isSlip);
  if (!isEnough && !areSlips) return undefined;
  if (!areHarmless(lookup, { oldLines, newLines }, best.aligned, differences)) return undefined;

  const { pairs, first, last } = best.aligned;
  const segments = segmentsOf(source, first, last);
  return {
    alignment: { segments, pairs: pairs.map((at) => (at < 0 ? at : at - first)) },
    change: {
      oldLines,
      newLines,
      fit: fitOf(lookup, { oldLines, newLines }, best.aligned, segments),
      extraStays: true,
    },
    similarity: best.similarity,
    warnings: differences.map(told),
  };
}

interface Likeness {
  readonly similarity: number;
  /** Undefined where the lines can be paired in several ways. */
  readonly aligned: Aligned | undefined;
}

/**
 * The most alike stretches, best first: all of which half the lines are equal, and those that share the most text. None
 * when no stretch has half its lines equal, or very many have.
 */
function mostAlike(lookup: Lookup, oldLines: readonly string[]): Likeness[] {
  const height = oldLines.length;
  const near = height === 1 ? undefined : (nearWindows(lookup, oldLines, Math.floor(height / 2)) ?? []);
  if (near && (near.length === 0 || near.length > MOST_WINDOWS)) return [];
  const alike = nearestWindows(lookup.lines, oldLines, RUNNERS_UP, 0);
  const wanted = unindented(oldLines);
  const found = new Map<string, Likeness>();
  for (const start of new Set([...(near ?? []), ...alike].map((window) => window.first))) {
    const aligned = alignedAt(lookup, oldLines, start);
    const { first, last } = aligned ?? { first: start, last: start + height - 1 };
    const key = `${first}-${last}`;
    if (found.get(key)?.aligned !== undefined) continue;
    found.set(key, { aligned, similarity: similarity(wanted, unindented(lookup.lines.slice(first, last + 1))) });
  }
  return [...found.values()].sort((a, b) => b.similarity - a.similarity);
}

/** New lines are indented like the lines that are equal. */
function fitOf(lookup: Lookup, { oldLines, newLines }: Lines, { pairs, first }: Aligned, segments: readonly Segment[]) {
  const old = lookup.idsOf(oldLines);
  const there = pairs.flatMap((at, index) => (at >= 0 && !isBlankLine(oldLines[index]!) ? [index] : []));
  const same = there.filter((index) => lookup.ids[pairs[index]!] === old[index]);
  const equal = same.length > 0 ? same : there;
  return fitFor({
    source: lookup.source,
    segments: equal.map((index) => segments[pairs[index]! - first]!),
    oldLines: equal.map((index) => oldLines[index]!),
    newLines,
    first,
  });
}

function unindented(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).join("\n");
}
