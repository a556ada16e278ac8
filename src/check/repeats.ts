// Repeated lines: replacements that repeat their surroundings, and new lines that are there twice.
import { isLowEntropy } from "../edit/anchors/lines.ts";
import type { Region } from "../edit/diff/diff.ts";
import { MAX_OF_A_KIND, type Warning } from "./warning.ts";

/** Both texts by lines, and their differences. */
export interface LineEdit {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly regions: readonly Region[];
}

/** Warns of repeated lines. In code an echo is damage; elsewhere a line is doubtful and several are a note, as in lists. */
export function repeatWarnings(edit: LineEdit, isCode: boolean): Warning[] {
  const echoes = boundaryEchoes(edit);
  const isEchoed = (line: number): boolean => echoes.some(({ at, size }) => at < line && line <= at + size);
  const pairs = repeatedLines(edit).filter((line) => !isEchoed(line) && !isEchoed(line - 1));
  const reported = new Set(pairs.flatMap((line) => [line - 1, line]));
  return [
    ...echoes.map((echo) => echoWarning(echo, edit.before, isCode)),
    ...pairs.slice(0, MAX_OF_A_KIND).map((line) => duplicateWarning([line - 1, line], "doubtful")),
    ...duplicates(edit)
      .filter((lines) => !lines.every((line) => reported.has(line) || isEchoed(line)))
      .slice(0, MAX_NOTES)
      .map((lines) => duplicateWarning(lines, "note")),
  ];
}

interface Echo {
  /** 0-based start of the copy; `of` is that of the lines that were there before. */
  readonly at: number;
  readonly of: number;
  readonly size: number;
  readonly lines: readonly string[];
}

// Longer copies are deliberate.
const MAX_ECHO = 60;

/** Finds new lines that repeat the lines right before or after them. */
function boundaryEchoes({ after, regions }: LineEdit): Echo[] {
  const found: Echo[] = [];
  for (const { bStart, bEnd } of regions) {
    if (found.length >= MAX_OF_A_KIND) break;
    const own = bEnd - bStart;
    const above = longestEcho(after, Math.min(own, bStart), (size) => [bStart, bStart - size]);
    const below = longestEcho(after, Math.min(own, after.length - bEnd), (size) => [bEnd - size, bEnd]);
    for (const echo of [above, below]) if (echo !== undefined) found.push(echo);
  }
  return found.slice(0, MAX_OF_A_KIND);
}

function longestEcho(
  lines: readonly string[],
  room: number,
  place: (size: number) => [number, number],
): Echo | undefined {
  for (let size = Math.min(room, MAX_ECHO); size > 0; size--) {
    const [at, of] = place(size);
    const copy = lines.slice(at, at + size);
    if (copy.some((line, n) => line !== lines[of + n])) continue;
    // A shorter echo would be a part of this one.
    return copy.some(isDistinctive) ? { at, of, size, lines: copy } : undefined;
  }
  return undefined;
}

// Good code may repeat "end", "</div>", "break;", "i++;" and rows of numbers.
const MIN_LETTERS = 8;

function isDistinctive(line: string): boolean {
  return line.replace(/\P{L}+/gu, "").length >= MIN_LETTERS;
}

function echoWarning({ at, of, size, lines }: Echo, before: readonly string[], isCode: boolean): Warning {
  const which =
    size === 1
      ? `line ${at + 1} repeats line ${of + 1}, which was`
      : `lines ${at + 1}-${at + size} repeat lines ${of + 1}-${of + size}, which were`;
  const elsewhere = size === 1 ? "doubtful" : "note";
  return {
    check: "boundary_echo",
    line: at + 1,
    message: `${which} there already: the new text seems to include its surroundings`,
    severity: repeats(before, lines) ? "note" : isCode ? "suspicious" : elsewhere,
  };
}

/** True when the old text has this block twice in a row: then repeating it may be intended. */
function repeats(lines: readonly string[], block: readonly string[]): boolean {
  for (let at = lines.indexOf(block[0]!); at !== -1; at = lines.indexOf(block[0]!, at + 1)) {
    if (at + 2 * block.length > lines.length) return false;
    if (block.every((line, n) => lines[at + n] === line && lines[at + block.length + n] === line)) return true;
  }
  return false;
}

/** Finds 1-based lines equal to the line before, one of them new, unless the old text has such a pair. */
function repeatedLines({ before, after, regions }: LineEdit): number[] {
  const pairs = regions.flatMap(({ bStart, bEnd }) => {
    const seconds: number[] = [];
    for (let at = Math.max(1, bStart); bEnd > bStart && at <= Math.min(bEnd, after.length - 1); at++) {
      if (after[at] === after[at - 1] && !isLowEntropy(after[at]!)) seconds.push(at);
    }
    return seconds;
  });
  if (pairs.length === 0) return [];
  const usual = new Set(before.filter((line, at) => line === before[at - 1]));
  return pairs.filter((at) => !usual.has(after[at]!)).map((at) => at + 1);
}

// More notes say nothing new.
const MAX_NOTES = 5;
const MAX_LINES = 10;
const MAX_COMPARED = 100_000;

/** Numbers of new lines that occur more than once, from 1 on; of a repeated block only the first. */
function duplicates({ before, after, regions }: LineEdit): (readonly number[])[] {
  if (Math.max(before.length, after.length) > MAX_COMPARED) return [];
  const places = new Map<string, number[]>();
  for (const { bStart, bEnd } of regions) {
    for (let at = bStart; at < bEnd; at++) {
      const text = after[at]!.trim();
      const lines = places.get(text);
      if (lines) lines.push(at + 1);
      else places.set(text, [at + 1]);
    }
  }
  const twice = [...places].filter(
    ([text, lines]) => lines.length > 1 && /[\p{L}\p{N}_]{2,}.*?(?<![\p{L}\p{N}_])[\p{L}\p{N}_]{2,}/u.test(text),
  );
  if (twice.length === 0) return [];
  const known = new Set(before.map((line) => line.trim()));
  const repeated = twice.filter(([text]) => !known.has(text)).map(([, lines]) => lines);
  const all = new Set(repeated.map((lines) => lines.join()));
  return repeated.filter((lines) => !all.has(lines.map((line) => line - 1).join()));
}

function duplicateWarning(lines: readonly number[], severity: Warning["severity"]): Warning {
  const more = lines.length > MAX_LINES ? ", …" : "";
  const message = `identical lines at ${lines.slice(0, MAX_LINES).join(", ")}${more}`;
  return { check: "duplicate_line", line: severity === "note" ? lines[0]! : lines[1]!, message, severity };
}
