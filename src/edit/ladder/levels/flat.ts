// Old and new text without any indentation: lines that stay keep the file's, and new ones get it where it can be known.
import { diffLines, type Region } from "../../diff/diff.ts";
import { indentOf, indentWidth, OPENS } from "../../text/indent.ts";
import { isBlankLine } from "../compare/normal.ts";
import type { LineChange, Segment } from "../merge.ts";
import { weightOf } from "../place.ts";

// A few brackets without indentation are not recognised by what they say.
const LEAST_WEIGHT = 20;

interface FlatBlock {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly segments: readonly Segment[];
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
    const indents = lineForLine(block, region) ?? (block.isMarked ? byNeighbours(block, region) : undefined);
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

/** As many lines as go, each built like the one whose place it takes. */
function lineForLine({ oldLines, newLines, segments }: FlatBlock, region: Region): string[] | undefined {
  const { aStart, aEnd, bStart, bEnd } = region;
  if (aEnd - aStart !== bEnd - bStart) return undefined;
  const indents = segments.slice(aStart, aEnd).map(({ text }) => indentOf(text));
  const alike = indents.every((_, n) => shapeOf(oldLines[aStart + n]!) === shapeOf(newLines[bStart + n]!));
  return alike ? indents : undefined;
}

/** The line before and the line after must agree on the level, brackets in between counted. */
function byNeighbours(block: FlatBlock, { aStart, aEnd, bStart, bEnd }: Region): string[] | undefined {
  const { segments, newLines, unit } = block;
  const texts = segments.map(({ text }) => text);
  const before = texts.slice(0, aStart).findLast((line) => !isBlankLine(line)) ?? block.before;
  const after = texts.slice(aEnd).find((line) => !isBlankLine(line)) ?? block.after;
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
