// Levels "spelling" and "fuzzy_block": most lines are equal, and the others differ in harmless ways.
// Needed by the trials typo_ctx, typo_minus and stale_ctx.

import { refuse } from "../../words/index.ts";
import { quote } from "../../words/visible.ts";
import { diffLines, type Region } from "../diff/diff.ts";
import { endOfBlock, indentOf, isBlankLine } from "../text/blocks.ts";
import { commonStart, similarity } from "../text/similarity.ts";
import type { Lookup } from "./compare.ts";
import { isComment } from "./gaps.ts";
import { fitFor } from "./indentation.ts";
import { oneToOne, sameButBlanks, segmentsOf } from "./merge.ts";
import { cutsWord, type Place, type Wanted, weightOf, wholeLines } from "./place.ts";

const MIN_LINES = 3;
const MIN_WEIGHT = 20;
const MIN_ALIKE_LINE = 0.5;
const MARGIN = 0.05;
const MAX_WINDOWS = 50;
const MAX_STEPS = 20_000_000;

/** As many lines of the file as old text has. `differing` are the old lines that differ there. */
interface Window {
  readonly first: number;
  readonly differing: readonly number[];
}

/**
 * Finds old text with one misspelt word: neighbouring letters are exchanged. Names rarely differ so, so no proof is
 * needed. The file must not have the word anywhere, and no other window may resemble old text.
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
  const typos = typosBetween(oldLines[at]!.trim(), lookup.lines[window.first + at]!.trim());
  const [typo] = typos ?? [];
  // Without proof of having seen the file, any other exchange may make another name.
  if (typos?.length !== 1 || !typo || !(isPlainlyTransposed(typo) || (seen && !typo.isMarks))) return undefined;
  if (hasWord(lookup.source.text, typo.wrote) || addsWord(oldLines, newLines, typo.wrote)) return undefined;
  const line = window.first + at + 1;
  const said = `the old text says ${quote(typo.wrote)}, the file ${quote(typo.file)}; taken for a typo`;
  return placeAt(lookup, wanted, window, [`Line ${line}: ${said}.`]);
}

/**
 * Finds similar lines, for callers with proof that they saw these bytes. Similarity alone does not decide: half of the
 * lines must be equal, the runner-up must be clearly less similar, and each line that differs must be harmless.
 */
export function findFuzzy(lookup: Lookup, wanted: Wanted, threshold: number): Place | undefined {
  const { oldLines } = wholeLines(wanted);
  if (!isEnough(oldLines)) return undefined;
  const windows = nearWindows(lookup, oldLines, Math.floor((oldLines.length * 3) / 4)) ?? [];
  if (windows.length > MAX_WINDOWS) return undefined;
  const old = unindented(oldLines);
  const likeness = ({ first }: Window) =>
    similarity(old, unindented(lookup.lines.slice(first, first + oldLines.length)));
  const [best, second] = windows
    .map((window) => ({ window, similarity: likeness(window) }))
    .sort((a, b) => b.similarity - a.similarity);
  if (!best || best.similarity < threshold || best.similarity - (second?.similarity ?? 0) < MARGIN) return undefined;
  const { first, differing } = best.window;
  if (2 * differing.length > oldLines.length) return undefined;
  if (weightOf(oldLines.filter((_, at) => !differing.includes(at))) < MIN_WEIGHT) return undefined;
  if (!oldLines.every((_, at) => isHarmless(lookup, wanted, at, first + at))) return undefined;
  const warnings = differing.map((at) => {
    const [wrote, file] = [oldLines[at]!.trim(), lookup.lines[first + at]!.trim()];
    const what = typosBetween(wrote, file) === undefined ? "the file's line stays" : "taken for a typo";
    return `Line ${first + at + 1}: the old text says ${quote(wrote)}, the file ${quote(file)}; ${what}.`;
  });
  return placeAt(lookup, wanted, best.window, warnings);
}

/** False when the line may tell this place from the intended one. Refuses where unseen text would be lost. */
function isHarmless(lookup: Lookup, wanted: Wanted, at: number, line: number): boolean {
  const { oldLines, newLines } = wholeLines(wanted);
  const [wrote, file] = [oldLines[at]!, lookup.lines[line]!];
  const regions = diffLines(oldLines, newLines);
  const isChanged = regions.some(({ aStart, aEnd }) => aStart <= at && at < aEnd);
  const [id] = lookup.idsOf([wrote]);
  if (id === lookup.ids[line]) {
    if (isChanged && !sameButBlanks(file, wrote)) throw refuse("changed_line_differs", { line: line + 1, file, wrote });
    return true;
  }
  // If the file has the line elsewhere, the place beside it may be the intended one.
  if (isBlankLine(wrote) || isBlankLine(file) || id! >= 0) return false;
  const typos = typosBetween(wrote.trim(), file.trim());
  if (isChanged && typos === undefined) throw refuse("changed_line_differs", { line: line + 1, file, wrote });
  const words = (typos ?? []).filter((typo) => !typo.isMarks);
  if (isChanged) {
    return words.every((typo) => !hasWord(lookup.source.text, typo.wrote) && !addsWord(oldLines, newLines, typo.wrote));
  }
  if (areSiblings(wrote, file, isComment(wrote, "-"))) return false;
  const isAbove = regions.some(({ aStart }) => at < aStart);
  if (isAbove && !isUnderHead(lookup, oldLines, at) && nameOthers(wrote, file)) return false;
  const misread = wordsOf(wrote).filter((word) => !hasWord(lookup.source.text, word));
  if (misread.some((word) => addsWord(oldLines, newLines, word))) return false;
  // Exchanged letters make no other name, unless the file has that name, too.
  const isTypo = (typo: Typo) => isPlainlyTransposed(typo) && !hasWord(lookup.source.text, typo.wrote);
  return (typos !== undefined && words.every(isTypo)) || !mayNameChange(oldLines, at, regions);
}

/** True when line `at` may name what a change below belongs to: it opens a block or paragraph, or ends old text. */
function mayNameChange(lines: readonly string[], at: number, regions: readonly Region[]): boolean {
  const below = regions.filter(({ aStart }) => at < aStart);
  if (at > 0 && below.length === 0) return false;
  const end = endOfBlock(lines, at);
  const isEdge = at === 0 || at === lines.length - 1 || isBlankLine(lines[at - 1]!);
  // New lines at the end of a block belong to it.
  const isInside = below.some(({ aStart, aEnd }) => aStart < end || (aStart === end && aEnd === end && end > at + 1));
  return isInside || (isEdge && !BESIDE.test(lines[at]!));
}

/** Makes the place; new lines are indented like the equal lines. */
function placeAt(lookup: Lookup, wanted: Wanted, { first, differing }: Window, warnings: readonly string[]): Place {
  const { oldLines, newLines } = wholeLines(wanted);
  const segments = segmentsOf(lookup.source, first, first + oldLines.length - 1);
  const equal = <T>(all: readonly T[]) => all.filter((_, at) => !differing.includes(at));
  const fit = fitFor(lookup.source, equal(segments), equal(oldLines), newLines, first);
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

/** Finds windows with at most `max` differing lines; undefined when that takes too long. */
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

function unindented(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).join("\n");
}

/** A word, or the punctuation between two words, that differs from the file. */
interface Typo {
  readonly isMarks: boolean;
  readonly wrote: string;
  readonly file: string;
}

/**
 * Finds the typos that turn the file's line into the written one; undefined for what may be another line, with other
 * names, numbers or word endings, or with more or fewer words.
 */
function typosBetween(wrote: string, file: string): Typo[] | undefined {
  const [ours, theirs] = [wrote.split(WORDS), file.split(WORDS)];
  if (ours.length !== theirs.length) return undefined;
  const typos: Typo[] = [];
  for (const [n, a] of ours.entries()) {
    const b = theirs[n]!;
    if (a === b) continue;
    const isMarks = n % 2 === 0;
    if (isMarks ? plainMarks(a) !== plainMarks(b) : !isTransposed(a, b)) return undefined;
    typos.push({ isMarks, wrote: a, file: b });
  }
  return typos;
}

/** True when two neighbouring letters are exchanged. Any other difference may make another word. */
function isTransposed(a: string, b: string): boolean {
  const at = commonStart(a, b);
  if (a.length < MIN_WORD || ACRONYM.test(a) || !EXCHANGED.test(a.slice(at, at + 2))) return false;
  return a.slice(0, at) + b[at] + b[at + 1] + a.slice(at + 2) === b && a[at] === b[at + 1] && a[at + 1] === b[at];
}

/** True for lower-case letters inside a longer part of a name, so not for `latitude`, `rotateLR` and `uint`. */
function isPlainlyTransposed({ isMarks, wrote, file }: Typo): boolean {
  if (isMarks) return false;
  return [wrote, file].every((word) => {
    const { part, offset } = partAround(word, commonStart(wrote, file));
    return offset > 0 && part.length >= MIN_PART && SMALL_PAIR.test(part.slice(offset, offset + 2));
  });
}

/** Drops blanks, the kind of quotes, and a separator at the end. */
function plainMarks(marks: string): string {
  return marks
    .replace(/[ \t]+/g, "")
    .replace(/["'`]/g, '"')
    .replace(/[;,]+$/, "");
}

/** Returns the part of a name (`getUserName`, `user_name`, `HTTPServer`) around character `at`, and its offset there. */
function partAround(word: string, at: number): { part: string; offset: number } {
  for (const { 0: part, index } of word.matchAll(PART)) {
    if (at < index + part.length) return { part, offset: at - index };
  }
  return { part: word, offset: at };
}

const BESIDE = /^\s*\/[/*]/;
// A tag or a bracket opens many blocks.
const MIN_HEAD = 9;
// A letter left out inside a word of six.
const SLIP = 0.8;
const MIN_WORD = 4;
const MIN_PART = 5;
const WORDS = /([\p{L}\p{N}_$]+)/u;
const WORD = /[\p{L}\p{N}_$]+/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[_$]+|./gu;
// In other scripts, exchanged characters often make another word.
const EXCHANGED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}_]{2}$/u;
const SMALL_PAIR = /^\p{Ll}{2}$/u;
const ACRONYM = /^\p{Lu}{1,4}$/u;

/** True when `text` has `word` as a whole word. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!cutsWord(text, at, at + word.length)) return true;
  }
  return false;
}

/** True when the edit adds `word`: then its typo would get into the file. */
function addsWord(oldLines: readonly string[], newLines: readonly string[], word: string): boolean {
  return diffLines(oldLines, newLines).some(({ bStart, bEnd }) =>
    newLines.slice(bStart, bEnd).some((line) => hasWord(line, word)),
  );
}

/**
 * True when a word of one line extends a word of the other, or differs in digits only. In prose, all words that differ
 * must be so.
 */
function areSiblings(wrote: string, file: string, isProse: boolean): boolean {
  const ours = wordsOf(wrote);
  const theirs = wordsOf(file);
  const differing = diffLines(ours, theirs).flatMap(({ aStart, aEnd, bStart, bEnd }) => {
    if (aEnd - aStart !== bEnd - bStart) return [false];
    return ours.slice(aStart, aEnd).map((word, n) => isOfOneFamily(word, theirs[bStart + n]!));
  });
  return differing.length > 0 && (isProse ? differing.every(Boolean) : differing.some(Boolean));
}

/** True when the line that opens the block around line `at` is in the file only once, or the line is a comment. */
function isUnderHead({ ids, idsOf }: Lookup, lines: readonly string[], at: number): boolean {
  const depth = indentOf(lines[at]!).length;
  const head = lines.slice(0, at).findLast((line) => !isBlankLine(line) && indentOf(line).length < depth) ?? "";
  const [id] = idsOf([head]);
  return BESIDE.test(lines[at]!) || (weightOf([head]) > MIN_HEAD && ids.indexOf(id!) === ids.lastIndexOf(id!));
}

/** True for two headings, or the names of two records: lines of one kind with other words. */
function nameOthers(wrote: string, file: string): boolean {
  const theirs = file.match(WORD) ?? [];
  const isShort = (a: string, b: string) => a.length !== b.length && a.at(-1) === b.at(-1) && similarity(a, b) > SLIP;
  const isSlip = (a: string, b = "") => a === b || isTransposed(a, b) || isShort(a, b);
  return areOfOneKind(wrote, file) && !(wrote.match(WORD) ?? []).every((word, n) => isSlip(word, theirs[n]));
}

/** True for lines that begin with the same marks, or with a word and end with the same marks. */
export function areOfOneKind(line: string, other: string): boolean {
  const [ours, theirs] = [line.trim().split(WORDS), other.trim().split(WORDS)];
  return ours[0] === theirs[0] && (ours[0] !== "" || ours.at(-1) === theirs.at(-1));
}

/** Returns the words of a line, without string prefixes (`f"…"`, `r'…'`). */
export function wordsOf(line: string): string[] {
  return line.replaceAll(STRING_PREFIX, "").match(WORD) ?? [];
}

function isOfOneFamily(a: string, b: string): boolean {
  if (NUMBER.test(a) && NUMBER.test(b)) return true;
  const [ours, theirs] = [partsOf(a), partsOf(b)];
  if (ours.join("") === theirs.join("")) return false;
  if (isWithin(ours, theirs) || isWithin(theirs, ours)) return true;
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a];
  if (shorter.length < MIN_SHARED) return false;
  const more = longer.length - shorter.length;
  for (let at = 0; at <= shorter.length; at++) {
    if (longer.slice(0, at) + longer.slice(at + more) !== shorter) continue;
    if (at === 0 || PUT_IN.test(longer.slice(at))) return true;
  }
  return false;
}

/** True when one name has all words of the other in order, plurals and numbers aside. */
function isWithin(few: readonly string[], many: readonly string[]): boolean {
  const words = few.filter((part) => !NUMBER.test(part));
  let found = 0;
  for (const part of many) if (found < words.length && isSameWord(part, words[found]!)) found++;
  return found === words.length && found > 0;
}

function isSameWord(a: string, b: string): boolean {
  return a === b || [a, b].some((one, n) => [`${one}s`, `${one}es`].includes([a, b][1 - n]!));
}

/** Returns the words of a name in lower case: `getUserName`, `user_name`, `step2`. */
function partsOf(name: string): string[] {
  return (name.match(WORD_PART) ?? []).map((part) => part.toLowerCase());
}

const MIN_SHARED = 3;
const WORD_PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}/gu;
// An `s` is a plural only without lower-case letters behind it.
const PUT_IN = /^(?:[\p{Lu}\p{N}_$]|e?s(?!\p{Ll}))/u;
const NUMBER = /^\p{N}+$/u;
const STRING_PREFIX = /(?<![\p{L}\p{N}_$])[fFrRbBuU]{1,2}(?=["'])/gu;
