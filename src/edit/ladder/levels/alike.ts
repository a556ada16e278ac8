// Levels "spelling" and "fuzzy_block": lines of which most are equal, and the others differ in ways that do no harm.
// Needed by the trials typo_ctx, typo_minus and stale_ctx.

import { similarity } from "../../../core/similarity.ts";
import { diffLines, type Region } from "../../diff/diff.ts";
import { indentOf } from "../../text/indent.ts";
import { quote } from "../../text/visible.ts";
import type { Lookup } from "../compare/lookup.ts";
import { isBlankLine } from "../compare/normal.ts";
import { areSiblings, wordsOf } from "../compare/siblings.ts";
import { addsWord, hasWord, isPlainlyTransposed, type Slip, slipsBetween } from "../compare/slips.ts";
import { oneToOne, sameButBlanks, segmentsOf } from "../merge.ts";
import { type Place, type Wanted, weightOf, wholeLines } from "../place.ts";
import { rewritesLine } from "../refuse.ts";
import { CONTINUES_BLOCK } from "./elision.ts";
import { isComment } from "./gap.ts";
import { fitFor } from "./indentation.ts";

const MIN_LINES = 3;
const MIN_WEIGHT = 20;
const MIN_ALIKE_LINE = 0.5;
const MARGIN = 0.05;
const MAX_WINDOWS = 50;
const MAX_STEPS = 20_000_000;

/** A stretch of as many lines as old text has, and the old lines that it has otherwise. */
interface Window {
  readonly first: number;
  readonly differing: readonly number[];
}

/**
 * One word of one line is misspelt: letters changed places or were doubled. That is how a hand errs, not how names
 * differ, so no proof is needed. The word must be nowhere in the file, and no other window may resemble the old text.
 */
export function findMisspelt(lookup: Lookup, wanted: Wanted, seen: boolean): Place | undefined {
  const { oldLines, newLines } = wholeLines(wanted);
  if (!isEnough(oldLines)) return undefined;
  const rivals = nearWindows(lookup, oldLines, 2)?.filter(({ first, differing }) =>
    differing.every((at) => similarity(oldLines[at]!.trim(), lookup.lines[first + at]!.trim()) >= MIN_ALIKE_LINE),
  );
  const [window] = rivals ?? [];
  if (!window || rivals?.length !== 1 || window.differing.length !== 1) return undefined;
  const at = window.differing[0]!;
  const slips = slipsBetween(oldLines[at]!.trim(), lookup.lines[window.first + at]!.trim());
  const [slip] = slips ?? [];
  if (slips?.length !== 1 || !slip || !isHandSlip(slip, seen)) return undefined;
  if (hasWord(lookup.source.text, slip.wrote) || addsWord(oldLines, newLines, slip.wrote)) return undefined;
  const line = window.first + at + 1;
  const said = `the old text says ${quote(slip.wrote)}, the file ${quote(slip.file)}; taken for a typo`;
  return placeAt(lookup, wanted, window, [`Line ${line}: ${said}.`]);
}

/** Without proof of having seen the file, "filed" may be meant where it has "filled". */
function isHandSlip(slip: Slip, seen: boolean): boolean {
  return isPlainlyTransposed(slip) || (seen && (slip.kind === "transposed" || slip.kind === "doubled"));
}

/**
 * For callers who have proven that they saw these very bytes. Similarity proposes, it does not decide: at least half of
 * the lines must be equal, the runner-up must be clearly less alike, and each line that differs must do no harm.
 */
export function findFuzzy(lookup: Lookup, wanted: Wanted, threshold: number): Place | undefined {
  const { oldLines } = wholeLines(wanted);
  if (!isEnough(oldLines)) return undefined;
  const windows = nearWindows(lookup, oldLines, Math.floor((oldLines.length * 3) / 4)) ?? [];
  if (windows.length > MAX_WINDOWS) return undefined;
  const old = unindented(oldLines);
  const [best, second] = windows
    .map((window) => ({ window, similarity: similarity(old, unindented(linesIn(lookup, window, oldLines.length))) }))
    .sort((a, b) => b.similarity - a.similarity);
  if (!best || best.similarity < threshold || best.similarity - (second?.similarity ?? 0) < MARGIN) return undefined;
  const { first, differing } = best.window;
  if (2 * differing.length > oldLines.length) return undefined;
  if (weightOf(oldLines.filter((_, at) => !differing.includes(at))) < MIN_WEIGHT) return undefined;
  if (!oldLines.every((_, at) => isHarmless(lookup, wanted, at, first + at))) return undefined;
  const warnings = differing.map((at) => {
    const [wrote, file] = [oldLines[at]!.trim(), lookup.lines[first + at]!.trim()];
    const what = slipsBetween(wrote, file) === undefined ? "the file's line stays" : "taken for a typo";
    return `Line ${first + at + 1}: the old text says ${quote(wrote)}, the file ${quote(file)}; ${what}.`;
  });
  return placeAt(lookup, wanted, best.window, warnings);
}

/** False when the line may tell this place from the one that is meant. Refuses where text not shown would be lost. */
function isHarmless(lookup: Lookup, wanted: Wanted, at: number, line: number): boolean {
  const { oldLines, newLines } = wholeLines(wanted);
  const [wrote, file] = [oldLines[at]!, lookup.lines[line]!];
  const regions = diffLines(oldLines, newLines);
  const isChanged = regions.some(({ aStart, aEnd }) => aStart <= at && at < aEnd);
  const [id] = lookup.idsOf([wrote]);
  if (id === lookup.ids[line]) {
    if (isChanged && !sameButBlanks(file, wrote)) throw rewritesLine(line + 1, file, wrote);
    return true;
  }
  // A line that the file has elsewhere was not imagined: the place beside that one may be meant.
  if (isBlankLine(wrote) || isBlankLine(file) || id! >= 0) return false;
  const slips = slipsBetween(wrote.trim(), file.trim());
  if (isChanged && slips === undefined) throw rewritesLine(line + 1, file, wrote);
  const words = (slips ?? []).filter((slip) => slip.kind !== "marks");
  if (isChanged) {
    return words.every((slip) => !hasWord(lookup.source.text, slip.wrote) && !addsWord(oldLines, newLines, slip.wrote));
  }
  if (areSiblings(wrote, file, isComment(wrote, "-"))) return false;
  const misread = wordsOf(wrote).filter((word) => !hasWord(lookup.source.text, word));
  if (misread.some((word) => addsWord(oldLines, newLines, word))) return false;
  // Letters that changed places make no other name, unless the file has that one too.
  const isTypo = (slip: Slip) => isPlainlyTransposed(slip) && !hasWord(lookup.source.text, slip.wrote);
  return (slips !== undefined && words.every(isTypo)) || !heads(oldLines, at, regions);
}

/** True when line `at` may say what a change below it belongs to: it opens a block or a paragraph, or ends the old text. */
function heads(lines: readonly string[], at: number, regions: readonly Region[]): boolean {
  const changesIn = (end: number) => regions.some(({ aStart }) => at < aStart && aStart <= end);
  if (at > 0 && !changesIn(lines.length)) return false;
  const isEdge = at === 0 || at === lines.length - 1 || isBlankLine(lines[at - 1]!);
  return changesIn(endOfBlock(lines, at)) || (isEdge && !/^\s*\/[/*]/.test(lines[at]!));
}

/** The last of the deeper lines below line `at` and what continues them; `at` where it opens no block. */
function endOfBlock(lines: readonly string[], at: number): number {
  const depth = indentOf(lines[at]!).length;
  let end = at;
  for (let n = at + 1; n < lines.length; n++) {
    if (isBlankLine(lines[n]!)) continue;
    if (indentOf(lines[n]!).length <= depth && !(n > at + 1 && CONTINUES_BLOCK.test(lines[n]!.trim()))) break;
    end = n;
  }
  return end;
}

export function opensBlock(lines: readonly string[], at: number): boolean {
  return endOfBlock(lines, at) > at;
}

/** New lines are indented like the lines that are equal. */
function placeAt(lookup: Lookup, wanted: Wanted, { first, differing }: Window, warnings: readonly string[]): Place {
  const { oldLines, newLines } = wholeLines(wanted);
  const segments = segmentsOf(lookup.source, first, first + oldLines.length - 1);
  const equal = <T>(all: readonly T[]) => all.filter((_, at) => !differing.includes(at));
  const fit = fitFor({
    source: lookup.source,
    segments: equal(segments),
    oldLines: equal(oldLines),
    newLines,
    first,
  });
  const there = segments.map(({ text }) => text);
  return {
    alignment: oneToOne(segments),
    change: { oldLines, newLines, fit },
    similarity: similarity(unindented(oldLines), unindented(there)),
    warnings,
  };
}

function isEnough(lines: readonly string[]): boolean {
  return lines.filter((line) => !isBlankLine(line)).length >= MIN_LINES && weightOf(lines) >= MIN_WEIGHT;
}

/** Windows with at most `max` differing lines; undefined when there is too much to look at. */
function nearWindows({ ids, idsOf }: Lookup, oldLines: readonly string[], max: number): Window[] | undefined {
  const old = idsOf(oldLines);
  const windows: Window[] = [];
  let steps = MAX_STEPS;
  for (let first = 0; first + old.length <= ids.length; first++) {
    const differing: number[] = [];
    let at = 0;
    for (; at < old.length && differing.length <= max; at++) if (ids[first + at] !== old[at]) differing.push(at);
    steps -= at;
    if (steps < 0) return undefined;
    if (differing.length <= max) windows.push({ first, differing });
  }
  return windows;
}

function linesIn({ lines }: Lookup, { first }: Window, count: number): readonly string[] {
  return lines.slice(first, first + count);
}

function unindented(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).join("\n");
}
