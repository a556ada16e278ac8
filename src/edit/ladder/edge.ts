// Level: up to two lines at one edge of the old text are not there, and stand at the same edge of the new text: they say
// where to look, and nothing is to be done to them. The rest must be there once, to the letter.

import { similarity } from "../../core/similarity.ts";
import { diffLines } from "../diff/diff.ts";
import type { Source } from "../text/source.ts";
import { quote } from "../text/visible.ts";
import type { Lookup } from "./compare.ts";
import { isBlankLine } from "./compare.ts";
import { type ExactFind, findExact, type Span } from "./exact.ts";
import { type Wanted, weightOf } from "./place.ts";
import { opensBlock, wordsOf } from "./typos.ts";

export interface EdgeFind {
  readonly exact: ExactFind;
  /** The arguments without the lines that the file has not. */
  readonly wanted: Wanted;
  readonly warning: string;
}

const MAX_LINES = 2;
const MIN_WEIGHT = 20;

type Edge = "first" | "last";

/** Fewest lines first. Where leaving lines out at either edge would do, neither is certain. */
export function findWithoutEdge(lookup: Lookup, wanted: Wanted): EdgeFind | undefined {
  const { source } = lookup;
  for (let count = 1; count <= MAX_LINES; count++) {
    const found = (["first", "last"] as const).flatMap((edge) => withoutLines(source, wanted, edge, count) ?? []);
    if (found.length > 1) return undefined;
    const [one] = found;
    if (one !== undefined)
      return one.exact.spans.length === 1 && isSafe(lookup, one) ? describeFind(source, one) : undefined;
  }
  return undefined;
}

interface Candidate {
  readonly edge: Edge;
  /** Lines of old and new text that the file has not, in their order. */
  readonly left: readonly string[];
  readonly wanted: Wanted;
  /** Old and new text end in a newline, which ends their last line. */
  readonly ended: boolean;
  readonly exact: ExactFind;
}

function withoutLines(source: Source, given: Wanted, edge: Edge, count: number): Candidate | undefined {
  const ended = given.oldText.endsWith("\n") && given.newText.endsWith("\n");
  const end = ended ? "\n" : "";
  const linesOf = (text: string) => text.slice(0, text.length - end.length).split("\n");
  const [oldLines, newLines] = [linesOf(given.oldText), linesOf(given.newText)];
  if (oldLines.length <= count || newLines.length <= count) return undefined;
  const cut = (lines: readonly string[]) => (edge === "first" ? lines.slice(0, count) : lines.slice(-count));
  const rest = (lines: readonly string[]) => (edge === "first" ? lines.slice(count) : lines.slice(0, -count));
  const left = cut(oldLines);
  if (left.join("\n") !== cut(newLines).join("\n")) return undefined;
  const wanted = { oldText: rest(oldLines).join("\n") + end, newText: rest(newLines).join("\n") + end };
  if (wanted.oldText === wanted.newText || weightOf([wanted.oldText]) < MIN_WEIGHT) return undefined;
  const exact = findExact(source, wanted, wanted);
  const spans = exact?.spans.filter((span) => isWholeLines(source, span, ended)) ?? [];
  if (exact === undefined || spans.length === 0) return undefined;
  return { edge, left, wanted, ended, exact: { ...exact, spans } };
}

function isWholeLines({ text }: Source, { start, end }: Span, ended: boolean): boolean {
  if (start > 0 && text[start - 1] !== "\n") return false;
  return ended ? text[end - 1] === "\n" : end === text.length || /^\r?\n/.test(text.slice(end, end + 2));
}

/** The lines left out must not be what tells this place from the one that is meant. */
function isSafe(lookup: Lookup, candidate: Candidate): boolean {
  const { source } = lookup;
  const { edge, left, wanted } = candidate;
  // A line that the file has anywhere was not imagined: the place beside it may be the one that is meant. So may any
  // place beside a blank line.
  if (left.some(isBlankLine) || lookup.idsOf(left).some((id) => id >= 0)) return false;
  const there = around(source, candidate, left.length);
  const isSame = (line: string, other = "") =>
    (line.match(SAID) ?? []).join(" ") === (other.match(SAID) ?? []).join(" ");
  const others = left.flatMap((line, n) => (isSame(line, there[n]) ? [] : [{ line, there: there[n] }]));
  if (others.some((other) => isSibling(other.line, other.there))) return false;
  const below = wanted.oldText.split("\n");
  if (edge === "first" && others.some(({ line }) => opensBlock([line, ...below], 0) || !SAID_BESIDE.test(line)))
    return false;
  return !insertsAtEdge(wanted, edge) || there.every((line) => line === undefined || isBlankLine(line));
}

/** So many of the file's lines at that edge, in their order: undefined where it has none. */
function around({ lines, lineAt }: Source, { edge, ended, exact }: Candidate, count: number): (string | undefined)[] {
  const { start, end } = exact.spans[0]!;
  const from = edge === "first" ? lineAt(start) - count : lineAt(end) + (ended ? 0 : 1);
  return Array.from({ length: count }, (_, n) => lines[from + n]?.text);
}

const ALIKE = 0.5;
// A comment or a whole statement; any other line may say what those below it belong to.
const SAID = /[\p{L}\p{N}_$]+|[!<>=]=*|[-+*/%&|^~?]/gu;
const SAID_BESIDE = /^\s*\/[/*]|[;,]\s*$/;

/** Built alike with other words, or with half its words the same: another of its kind, a typo, or a line that changed. */
function isSibling(line: string, there: string | undefined): boolean {
  if (there === undefined || isBlankLine(there)) return false;
  const [words, others] = [wordsOf(line), wordsOf(there)];
  if (shapeOf(line) === shapeOf(there) || similarity(line.trim(), there.trim()) >= ALIKE) return true;
  const shared = words.filter((word) => others.includes(word)).length;
  return 2 * shared >= Math.min(words.length, others.length) && shared > 0;
}

function shapeOf(line: string): string {
  return line
    .trim()
    .replaceAll(/[\p{L}\p{N}_$]+/gu, "w")
    .replaceAll(/\s+/g, " ");
}

/** New lines would go where the file has other lines than the caller believes. */
function insertsAtEdge({ oldText, newText }: Wanted, edge: Edge): boolean {
  const oldLines = oldText.split("\n");
  const end = oldText.endsWith("\n") ? oldLines.length - 1 : oldLines.length;
  return diffLines(oldLines, newText.split("\n")).some(
    ({ aStart, aEnd }) => aStart === aEnd && (edge === "first" ? aStart === 0 : aStart === end),
  );
}

function describeFind(source: Source, { edge, left, wanted, exact }: Candidate): EdgeFind {
  const { start, end } = exact.spans[0]!;
  const line = source.lineAt(edge === "first" ? start : end - 1) + 1;
  const what = left.map((each) => quote(each.trim())).join(" and ");
  const where = edge === "first" ? `before line ${line}` : `after line ${line}`;
  const warning = `The old text has ${what} ${where}, the file has not: ${left.length === 1 ? "that line was" : "those lines were"} left out, and the file's own stay as they are.`;
  return { exact, wanted, warning };
}
