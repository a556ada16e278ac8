// Indentation rules: one rule turns the indentation of all lines of old text into the file's, or there is none.
import { indentOf, OPENS_BLOCK, OPENS_BRACKET } from "../text/blocks.ts";

/** The indentation of one line in old text and in the file. */
export interface IndentPair {
  readonly wrote: string;
  readonly file: string;
}

/** Returns the indentation as the file writes it, or undefined where the rule does not apply. */
export type IndentRule = (indent: string, index: number) => string | undefined;

export function indentWidth(indent: string): number {
  let columns = 0;
  for (const char of indent) columns += char === "\t" ? 4 : 1;
  return columns;
}

/**
 * Finds the rule that explains all pairs, which are the non-blank lines in order. `firstLine`: the first pair is the
 * first line of old text. If several rules explain the pairs, the result applies only where they agree.
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

/** True for tabs and spaces in one indentation. One space after tabs belongs to the ` *` of a block comment. */
function mixes(indent: string): boolean {
  return indent.includes("\t") && indent.includes(" ") && !/^\t+ $/.test(indent);
}

type Convert = (indent: string) => string | undefined;

const UNITS = [2, 4, 8, 3];

/** Exchanges tabs and spaces at a fixed width or not at all, then adds or removes one prefix. */
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

/** Restores the first line's indentation, which is lost when text is copied from its first character on. */
function firstLineRules(pairs: readonly IndentPair[]): IndentRule[] {
  const [first, ...rest] = pairs;
  if (!first || rest.length === 0 || first.wrote !== "" || !rest.every(({ wrote, file }) => wrote === file)) return [];
  return [(indent, index) => (index > 0 ? indent : indent === "" ? first.file : undefined)];
}

/**
 * Maps depths by their rank: deeper lines of old text are deeper in the file, by any width. A depth that old text does
 * not have is scaled if one ratio holds for all others.
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

/** The one kind of blank in all of these; undefined if there are two. */
function blankOf(indents: readonly string[]): string | undefined {
  const all = new Set(indents.join(""));
  return all.size > 1 ? undefined : ([...all][0] ?? " ");
}

/** Returns the step by which more than half of the blocks in the file are indented. */
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

/** False for other steps, which come from alignment. */
function isUnit(step: string): boolean {
  return step === "\t" || UNITS.some((unit) => step === " ".repeat(unit));
}

/** Converts steps from one known depth, where old text is indented by another unit than the file. */
export function unitRule({ wrote, file }: IndentPair, wroteUnit: string, fileUnit: string): IndentRule {
  return (indent) => {
    if (!isStepsFrom(wrote, indent, wroteUnit)) return undefined;
    const steps = Math.abs(indent.length - wrote.length) / wroteUnit.length;
    if (indent.length >= wrote.length) return file + fileUnit.repeat(steps);
    const less = fileUnit.repeat(steps);
    return file.endsWith(less) ? file.slice(0, file.length - less.length) : undefined;
  };
}

/** True when `indent` is whole steps deeper or less deep than `level`. */
export function isStepsFrom(level: string, indent: string, unit: string): boolean {
  const [longer, shorter] = indent.length > level.length ? [indent, level] : [level, indent];
  const steps = (longer.length - shorter.length) / unit.length;
  return Number.isInteger(steps) && longer === shorter + unit.repeat(steps);
}

/** True when new lines close a block opened before them, open one for the lines behind them, or begin a literal. */
export function crossesBlocks(oldText: string, newLines: readonly string[]): boolean {
  const last = newLines.findLast((line) => line.trim() !== "") ?? "";
  return closesMore(newLines) || (OPENS_BLOCK.test(last) && !OPENS_BLOCK.test(oldText)) || newLines.some(opensLiteral);
}

/** True when the next lines may be inside a string or a here-document, which indenting would change. */
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
