// Level: the most alike block, for callers who have proven that they saw these very bytes.

import { nearestWindows } from "../nearest.ts";
import { similarity } from "../similarity.ts";
import type { Source } from "../source.ts";
import { quote } from "../visible.ts";
import { fitFor } from "./indentation.ts";
import { oneToOne, segmentsOf } from "./merge.ts";
import { isBlankLine, normal, type Tolerance } from "./normal.ts";
import { type Place, type Wanted, weightOf, wholeLines } from "./place.ts";
import { type Slip, slipsBetween } from "./slips.ts";
import { addsWord, hasWord } from "./words.ts";

const SAME_LINE: Tolerance = { leading: true, trailing: true, unicode: true, runs: true };
const MARGIN = 0.05;
const LEAST_LINES = 3;
const LEAST_WEIGHT = 40;

/**
 * Similarity proposes, it does not decide: whatever differs must be a slip of the pen, at least half of the lines must
 * be equal, and the runner-up must be clearly less alike.
 */
export function findFuzzy(source: Source, wanted: Wanted, threshold: number): Place | undefined {
  const { oldLines, newLines } = wholeLines(wanted);
  const inked = oldLines.filter((line) => !isBlankLine(line)).length;
  if (threshold >= 1 || (inked < LEAST_LINES && weightOf(oldLines) < LEAST_WEIGHT)) return undefined;
  const fileLines = source.lines.map((line) => line.text);
  const [best, second] = nearestWindows(fileLines, oldLines, 2, 0);
  if (!best || best.last - best.first + 1 !== oldLines.length) return undefined;

  const segments = segmentsOf(source, best.first, best.last);
  const alike = similarity(unindented(oldLines), unindented(segments.map((segment) => segment.text)));
  const rival = second
    ? similarity(unindented(oldLines), unindented(fileLines.slice(second.first, second.last + 1)))
    : 0;
  if (alike < threshold || alike - rival < MARGIN) return undefined;

  const slips = slipsIn(
    oldLines,
    segments.map((segment) => segment.text),
  );
  if (!slips || slips.lines * 2 > Math.max(inked, 2)) return undefined;
  const misread = slips.found.filter((slip) => slip.kind !== "marks");
  if (misread.some((slip) => hasWord(source.text, slip.wrote) || addsWord(oldLines, newLines, slip.wrote)))
    return undefined;
  return {
    alignment: oneToOne(segments),
    change: { oldLines, newLines, fit: fitFor(segments, oldLines, best.first, true) },
    similarity: alike,
    warnings: slips.found.map(
      (slip) => `The old text says ${quote(slip.wrote)} where the file says ${quote(slip.file)}; taken for a slip.`,
    ),
  };
}

/** All slips, and how many lines have one; undefined when a line differs by more than slips. */
function slipsIn(
  oldLines: readonly string[],
  fileLines: readonly string[],
): { found: Slip[]; lines: number } | undefined {
  const found: Slip[] = [];
  let lines = 0;
  for (const [index, wrote] of oldLines.entries()) {
    const file = fileLines[index]!;
    if (normal(wrote, SAME_LINE) === normal(file, SAME_LINE)) continue;
    const slips = slipsBetween(wrote.trim(), file.trim());
    if (!slips) return undefined;
    found.push(...slips);
    lines++;
  }
  return { found, lines };
}

function unindented(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).join("\n");
}
