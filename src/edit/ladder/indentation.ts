// Level "indentation": whole lines that differ in indentation only, by one rule for all of them.
import { refuse } from "../../words/index.ts";
import { CLOSES_BLOCK, indentOf, isBlankLine, OPENS_BLOCK } from "../text/blocks.ts";
import { sequenceOccurrences } from "../text/occurrences.ts";
import { lineRange, linesOf, type Source } from "../text/source.ts";
import type { Lookup } from "./compare.ts";
import { type ExactFind, isIndented } from "./exact.ts";
import { crossesBlocks, type IndentPair, indentRule, indentWidth, isStepsFrom, unitOf, unitRule } from "./indent.ts";
import { type LineChange, oneToOne, refuseIndentation, type Segment, segmentsOf } from "./merge.ts";
import { type Place, type Wanted, wholeLines } from "./place.ts";

/** Finds the line indices at which old text starts, indentation aside. */
export function findIndented(lookup: Lookup, wanted: Wanted): number[] {
  return sequenceOccurrences(lookup.ids, lookup.idsOf(wholeLines(wanted).oldLines));
}

/** Makes the place at line index `first`. Refuses when no single rule explains its indentation. */
export function indentedPlace(source: Source, wanted: Wanted, first: number): Place {
  const { oldLines, newLines } = wholeLines(wanted);
  const segments = segmentsOf(source, first, first + oldLines.length - 1);
  const [wrote, wants, has] = [oldLines, newLines, segments.map(({ text }) => text)].map(minIndent);
  if (wrote !== has && wants === has) {
    // New text is already indented like the file: shifting would indent it twice.
    throw refuse("indentation_of_old_text_only", lineRange(first, segments.length));
  }
  // If all lines have one depth and a new line opens a block, the lines behind it may have lost their indentation.
  const depths = new Set([...oldLines, ...newLines].filter((line) => !isBlankLine(line)).map(indentOf));
  const opens = (lines: readonly string[]) => lines.filter((line) => OPENS_BLOCK.test(line)).length;
  if (wrote !== has && depths.size === 1 && opens(newLines) > opens(oldLines)) {
    refuseIndentation(source, segments, newLines.find((line) => OPENS_BLOCK.test(line))!);
  }
  const fit = lineForLine(segments, oldLines, newLines) ?? fitFor(source, segments, oldLines, newLines, first);
  return { alignment: oneToOne(segments), change: { oldLines, newLines, fit } };
}

const BLANK = /^\s*$/;

/** Handles text that lost all indentation: if its lines open and close the same blocks, each takes its line's. */
function lineForLine(
  segments: readonly Segment[],
  oldLines: readonly string[],
  newLines: readonly string[],
): LineChange["fit"] | undefined {
  const isFlat = [...oldLines, ...newLines].every((line) => indentOf(line) === "");
  const isAlike = newLines.every((line, at) =>
    [OPENS_BLOCK, CLOSES_BLOCK, BLANK].every((mark) => mark.test(line) === mark.test(oldLines[at] ?? "")),
  );
  if (!isFlat || !isAlike || oldLines.length !== newLines.length) return undefined;
  return (line, index) => (isBlankLine(line) ? line : indentOf(segments[index]!.text) + line);
}

/**
 * True when the new lines after the first are indented from column 0 on. Written as given, they would be no deeper than
 * the line that opens their block, or would end a block that continues behind them.
 */
export function isRelative(source: Source, { spans }: ExactFind, { oldText, newText }: Wanted): boolean {
  const lines = newText.split("\n").filter((line) => !isBlankLine(line));
  const [first = "", ...rest] = lines;
  if (/^\s|\n(?=.|\n)/.test(oldText) || indentOf(first) !== "" || rest.length === 0) return false;
  if (crossesBlocks(oldText, lines) || !rest.every((line, n) => isNested(lines[n]!, line))) return false;
  const level = rest.filter((line) => indentOf(line) === "");
  const opens = OPENS_BLOCK.test(first) && (level.length > 0 || !isAsDeep(first, rest));
  const given = indentWidth(indentOf(rest[0]!));
  return spans.every((span) => {
    const at = source.lineAt(span.start);
    const depth = indentWidth(indentOf(source.lines[at]!.text));
    if (!isIndented(source, span)) return false;
    if (given < depth ? OPENS_BLOCK.test(first) : given === depth && opens) return true;
    const after = source.lines.slice(at + 1).find(({ text }) => !isBlankLine(text))?.text;
    if (after === undefined || level.length === 0 || level.some((line) => DECLARED.test(line))) return false;
    return indentWidth(indentOf(after)) >= depth || CLOSES_BLOCK.test(after);
  });
}

/** True when the new lines are indented like the file: a closed bracket, keys without content, or cases. */
function isAsDeep(first: string, rest: readonly string[]): boolean {
  if (!/:\s*$/.test(first)) return CLOSES_BLOCK.test(rest.at(-1)!);
  if (CASE.test(first) && CASE.test(rest[0]!)) return true;
  return rest.every((line) => OPENS_BLOCK.test(line) && indentOf(line) === indentOf(rest[0]!));
}

const DECLARED =
  /\b(?:function\*?|def|class|fn|func|fun|interface|type|struct|enum|trait|impl|module|namespace|sub|proc|describe|it|test)[\s(]+["'`]?([\p{L}\p{N}_$]+)/u;
const CASE = /^\s*(?:case|default)\b/;

function isNested(above: string, line: string): boolean {
  return OPENS_BLOCK.test(above) || indentOf(line).length <= indentOf(above).length;
}

/** Makes the rule that indents new lines like `segments`, which are `oldLines` with other indentation. */
export function fitFor(
  source: Source,
  segments: readonly Segment[],
  oldLines: readonly string[],
  newLines: readonly string[],
  first: number,
): LineChange["fit"] {
  const filled = oldLines.flatMap((line, index) => (isBlankLine(line) ? [] : [index]));
  const pairs = filled.map((index) => ({ wrote: indentOf(oldLines[index]!), file: indentOf(segments[index]!.text) }));
  const isShifted = pairs.some(({ wrote, file }) => wrote !== file);
  const unit = isShifted ? unitOf(source.lines.map(({ text }) => text)) : undefined;
  const rule = stepRule(pairs, unitOf([...oldLines, ...newLines]), unit) ?? indentRule(pairs, filled[0] === 0);
  const odd = pairs.findIndex(({ wrote, file }) => wrote !== file);
  if (!rule) {
    const at = filled[Math.max(odd, 0)]!;
    const sides = { line: first + at + 1, file: segments[at]!.text, wrote: oldLines[at]! };
    throw refuse("indentation_has_no_rule", { ...lineRange(first, segments.length), ...sides });
  }
  return (line, index) => {
    if (isBlankLine(line)) return line;
    const indent = indentOf(line);
    const fitted = rule(indent, index);
    if (fitted === undefined) return undefined;
    const isShown = !isShifted || pairs.some(({ wrote }) => wrote === indent);
    return isShown || isDepth(fitted) ? fitted + line.slice(indent.length) : undefined;
  };

  /** A depth that old text does not show must be whole steps from one that it shows, or be plausible in the file. */
  function isDepth(fitted: string): boolean {
    if (unit !== undefined) return pairs.some(({ file }) => isStepsFrom(file, fitted, unit));
    const depths = source.lines.map(({ text }) => indentOf(text));
    return depths.includes(fitted) || depths.every(({ length }) => length < fitted.length);
  }
}

/** Makes the rule for lines of one depth in old text that is indented by another unit than the file. */
function stepRule(pairs: readonly IndentPair[], wrote: string | undefined, file: string | undefined) {
  const isOneDepth = pairs.every((pair) => pair.wrote === pairs[0]!.wrote && pair.file === pairs[0]!.file);
  return isOneDepth && wrote && file && wrote !== file ? unitRule(pairs[0]!, wrote, file) : undefined;
}

/** Refuses exact old text that starts within the indentation and is not made of whole lines. */
export function refuseIndentedPart(source: Source, { spans }: ExactFind): never {
  const [first] = spans;
  throw refuse("indentation_is_cut", linesOf(source, first!.start, first!.end));
}

function minIndent(lines: readonly string[]): number {
  return Math.min(...lines.filter((line) => !isBlankLine(line)).map((line) => indentWidth(indentOf(line))));
}
