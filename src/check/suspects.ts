// Line patterns that often come with damage: repeated new lines, an `else` without `if`, a brace that closes nothing.

import type { Region } from "../edit/diff/diff.ts";
import { splitLines } from "../edit/text/lines.ts";
import { braceDepths } from "./delimiters/delimiters.ts";
import type { Lexis } from "./delimiters/scan.ts";
import type { Warning } from "./warning.ts";

// More of them say nothing new.
const MOST_NOTES = 5;
const MOST_LINES = 10;
// Beyond this a note is not worth the time.
const MOST_COMPARED = 100_000;

/** Lines that the old text lacks and the new text has more than once. Of a repeated block only the first line counts; `told` are left out. */
export function duplicateLines(
  before: readonly string[],
  after: readonly string[],
  regions: readonly Region[],
  told: ReadonlySet<number>,
): Warning[] {
  if (Math.max(before.length, after.length) > MOST_COMPARED) return [];
  const places = new Map<string, number[]>();
  for (const index of newLines(regions)) {
    const text = after[index]!.trim();
    const lines = places.get(text);
    if (lines) lines.push(index + 1);
    else places.set(text, [index + 1]);
  }
  const twice = [...places].filter(([text, lines]) => lines.length > 1 && saysSomething(text));
  if (twice.length === 0) return [];
  const known = new Set(before.map((line) => line.trim()));
  const repeated = twice.filter(([text]) => !known.has(text)).map(([, lines]) => lines);
  const all = new Set(repeated.map((lines) => lines.join()));
  return repeated
    .filter((lines) => !all.has(lines.map((line) => line - 1).join()) && !lines.every((line) => told.has(line)))
    .slice(0, MOST_NOTES)
    .map((lines) => ({
      check: "duplicate_line",
      line: lines[0]!,
      message: `identical lines at ${lines.slice(0, MOST_LINES).join(", ")}${lines.length > MOST_LINES ? ", …" : ""}`,
      severity: "note",
    }));
}

/** A line of one word, of punctuation or of dashes is there twice in sound code, too. */
function saysSomething(text: string): boolean {
  const words = text.matchAll(/[\p{L}\p{N}_]{2,}/gu);
  words.next();
  return words.next().done !== true;
}

/** New lines that are only `else`, with no `if` anywhere above. */
export function orphanElses(now: readonly string[], regions: readonly Region[]): Warning[] {
  const elses = newLines(regions).filter((index) => /^else(?:\s*\{)?$/.test(now[index]!.trim()));
  const firstIf = elses.length === 0 ? -1 : now.findIndex((line) => /\bif\b/.test(line));
  return elses
    .filter((index) => firstIf === -1 || firstIf >= index)
    .slice(0, MOST_NOTES)
    .map((index) => ({ ...note("orphan_else", index, "`else` with no `if` above it"), severity: "doubtful" }));
}

/** New lines that are only `}`, with no brace open above. */
export function extraBraces(
  after: string,
  now: readonly string[],
  regions: readonly Region[],
  lexis: Lexis,
): Warning[] {
  const lone = newLines(regions).filter((index) => now[index]!.trim() === "}");
  if (lone.length === 0) return [];
  const depths = braceDepths(
    after,
    lexis,
    splitLines(after).map((line) => line.start),
  );
  return lone
    .filter((index) => depths !== null && depths[index]! <= 0)
    .slice(0, MOST_NOTES)
    .map((index) => note("suspicious_extra_brace", index, "`}` closes nothing that is open above it"));
}

function newLines(regions: readonly Region[]): number[] {
  return regions.flatMap(({ bStart, bEnd }) => Array.from({ length: bEnd - bStart }, (_, n) => bStart + n));
}

function note(check: Warning["check"], index: number, message: string): Warning {
  return { check, line: index + 1, message, severity: "note" };
}
