// Level: whole lines that differ in indentation only, by one rule that holds for all of them.

import { linesBetween } from "../../../core/counted.ts";
import {
  type IndentPair,
  type IndentRule,
  indentOf,
  indentRule,
  indentWidth,
  isStepsFrom,
  marksLevels,
  OPENS,
  unitOf,
  unitRule,
} from "../../text/indent.ts";
import { sequenceOccurrences } from "../../text/occurrences.ts";
import { linesOf, type Source } from "../../text/source.ts";
import { lineList, sideBySide } from "../../text/visible.ts";
import { findLines, type Lookup } from "../compare/lookup.ts";
import { isBlankLine, type Tolerance } from "../compare/normal.ts";
import { type LineChange, oneToOne, type Segment, segmentsOf } from "../merge.ts";
import { type Place, type Wanted, wholeLines } from "../place.ts";
import { lineRange, refusalAt } from "../refuse.ts";
import { type ExactFind, isIndented } from "./exact.ts";
import { CLOSES, crossesBlocks, flatFit, isFlat } from "./flat.ts";

const UNINDENTED: Tolerance = { leading: true, trailing: true, unicode: true };

/** First line indices at which the lines stand. */
export function findIndented(lookup: Lookup, wanted: Wanted): number[] {
  const { oldLines } = wholeLines(wanted);
  const anyRuns = sequenceOccurrences(lookup.ids, lookup.idsOf(oldLines));
  if (anyRuns.length < 2) return anyRuns;
  const sameRuns = findLines(lookup, oldLines, UNINDENTED);
  return sameRuns.length > 0 ? sameRuns : anyRuns;
}

/** The place at line index `first`; refuses when no single rule explains the indentation of its lines. */
export function indentedPlace(source: Source, wanted: Wanted, first: number): Place {
  const { oldLines, newLines } = wholeLines(wanted);
  const segments = segmentsOf(source, first, first + oldLines.length - 1);
  refuseCorrectedIndentation(segments, oldLines, newLines, first);
  const alignment = oneToOne(segments);
  if (!isFlat({ oldLines, newLines, segments })) {
    return {
      alignment,
      change: { oldLines, newLines, fit: fitFor({ source, segments, oldLines, newLines, first }) },
    };
  }
  const before = nextInked(source, first - 1, -1);
  const after = nextInked(source, first + segments.length, 1);
  const fit = flatFit({ oldLines, newLines, segments, first, before, after, ...layoutOf(source) });
  return { alignment, change: { oldLines, newLines, fit, isFlat: true } };
}

/**
 * True when further new lines are indented from column 0 on, and not as the file is: as they are, they would be no deeper
 * than the line that opens their block, or end a block that goes on behind them.
 */
export function isRelative(source: Source, { spans }: ExactFind, { oldText, newText }: Wanted): boolean {
  const lines = newText.split("\n").filter((line) => !isBlankLine(line));
  const [first = "", ...rest] = lines;
  if (/^\s|\n(?=.|\n)/.test(oldText) || indentOf(first) !== "" || rest.length === 0) return false;
  if (crossesBlocks(oldText, lines) || !rest.every((line, n) => isNested(lines[n]!, line))) return false;
  const level = rest.filter((line) => indentOf(line) === "");
  const opens = OPENS.test(first) && (level.length > 0 || !isAsDeep(first, rest));
  const given = indentWidth(indentOf(rest[0]!));
  return spans.every((span) => {
    const at = source.lineAt(span.start);
    const depth = indentWidth(indentOf(source.lines[at]!.text));
    if (!isIndented(source, span)) return false;
    if (given < depth ? OPENS.test(first) : given === depth && opens) return true;
    const after = nextInked(source, at + 1, 1);
    if (after === undefined || level.length === 0 || level.some((line) => DECLARED.test(line))) return false;
    return indentWidth(indentOf(after)) >= depth || CLOSES.test(after);
  });
}

/** Written as the file is: a bracket that is closed there, or more keys with nothing in them, or cases. */
function isAsDeep(first: string, rest: readonly string[]): boolean {
  if (!/:\s*$/.test(first)) return CLOSES.test(rest.at(-1)!);
  if (CASE.test(first) && CASE.test(rest[0]!)) return true;
  return rest.every((line) => OPENS.test(line) && indentOf(line) === indentOf(rest[0]!));
}

const DECLARED =
  /\b(?:function\*?|def|class|fn|func|fun|interface|type|struct|enum|trait|impl|module|namespace|sub|proc|describe|it|test)[\s(]+["'`]?([\p{L}\p{N}_$]+)/u;
const CASE = /^\s*(?:case|default)\b/;

function isNested(above: string, line: string): boolean {
  return OPENS.test(above) || indentOf(line).length <= indentOf(above).length;
}

function nextInked({ lines }: Source, from: number, step: 1 | -1): string | undefined {
  let at = from;
  while (at >= 0 && at < lines.length && isBlankLine(lines[at]!.text)) at += step;
  return lines[at]?.text;
}

interface Layout {
  readonly unit: string | undefined;
  readonly isMarked: boolean;
  /** Of the lines that are not blank. */
  readonly indents: ReadonlySet<string>;
  readonly longest: number;
}

/** Of the whole file, so it is told once for all places. */
function layoutOf(source: Source): Layout {
  const known = layouts.get(source);
  if (known !== undefined) return known;
  const texts = source.lines.map(({ text }) => text);
  const indents = new Set(texts.flatMap((text) => (isBlankLine(text) ? [] : [indentOf(text)])));
  const longest = [...indents].reduce((most, { length }) => Math.max(most, length), -1);
  const layout = { unit: unitOf(texts), isMarked: marksLevels(texts), indents, longest };
  layouts.set(source, layout);
  return layout;
}

const layouts = new WeakMap<Source, Layout>();

interface Reindented {
  readonly source: Source;
  readonly segments: readonly Segment[];
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly first: number;
}

/** How added lines are indented next to `segments`, which are `oldLines` but for their indentation. */
export function fitFor({ source, segments, oldLines, newLines, first }: Reindented): LineChange["fit"] {
  const inked = oldLines.flatMap((line, index) => (isBlankLine(line) ? [] : [index]));
  const pairs = inked.map((index) => ({ wrote: indentOf(oldLines[index]!), file: indentOf(segments[index]!.text) }));
  const units = unitsOf(source, pairs, [...oldLines, ...newLines]);
  const rule = ruleByUnits(pairs, units) ?? indentRule(pairs, inked[0] === 0);
  const odd = pairs.findIndex(({ wrote, file }) => wrote !== file);
  if (!rule) {
    const at = inked[Math.max(odd, 0)]!;
    throw refusalAt(
      "indent_inconsistent",
      lineRange(first, segments.length),
      `The old text matches ${linesBetween(first + 1, first + segments.length)} but for its indentation, and no single shift explains that. Line ${first + at + 1}: ${sideBySide(segments[at]!.text, oldLines[at]!)}.`,
      `Read ${linesBetween(first + 1, first + segments.length)} and copy the indentation exactly.`,
    );
  }
  return (line, index) => {
    if (isBlankLine(line)) return line;
    const indent = indentOf(line);
    const fitted = units !== undefined && isInUnindentedBlock(newLines, index) ? undefined : rule(indent, index);
    if (fitted === undefined || !isLevel(source, pairs, units, indent, fitted)) return undefined;
    return fitted + line.slice(indent.length);
  };
}

interface Units {
  readonly wrote: string | undefined;
  readonly file: string | undefined;
}

/** The steps of old and new text and those of the file; nothing where old text is indented like the file. */
function unitsOf(source: Source, pairs: readonly IndentPair[], written: readonly string[]): Units | undefined {
  if (pairs.every(({ wrote, file }) => wrote === file)) return undefined;
  return { wrote: unitOf(written), file: layoutOf(source).unit };
}

/** For lines of one depth that old text gives another, in a text that is indented by other steps than the file. */
function ruleByUnits(pairs: readonly IndentPair[], units: Units | undefined): IndentRule | undefined {
  if (!hasOneDepth(pairs) || !units?.wrote || !units.file || units.wrote === units.file) return undefined;
  return unitRule(pairs[0]!, units.wrote, units.file);
}

/** False where a depth that old text does not have would be guessed: the file has none like it. */
function isLevel(
  source: Source,
  pairs: readonly IndentPair[],
  units: Units | undefined,
  indent: string,
  fitted: string,
): boolean {
  if (units === undefined || pairs.some(({ wrote }) => wrote === indent)) return true;
  const { file } = units;
  if (file !== undefined) return pairs.some((pair) => isStepsFrom(pair.file, fitted, file));
  const { indents, longest } = layoutOf(source);
  return indents.has(fitted) || longest < fitted.length;
}

/** Behind `if x:` and no deeper: the text may have lost its indentation there. */
function isInUnindentedBlock(lines: readonly string[], index: number): boolean {
  const line = lines[index];
  let above = Math.min(index, lines.length) - 1;
  while (above >= 0 && isBlankLine(lines[above]!)) above -= 1;
  const opener = lines[above];
  if (line === undefined || opener === undefined || !/:\s*$/.test(opener)) return false;
  return indentOf(line).length <= indentOf(opener).length && !/^\s*(?:-\s|case\b|default\b)/.test(line);
}

function hasOneDepth(pairs: readonly IndentPair[]): boolean {
  return pairs.every(({ wrote, file }) => wrote === pairs[0]!.wrote && file === pairs[0]!.file);
}

/** Old text is there to the letter, but starts within the indentation and is not made of whole lines. */
export function refuseIndentedPart(source: Source, { spans }: ExactFind): never {
  const [first] = spans;
  const range = linesOf(source, first!.start, first!.end);
  throw refusalAt(
    "indent_inconsistent",
    range,
    `The old text starts within the indentation of line ${range.startLine}, so the new lines would be indented less than that line.`,
    `Read ${lineList([range])} and copy its whole indentation.`,
  );
}

/** New text that has the file's indentation where old text has another: shifting it would shift it twice. */
function refuseCorrectedIndentation(
  segments: readonly Segment[],
  oldLines: readonly string[],
  newLines: readonly string[],
  first: number,
): void {
  const [wrote, wants, has] = [oldLines, newLines, segments.map((segment) => segment.text)].map(leastIndent);
  if (wants === undefined || wrote === has || wrote === wants || wants !== has) return;
  const why = `The old text matches ${linesBetween(first + 1, first + segments.length)} with other indentation, but the new text is indented like the file.`;
  const next = "Indent old and new text alike, as the file is.";
  throw refusalAt("indent_inconsistent", lineRange(first, segments.length), why, next);
}

function leastIndent(lines: readonly string[]): number | undefined {
  return lines
    .filter((line) => !isBlankLine(line))
    .map((line) => indentWidth(indentOf(line)))
    .reduce<number | undefined>(
      (least, columns) => (least === undefined ? columns : Math.min(least, columns)),
      undefined,
    );
}
