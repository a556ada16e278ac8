// Indentation models: one rule that turns the indentation of old text into the file's, for every line or not at all.
import { indentOf, OPENS_BLOCK, OPENS_BRACKET } from "../text/blocks.ts";

/** Indentation of one line, in old text and in the file. */
export interface IndentPair {
  readonly wrote: string;
  readonly file: string;
}

/** The indentation as the file writes it, or undefined where the rule says nothing. */
export type IndentRule = (indent: string, index: number) => string | undefined;

export function indentWidth(indent: string): number {
  let columns = 0;
  for (const char of indent) columns += char === "\t" ? 4 : 1;
  return columns;
}

/**
 * The rule that explains all pairs (the non-blank lines in order; the first is the first line of old text if
 * `firstLine` is set). Where several rules explain them, the result speaks only where they agree.
 */
export function indentRule(pairs: readonly IndentPair[], firstLine = true): IndentRule | undefined {
  if (pairs.length === 0) return undefined;
  if (pairs.every(({ wrote, file }) => wrote === file)) return (indent) => indent;
  const simple = [...shiftRules(pairs), ...(firstLine ? firstLineRules(pairs) : [])];
  const rules = simple.length > 0 ? simple : levelRules(pairs);
  if (rules.length === 0) return undefined;
  const fileMixes = pairs.some(({ file }) => mixes(file));
  return (indent, index) => {
    const answers = new Set(rules.map((rule) => rule(indent, index)).filter((answer) => answer !== undefined));
    const [answer] = answers;
    if (answers.size !== 1 || answer === undefined) return undefined;
    return mixes(answer) && !fileMixes ? undefined : answer;
  };
}

/** Tabs and spaces in one indentation. One space after tabs is the ` *` of a block comment. */
function mixes(indent: string): boolean {
  return indent.includes("\t") && indent.includes(" ") && !/^\t+ $/.test(indent);
}

type Convert = (indent: string) => string | undefined;

const UNITS = [2, 4, 8, 3];

/** Tabs or spaces exchanged at a fixed width (or not), then one prefix added to or removed from every line. */
function shiftRules(pairs: readonly IndentPair[]): IndentRule[] {
  const conversions: Convert[] = [(indent) => indent];
  const wroteTabs = pairs.some(({ wrote }) => wrote.includes("\t"));
  const wroteSpaces = pairs.some(({ wrote }) => wrote.includes(" "));
  const fileTabs = pairs.some(({ file }) => file.includes("\t"));
  for (const unit of UNITS) {
    if (wroteSpaces && fileTabs) conversions.push((indent) => toTabs(indent, unit));
    if (wroteTabs && !fileTabs) conversions.push((indent) => toSpaces(indent, unit));
  }
  return conversions.flatMap((convert) => shiftRule(pairs, convert));
}

function shiftRule(pairs: readonly IndentPair[], convert: Convert): IndentRule[] {
  const converted = pairs.map(({ wrote, file }) => ({ wrote: convert(wrote), file }));
  const { wrote, file } = converted[0]!;
  if (wrote === undefined) return [];
  if (file.endsWith(wrote)) {
    const prefix = file.slice(0, file.length - wrote.length);
    if (!converted.every((pair) => pair.wrote !== undefined && pair.file === prefix + pair.wrote)) return [];
    return [(indent) => mapped(convert(indent), (at) => prefix + at)];
  }
  if (!wrote.endsWith(file)) return [];
  const prefix = wrote.slice(0, wrote.length - file.length);
  if (!converted.every((pair) => pair.wrote === prefix + pair.file)) return [];
  return [(indent) => mapped(convert(indent), (at) => (at.startsWith(prefix) ? at.slice(prefix.length) : undefined))];
}

/** Only the first line lost its indentation, as when text is copied from the first character on. */
function firstLineRules(pairs: readonly IndentPair[]): IndentRule[] {
  const [first, ...rest] = pairs;
  if (!first || rest.length === 0 || first.wrote !== "" || !rest.every(({ wrote, file }) => wrote === file)) return [];
  return [(indent, index) => (index > 0 ? indent : indent === "" ? first.file : undefined)];
}

/**
 * Levels by their rank: what is deeper in old text is deeper in the file, by whatever width. A level that old text does
 * not have is known only where one ratio holds for all of them.
 */
function levelRules(pairs: readonly IndentPair[]): IndentRule[] {
  const [wroteBlank, fileBlank] = [blankOf(pairs.map(({ wrote }) => wrote)), blankOf(pairs.map(({ file }) => file))];
  if (wroteBlank === undefined || fileBlank === undefined) return [];
  const levels = new Map<number, number>();
  for (const { wrote, file } of pairs) {
    if ((levels.get(wrote.length) ?? file.length) !== file.length) return [];
    levels.set(wrote.length, file.length);
  }
  const ranked = [...levels].sort(([a], [b]) => a - b);
  if (ranked.length < 2 || ranked.some(([, depth], n) => n > 0 && depth <= ranked[n - 1]![1])) return [];
  const [[least, fileLeast], [next, fileNext]] = ranked as [[number, number], [number, number]];
  const scaled = (depth: number) => fileLeast + ((depth - least) * (fileNext - fileLeast)) / (next - least);
  const isEven = ranked.every(([depth, fileDepth]) => scaled(depth) === fileDepth);
  return [
    (indent) => {
      if (indent !== wroteBlank.repeat(indent.length)) return undefined;
      const depth = levels.get(indent.length) ?? (isEven ? scaled(indent.length) : -1);
      return Number.isInteger(depth) && depth >= 0 ? fileBlank.repeat(depth) : undefined;
    },
  ];
}

/** The one blank that all of these are made of. */
function blankOf(indents: readonly string[]): string | undefined {
  const all = new Set(indents.join(""));
  return all.size > 1 ? undefined : ([...all][0] ?? " ");
}

/** By how much lines are deeper than the one that opens their block: what more than half of them say. */
export function unitOf(lines: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  let opener: string | undefined;
  for (const line of lines) {
    const indent = indentOf(line);
    if (indent.length === line.trimEnd().length) continue;
    if (opener !== undefined && indent.length > opener.length && indent.startsWith(opener)) {
      const step = indent.slice(opener.length);
      counts.set(step, (counts.get(step) ?? 0) + 1);
    }
    opener = OPENS_BLOCK.test(line) ? indent : undefined;
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts].find(([step, count]) => 2 * count > all && isUnit(step))?.[0];
}

/** Other steps are those of a text that is aligned with something. */
function isUnit(step: string): boolean {
  return step === "\t" || UNITS.some((unit) => step === " ".repeat(unit));
}

/** True when new lines close a block that stands before them, open one for the file's lines behind them, or begin a literal. */
export function crossesBlocks(oldText: string, newLines: readonly string[]): boolean {
  const last = newLines.findLast((line) => line.trim() !== "") ?? "";
  return closesMore(newLines) || (OPENS_BLOCK.test(last) && !OPENS_BLOCK.test(oldText)) || newLines.some(opensLiteral);
}

/** The next lines may be the content of a string or a here-document: indenting them would change it. */
function opensLiteral(line: string): boolean {
  return /<<[-~]?["']?[A-Za-z_]/.test(line) || ["`", '"""', "'''"].some((quote) => line.split(quote).length % 2 === 0);
}

function closesMore(lines: readonly string[]): boolean {
  let depth = 0;
  return lines.some((line) => {
    if (/^\s*[)\]}]/.test(line)) depth--;
    const isBelow = depth < 0;
    if (OPENS_BRACKET.test(line)) depth++;
    return isBelow;
  });
}

/** One depth is known, and old text has other steps than the file: deeper lines go by the file's. */
export function unitRule({ wrote, file }: IndentPair, wroteUnit: string, fileUnit: string): IndentRule {
  return (indent) => {
    if (!isStepsFrom(wrote, indent, wroteUnit)) return undefined;
    const steps = Math.abs(indent.length - wrote.length) / wroteUnit.length;
    if (indent.length >= wrote.length) return file + fileUnit.repeat(steps);
    const less = fileUnit.repeat(steps);
    return file.endsWith(less) ? file.slice(0, file.length - less.length) : undefined;
  };
}

/** True when `indent` is some whole steps deeper or less deep than `level`. */
export function isStepsFrom(level: string, indent: string, unit: string): boolean {
  const [longer, shorter] = indent.length > level.length ? [indent, level] : [level, indent];
  const steps = (longer.length - shorter.length) / unit.length;
  return Number.isInteger(steps) && longer === shorter + unit.repeat(steps);
}

function toSpaces(indent: string, unit: number): string | undefined {
  return /^\t* *$/.test(indent) ? indent.replaceAll("\t", " ".repeat(unit)) : undefined;
}

function toTabs(indent: string, unit: number): string | undefined {
  if (indent.includes("\t")) return undefined;
  return "\t".repeat(Math.floor(indent.length / unit)) + " ".repeat(indent.length % unit);
}

function mapped(value: string | undefined, next: (value: string) => string | undefined): string | undefined {
  return value === undefined ? undefined : next(value);
}
