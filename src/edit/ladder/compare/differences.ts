// What differs between old text and the stretch of the file that it is taken for, and whether that does harm.

import { diffLines } from "../../diff/diff.ts";
import { numbersOf, sequenceOccurrences } from "../../text/occurrences.ts";
import { quote } from "../../text/visible.ts";
import { changesBelow, headsOther } from "../headings.ts";
import { isComment } from "../levels/gap.ts";
import { sameButBlanks } from "../merge.ts";
import { changesUnseenLine, rewritesLine, writesMisreadWord } from "../refuse.ts";
import type { Aligned } from "./align.ts";
import type { Lookup } from "./lookup.ts";
import { isBlankLine } from "./normal.ts";
import { areSiblings, wordsOf } from "./siblings.ts";
import { isPlainlyTransposed, type Slip, slipsBetween } from "./slips.ts";
import { addsWord, hasWord } from "./words.ts";

/** One line, as old text and the file have it; one of them may have none. */
export interface Difference {
  readonly oldIndex: number | undefined;
  readonly wrote: string | undefined;
  readonly file: string | undefined;
  /** Line of the file, counted from 1: for a line that it lacks, the one before. */
  readonly line: number;
  /** The edit removes or rewrites the line. */
  readonly isChanged: boolean;
  /** Letters, quotes and separators at most. */
  readonly isSlip: boolean;
  readonly slips: readonly Slip[];
}

export interface Lines {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/** All lines that are not equal, in the order of the file. Blank lines that only one side has do not count. */
export function differencesIn(lookup: Lookup, { oldLines, newLines }: Lines, { pairs }: Aligned): Difference[] {
  const regions = diffLines(oldLines, newLines);
  const isChanged = (at: number) => regions.some(({ aStart, aEnd }) => aStart <= at && at < aEnd);
  const old = lookup.idsOf(oldLines);
  const found: Difference[] = [];
  let before = pairs.find((at) => at >= 0)! - 1;
  for (const [oldIndex, at] of pairs.entries()) {
    const wrote = oldLines[oldIndex]!;
    if (at < 0) {
      if (isBlankLine(wrote) && !isChanged(oldIndex)) continue;
      found.push({ ...NEITHER, oldIndex, wrote, line: before + 1, isChanged: isChanged(oldIndex) });
      continue;
    }
    for (let extra = before + 1; extra < at; extra++) {
      const file = lookup.lines[extra]!;
      if (!isBlankLine(file)) found.push({ ...NEITHER, file, line: extra + 1 });
    }
    before = at;
    if (lookup.ids[at] === old[oldIndex] && !(isChanged(oldIndex) && !sameButBlanks(lookup.lines[at]!, wrote)))
      continue;
    const file = lookup.lines[at]!;
    const slips = slipsBetween(wrote.trim(), file.trim());
    const both = { oldIndex, wrote, file, line: at + 1, isChanged: isChanged(oldIndex) };
    found.push({ ...both, isSlip: slips !== undefined, slips: slips ?? [] });
  }
  return found;
}

const NEITHER = {
  oldIndex: undefined,
  wrote: undefined,
  file: undefined,
  isChanged: false,
  isSlip: false,
  slips: [],
} as const;

/**
 * False when the stretch may not be the one that is meant. Refuses when it is, but applying would drop text that old text
 * does not show, or write a word that the file has otherwise.
 */
export function areHarmless(
  lookup: Lookup,
  { oldLines, newLines }: Lines,
  aligned: Aligned,
  differences: readonly Difference[],
): boolean {
  const regions = diffLines(oldLines, newLines);
  for (const { oldIndex, wrote, file, line, isChanged, isSlip, slips } of differences) {
    if (wrote === undefined || oldIndex === undefined) continue;
    // A line that the file has elsewhere was not imagined: the place beside that one may be meant.
    if (lookup.idsOf([wrote])[0]! >= 0) return false;
    const isProse = isComment(wrote, "-");
    const misread = slips.filter((slip) => slip.kind !== "marks").map((slip) => slip.wrote);
    // Letters that changed places make no other name, unless the file has that one too.
    const isTypo = (slip: Slip) => isPlainlyTransposed(slip) && !hasWord(lookup.source.text, slip.wrote);
    const isMisspelt = isSlip && slips.every((slip) => slip.kind === "marks" || isTypo(slip));
    const isHarmless = isChanged || isMisspelt || !changesBelow(oldLines, oldIndex, regions);
    if (!isHarmless && headsOther(oldLines, oldIndex, file)) return false;
    if (file === undefined) continue;
    if (!isHarmless && headsOther(lookup.lines, line - 1, wrote)) return false;
    if (!isChanged || !isSlip) {
      if (areSiblings(wrote, file, isProse)) return false;
      continue;
    }
    if (misread.some((word) => hasWord(lookup.source.text, word) || addsWord(oldLines, newLines, word))) return false;
  }
  const isTelling = ({ wrote, isSlip }: Difference) => wrote !== undefined && !isSlip && !isComment(wrote, "-");
  if (differences.some(isTelling) && hasKin(lookup, aligned)) return false;
  refuseLoss(differences);
  refuseMisreadWords(lookup, { oldLines, newLines }, aligned, differences);
  return !addsAtUnlikeEdge({ oldLines, newLines }, differences);
}

/** The file has another stretch of lines with the same marks in the same order: names and values tell them apart. */
function hasKin({ lines }: Lookup, { first, last }: Aligned): boolean {
  const shapes = numbersOf(lines.map(shapeOf));
  return sequenceOccurrences(shapes, shapes.slice(first, last + 1)).length > 1;
}

function shapeOf(line: string): string {
  return line.trim().replaceAll(QUOTED, '"').replaceAll(WORDS, "w").replaceAll(/\s+/g, " ");
}

const QUOTED = /(["'`])(?:\\.|(?!\1).)*\1/g;
const WORDS = /[\p{L}\p{N}_$]+/gu;

export function told({ wrote, file, line, isSlip }: Difference): string {
  if (wrote === undefined) return `Line ${line}: the old text lacks ${quote(file!.trim())}; it stays.`;
  if (file === undefined) return `After line ${line}: the file has no ${quote(wrote.trim())}; the line was left out.`;
  const what = isSlip ? "taken for a typo" : "the file's line stays";
  return `Line ${line}: the old text says ${quote(wrote.trim())}, the file ${quote(file.trim())}; ${what}.`;
}

/** A line that changes must be given as the file has it: what old text does not show would be lost unseen. */
function refuseLoss(differences: readonly Difference[]): void {
  for (const { wrote, file, line, isChanged, isSlip } of differences) {
    if (!isChanged || isSlip || wrote === undefined) continue;
    throw file === undefined ? changesUnseenLine(line, wrote) : rewritesLine(line, file, wrote);
  }
}

/** A name that old text has wrong in a line that stays would come into the file with the lines that are added. */
function refuseMisreadWords(
  { lines }: Lookup,
  { oldLines, newLines }: Lines,
  { first, last }: Aligned,
  differences: readonly Difference[],
): void {
  const known = new Set(lines.slice(first, last + 1).flatMap(wordsOf));
  for (const { wrote, file, line } of differences) {
    if (wrote === undefined || isComment(wrote, "-")) continue;
    for (const word of wordsOf(wrote)) {
      if (!known.has(word) && addsWord(oldLines, newLines, word)) throw writesMisreadWord(line, word, file);
    }
  }
}

/**
 * New lines would go beyond a first or last line that the file has otherwise: it may have that line in two, and the new
 * ones would come in between.
 */
function addsAtUnlikeEdge({ oldLines, newLines }: Lines, differences: readonly Difference[]): boolean {
  const added = diffLines(oldLines, newLines).filter(({ aStart, aEnd }) => aStart === aEnd);
  return differences.some(({ oldIndex, isSlip }) => {
    const outside = oldIndex === 0 ? 0 : oldIndex === oldLines.length - 1 ? oldLines.length : -1;
    return !isSlip && added.some(({ aStart }) => aStart === outside);
  });
}
