// Blocks that are built alike and differ in names and values only: those are what tells one from another.
import { diffLines } from "../diff/diff.ts";
import { indentOf } from "../text/indent.ts";
import { numbersOf, sequenceOccurrences } from "../text/occurrences.ts";
import type { Aligned } from "./compare/align.ts";
import type { Difference, Lines } from "./compare/differences.ts";
import type { Lookup } from "./compare/lookup.ts";
import { isBlankLine } from "./compare/normal.ts";
import { isComment } from "./levels/gap.ts";

/**
 * True when a line that differs may be the name of another block: the file has more of the same build.
 * In a list it does no harm, if the lines around the change are there once and to the letter.
 */
export function mayBeAnother(
  lookup: Lookup,
  lines: Lines,
  aligned: Aligned,
  differences: readonly Difference[],
): boolean {
  const telling = differences.filter(({ wrote, isSlip }) => wrote !== undefined && !isSlip && !isComment(wrote, "-"));
  if (telling.length === 0) return false;
  return hasKin(lookup, aligned) && !isPinnedList(lookup, lines, differences);
}

/** The file has another stretch of lines with the same marks in the same order. */
function hasKin({ lines }: Lookup, { first, last }: Aligned): boolean {
  const shapes = numbersOf(lines.map(shapeOf));
  return sequenceOccurrences(shapes, shapes.slice(first, last + 1)).length > 1;
}

function shapeOf(line: string): string {
  return line.trim().replaceAll(QUOTED, '"').replaceAll(WORDS, "w").replaceAll(/\s+/g, " ");
}

const QUOTED = /(["'`])(?:\\.|(?!\1).)*\1/g;
const WORDS = /[\p{L}\p{N}_$]+/gu;

/** Lines of one depth, of which those that go, or that new ones go between, are equal, and one of them is unique. */
function isPinnedList(lookup: Lookup, { oldLines, newLines }: Lines, differences: readonly Difference[]): boolean {
  const depths = new Set(oldLines.filter((line) => !isBlankLine(line)).map(indentOf));
  if (depths.size > 1) return false;
  const differing = new Set(differences.map(({ oldIndex }) => oldIndex));
  const ids = lookup.idsOf(oldLines);
  const isOnce = (index: number) => lookup.ids.indexOf(ids[index]!) === lookup.ids.lastIndexOf(ids[index]!);
  return diffLines(oldLines, newLines).every(({ aStart, aEnd }) => {
    const around = aStart === aEnd ? [aStart - 1, aStart] : Array.from({ length: aEnd - aStart }, (_, n) => aStart + n);
    const there = around.filter((index) => index >= 0 && index < oldLines.length);
    return there.every((index) => !differing.has(index)) && there.some(isOnce);
  });
}
