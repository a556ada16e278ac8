// Level: the most alike block, for callers who have proven that they saw these very bytes.

import { nearestWindows } from "../nearest.ts";
import { similarity } from "../similarity.ts";
import { quote } from "../visible.ts";
import { fitFor } from "./indentation.ts";
import { LOOSEST, type Lookup } from "./lookup.ts";
import { oneToOne, segmentsOf } from "./merge.ts";
import { nearWindows } from "./near.ts";
import { isBlankLine, normal } from "./normal.ts";
import { type Place, type Wanted, weightOf, wholeLines } from "./place.ts";
import { type Slip, slipsBetween } from "./slips.ts";
import { addsWord, hasWord } from "./words.ts";

const MARGIN = 0.05;
const LEAST_LINES = 3;
const LEAST_WEIGHT = 40;
const MOST_WINDOWS = 50;
const RUNNERS_UP = 4;

/**
 * Similarity proposes, it does not decide: whatever differs must be a slip of the pen, at least half of the lines must
 * be equal, and the runner-up must be clearly less alike.
 */
export function findFuzzy(lookup: Lookup, wanted: Wanted, threshold: number): Place | undefined {
  const { source } = lookup;
  const { oldLines, newLines } = wholeLines(wanted);
  const inked = oldLines.filter((line) => !isBlankLine(line)).length;
  if (threshold >= 1 || (inked < LEAST_LINES && weightOf(oldLines) < LEAST_WEIGHT)) return undefined;
  const [best, second] = mostAlike(lookup, oldLines);
  if (!best || best.similarity < threshold || best.similarity - (second?.similarity ?? 0) < MARGIN) return undefined;

  const segments = segmentsOf(source, best.first, best.first + oldLines.length - 1);
  const fileLines = segments.map((segment) => segment.text);
  const slips = slipsIn(oldLines, fileLines);
  if (!slips || slips.lines.length * 2 > Math.max(inked, 2)) return undefined;
  const misread = slips.found.filter((slip) => slip.kind !== "marks").map((slip) => slip.wrote);
  if (misread.some((word) => hasWord(source.text, word) || addsWord(oldLines, newLines, word))) return undefined;
  return {
    alignment: oneToOne(segments),
    change: { oldLines, newLines, fit: fitFor(segments, oldLines, best.first, true) },
    similarity: best.similarity,
    warnings: slips.lines.map(
      (at) =>
        `Line ${best.first + at + 1}: the old text says ${quote(oldLines[at]!.trim())}, the file ${quote(fileLines[at]!.trim())}; taken for a slip.`,
    ),
  };
}

interface Likeness {
  readonly first: number;
  readonly similarity: number;
}

/**
 * The most alike windows of as many lines, best first: all of which half the lines are equal, and those that share the
 * most text. None when no window has half its lines equal, or very many have.
 */
function mostAlike(lookup: Lookup, oldLines: readonly string[]): Likeness[] {
  const height = oldLines.length;
  const near = height === 1 ? undefined : (nearWindows(lookup, oldLines, Math.floor(height / 2)) ?? []);
  if (near && (near.length === 0 || near.length > MOST_WINDOWS)) return [];
  const alike = nearestWindows(lookup.lines, oldLines, RUNNERS_UP, 0).filter(
    ({ first, last }) => last - first + 1 === height,
  );
  const starts = new Set([...(near ?? []), ...alike].map((window) => window.first));
  const wanted = unindented(oldLines);
  return [...starts]
    .map((first) => ({
      first,
      similarity: similarity(wanted, unindented(lookup.lines.slice(first, first + height))),
    }))
    .sort((a, b) => b.similarity - a.similarity);
}

/** All slips, and the lines that have one; undefined when a line differs by more than slips. */
function slipsIn(
  oldLines: readonly string[],
  fileLines: readonly string[],
): { readonly found: readonly Slip[]; readonly lines: readonly number[] } | undefined {
  const found: Slip[] = [];
  const lines: number[] = [];
  for (const [at, wrote] of oldLines.entries()) {
    const file = fileLines[at]!;
    if (normal(wrote, LOOSEST) === normal(file, LOOSEST)) continue;
    const slips = slipsBetween(wrote.trim(), file.trim());
    if (!slips) return undefined;
    for (const slip of slips) found.push(slip);
    lines.push(at);
  }
  return { found, lines };
}

function unindented(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).join("\n");
}
