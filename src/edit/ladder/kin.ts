// Blocks that are built alike and differ in names and values only: those are what tells one from another.

import { diffLines } from "../diff.ts";
import { indentOf } from "../indent.ts";
import { sequenceOccurrences } from "../occurrences.ts";
import type { Aligned } from "./align.ts";
import type { Difference, Lines } from "./differences.ts";
import { isComment } from "./gap.ts";
import type { Lookup } from "./lookup.ts";
import { isBlankLine } from "./normal.ts";

/**
 * True when a line that differs may be the name of another block: it opens one, or the file has more of the same build.
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
  if (telling.some(({ oldIndex, file }) => opensOther(lines.oldLines, oldIndex!, file ?? ""))) return true;
  return hasKin(lookup, aligned) && !isPinnedList(lookup, lines, differences);
}

/** Before deeper lines, with another name, and no statement that only steers: a rule, a table, a test, a section. */
function opensOther(oldLines: readonly string[], index: number, file: string): boolean {
  const line = oldLines[index]!;
  const next = oldLines.slice(index + 1).find((each) => !isBlankLine(each));
  if (next === undefined || indentOf(next).length <= indentOf(line).length) return false;
  return OPENS.test(line) && OPENS.test(file) && !STEERS.test(line) && nameIn(line) !== nameIn(file);
}

/** What stands before the arguments, and the first text among them. */
function nameIn(line: string): string {
  return `${line.split("(")[0]!.trim()} ${line.match(QUOTED)?.[0] ?? ""}`;
}

const OPENS = /[{([:]\s*$/;
const STEERS =
  /^\s*[})\]]*\s*(?:(?:async\s+)?for|foreach|if|elif|else|while|until|unless|switch|match|case|when|try|catch|except|finally|do|loop|with|using|return|await|yield|throw|raise)\b/;

/** The file has another stretch of lines with the same marks in the same order. */
function hasKin({ lines }: Lookup, { first, last }: Aligned): boolean {
  const known = new Map<string, number>();
  const shapes = Int32Array.from(lines, (line) => {
    const shape = shapeOf(line);
    if (!known.has(shape)) known.set(shape, known.size);
    return known.get(shape)!;
  });
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
