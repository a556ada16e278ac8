// Old and new text without any indentation: lines that stay keep the file's, and new ones get it where it can be known.

import type { Refusal } from "../../../core/failure.ts";
import { similarity } from "../../../core/similarity.ts";
import { diffLines, type Region } from "../../diff/diff.ts";
import { indentOf, indentWidth, OPENS } from "../../text/indent.ts";
import { quote } from "../../text/visible.ts";
import { isBlankLine } from "../compare/normal.ts";
import type { LineChange, Segment } from "../merge.ts";
import { weightOf } from "../place.ts";
import { lineRange, refusalAt } from "../refuse.ts";

// A few brackets without indentation are not recognised by what they say.
const LEAST_WEIGHT = 20;
const ALIKE = 0.5;

interface FlatBlock {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly segments: readonly Segment[];
  /** Index of the first. */
  readonly first: number;
  /** The file's nearest lines before and after the block. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** By how much the file indents a block. */
  readonly unit: string | undefined;
  /** What opens a block ends in a bracket or a colon: else any line may be deeper than the one before. */
  readonly isMarked: boolean;
}

/** True when all lines are indented alike, or not at all, and the file's are not, or new ones should not be. */
export function isFlat({
  oldLines,
  newLines,
  segments,
}: Pick<FlatBlock, "oldLines" | "newLines" | "segments">): boolean {
  const [wrote, ...more] = indentsOf(oldLines);
  if (wrote === undefined || more.length > 0 || weightOf(oldLines) < LEAST_WEIGHT) return false;
  const [file, ...others] = indentsOf(segments.map(({ text }) => text));
  if (others.length > 0) return true;
  // Indented further than the file, nothing was lost.
  if (indentWidth(wrote) >= indentWidth(file!)) return false;
  return (
    indentsOf([...oldLines, ...newLines]).size === 1 && newLines.slice(0, -1).some((line) => BRACKET_OPENS.test(line))
  );
}

/** Speaks for the lines that the edit adds or rewrites, by their index in the new text. */
export function flatFit(block: FlatBlock): LineChange["fit"] {
  const { oldLines, newLines } = block;
  const flat = indentOf(oldLines.find((line) => !isBlankLine(line))!);
  const fitted = new Map<number, string>();
  // Of lines of one depth that close more than they open, it cannot be said what they close.
  const isUnsure = indentsOf(block.segments.map(({ text }) => text)).size === 1 && closesMore(newLines);
  for (const region of diffLines(oldLines, newLines)) {
    const added = newLines.slice(region.bStart, region.bEnd);
    if (isUnsure || added.some((line) => !isBlankLine(line) && indentOf(line) !== flat)) continue;
    const around = aroundOf(block, region);
    const alike = lineForLine(block, region, around);
    if (alike === undefined && opensRest(around)) throw unsureDepth(block, around);
    const indents = alike ?? (block.isMarked ? byNeighbours(block, region, around) : undefined);
    indents?.forEach((indent, n) => {
      fitted.set(region.bStart + n, indent + added[n]!.slice(flat.length));
    });
  }
  return (line, index) => (isBlankLine(line) ? line : fitted.get(index));
}

function indentsOf(lines: readonly string[]): Set<string> {
  return new Set(lines.filter((line) => !isBlankLine(line)).map(indentOf));
}

/** True when new lines close a block that stands before them, open one for the file's lines behind them, or begin a literal. */
export function crossesBlocks(oldText: string, newLines: readonly string[]): boolean {
  const last = newLines.findLast((line) => !isBlankLine(line)) ?? "";
  return closesMore(newLines) || (OPENS.test(last) && !OPENS.test(oldText)) || newLines.some(opensLiteral);
}

/** The next lines may be the content of a string or a here-document: indenting them would change it. */
function opensLiteral(line: string): boolean {
  return /<<[-~]?["']?[A-Za-z_]/.test(line) || ["`", '"""', "'''"].some((quote) => line.split(quote).length % 2 === 0);
}

function closesMore(lines: readonly string[]): boolean {
  let depth = 0;
  return lines.some((line) => {
    if (CLOSES.test(line)) depth--;
    const isBelow = depth < 0;
    if (BRACKET_OPENS.test(line)) depth++;
    return isBelow;
  });
}

function unsureDepth({ first, segments }: FlatBlock, { after = "" }: Around): Refusal {
  const why = `The old text has no indentation, and a line goes that opens the block of ${quote(after.trim())}: how deep that belongs then cannot be said.`;
  const next = `Read from line ${first + 1} and copy the file's indentation into old and new text.`;
  return refusalAt("indent_inconsistent", lineRange(first, segments.length), why, next);
}

interface Around {
  /** The file's lines that go. */
  readonly gone: readonly string[];
  /** Its nearest lines that stay. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function aroundOf({ segments, before, after }: FlatBlock, { aStart, aEnd }: Region): Around {
  const texts = segments.map(({ text }) => text);
  return {
    gone: texts.slice(aStart, aEnd),
    before: texts.slice(0, aStart).findLast((line) => !isBlankLine(line)) ?? before,
    after: texts.slice(aEnd).find((line) => !isBlankLine(line)) ?? after,
  };
}

/** A line that goes has opened, without a bracket, the block of the next one that stays: that would come into another. */
function opensRest({ gone, after = "" }: Around): boolean {
  const depth = indentOf(after).length;
  return gone.some((line) => !isBlankLine(line) && indentOf(line).length < depth && !BRACKET_OPENS.test(line));
}

/** As many lines as go, each built like the one whose place it takes, and much like it where depths differ around it. */
function lineForLine({ oldLines, newLines }: FlatBlock, region: Region, around: Around): string[] | undefined {
  const { gone, before = "", after = "" } = around;
  const next = newLines.slice(region.bStart, region.bEnd);
  if (gone.length !== next.length) return undefined;
  const isLevel = indentsOf([before, ...gone, after]).size === 1;
  const isOfKind = next.every((line, n) => {
    const wrote = oldLines[region.aStart + n]!;
    return shapeOf(wrote) === shapeOf(line) && (isLevel || similarity(wrote.trim(), line.trim()) >= ALIKE);
  });
  return isOfKind ? gone.map(indentOf) : undefined;
}

/** The line before and the line after must agree on the level, brackets in between counted. */
function byNeighbours(
  { newLines, unit }: FlatBlock,
  { bStart, bEnd }: Region,
  { before, after }: Around,
): string[] | undefined {
  if (before === undefined || after === undefined) return undefined;
  const deeper = (indent: string) => (unit === undefined ? undefined : indent + unit);
  const indents: string[] = [];
  let level: string | undefined = OPENS.test(before) ? deeper(indentOf(before)) : indentOf(before);
  for (const line of newLines.slice(bStart, bEnd)) {
    if (isBlankLine(line)) {
      indents.push("");
      continue;
    }
    if (level === undefined || leavesOpen(line.trim())) return undefined;
    if (CLOSES.test(line))
      level = unit !== undefined && level.endsWith(unit) ? level.slice(0, -unit.length) : undefined;
    if (level === undefined) return undefined;
    indents.push(level);
    if (BRACKET_OPENS.test(line)) level = deeper(level);
  }
  const goesOn = CLOSES.test(after) ? deeper(indentOf(after)) : indentOf(after);
  return level !== undefined && level === goesOn ? indents : undefined;
}

const BRACKET_OPENS = /[{([]\s*$/;
export const CLOSES = /^\s*[\])}]/;

/** How deep the next line is, or this one, no bracket says: blocks by indentation, continued lines, tags. */
function leavesOpen(line: string): boolean {
  return UNSETTLED_START.test(line) || UNSETTLED_END.test(line) || BRACELESS.test(line);
}

// `n++` and `--n` are whole lines.
const UNSETTLED_START = /^(?!\+\+|--)(?:[.?:&|+*<=>#@-]|(?:case|default|else|elif|except|finally|when|end)\b)/;
const UNSETTLED_END = /(?:[=+*/&|?:<>\\.-]|\b(?:do|then|begin|else|and|or|in|of|return|is))(?<!\+\+|--)$/;
const BRACELESS = /^(?:if|for|while|foreach|using|with|lock)\b.*\)$/;

function shapeOf(line: string): string {
  const text = line.trim();
  return [OPENS, BRACKET_OPENS, CLOSES, UNSETTLED_START, UNSETTLED_END, BRACELESS]
    .map((shape) => shape.test(text))
    .join();
}
