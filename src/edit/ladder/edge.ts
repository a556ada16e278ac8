// Level "edge": the file lacks the first or last line of old text, which new text repeats as context. The rest must be
// there exactly, once. Needed by real calls: it applies five that their own tool refused.

import { quote } from "../../words/visible.ts";
import { diffLines } from "../diff/diff.ts";
import { endOfBlock, isBlankLine } from "../text/blocks.ts";
import { similarity } from "../text/similarity.ts";
import type { Source } from "../text/source.ts";
import type { Lookup } from "./compare.ts";
import { type ExactFind, findExact, type Span } from "./exact.ts";
import { type Wanted, weightOf } from "./place.ts";
import { areOfOneKind, wordsOf } from "./typos.ts";

export interface EdgeFind {
  readonly exact: ExactFind;
  /** The arguments without the line that the file lacks. */
  readonly wanted: Wanted;
  readonly warning: string;
}

// Shorter text is often in other places, too.
const MIN_WEIGHT = 60;

type Edge = "first" | "last";

/** Finds nothing when leaving out either edge would do: neither is certain. */
export function findWithoutEdge(lookup: Lookup, wanted: Wanted): EdgeFind | undefined {
  const { source } = lookup;
  const found = (["first", "last"] as const).flatMap((edge) => withoutLine(source, wanted, edge) ?? []);
  const [one] = found;
  if (found.length !== 1 || one?.exact.found !== 1 || !isSafe(lookup, one)) return undefined;
  return describeFind(source, one);
}

interface Candidate {
  readonly edge: Edge;
  /** The line of old and new text that the file lacks. */
  readonly line: string;
  readonly wanted: Wanted;
  /** Old and new text both end in a newline. */
  readonly ended: boolean;
  readonly exact: ExactFind;
}

function withoutLine(source: Source, given: Wanted, edge: Edge): Candidate | undefined {
  const ended = given.oldText.endsWith("\n") && given.newText.endsWith("\n");
  const end = ended ? "\n" : "";
  const linesOf = (text: string) => text.slice(0, text.length - end.length).split("\n");
  const [oldLines, newLines] = [linesOf(given.oldText), linesOf(given.newText)];
  if (oldLines.length < 2 || newLines.length < 2) return undefined;
  const rest = (lines: readonly string[]) => (edge === "first" ? lines.slice(1) : lines.slice(0, -1));
  const at = edge === "first" ? 0 : -1;
  const line = oldLines.at(at)!;
  if (line !== newLines.at(at)) return undefined;
  const wanted = { oldText: rest(oldLines).join("\n") + end, newText: rest(newLines).join("\n") + end };
  if (wanted.oldText === wanted.newText || weightOf([wanted.oldText]) < MIN_WEIGHT) return undefined;
  const exact = findExact(source, wanted, wanted);
  const spans = exact?.spans.filter((span) => isWholeLines(source, span, ended)) ?? [];
  if (exact === undefined || spans.length === 0) return undefined;
  const found = exact.found - exact.spans.length + spans.length;
  return { edge, line, wanted, ended, exact: { ...exact, found, spans } };
}

function isWholeLines({ text }: Source, { start, end }: Span, ended: boolean): boolean {
  if (start > 0 && text[start - 1] !== "\n") return false;
  return ended ? text[end - 1] === "\n" : end === text.length || /^\r?\n/.test(text.slice(end, end + 2));
}

/** False when the missing line may be what tells this place from the intended one. */
function isSafe(lookup: Lookup, candidate: Candidate): boolean {
  const { edge, line, wanted } = candidate;
  // If the file has the line elsewhere, the place beside it may be the intended one.
  if (isBlankLine(line) || lookup.idsOf([line])[0]! >= 0) return false;
  const there = beside(lookup.source, candidate);
  const said = (text = "") => (text.match(SAID) ?? []).join(" ");
  if (said(line) !== said(there)) {
    if (isSibling(line, there)) return false;
    const opens = endOfBlock([line, ...wanted.oldText.split("\n")], 0) > 1;
    if (edge === "first" && (opens || !SAID_BESIDE.test(line))) return false;
  }
  return !insertsAtEdge(wanted, edge) || there === undefined || isBlankLine(there);
}

/** The file's line at that edge, if any. */
function beside({ lines, lineAt }: Source, { edge, ended, exact }: Candidate): string | undefined {
  const { start, end } = exact.spans[0]!;
  return lines[edge === "first" ? lineAt(start) - 1 : lineAt(end) + (ended ? 0 : 1)]?.text;
}

const ALIKE = 0.5;
// `SAID_BESIDE`: a comment or a whole statement. Any other line may name what the lines below belong to.
const SAID = /[\p{L}\p{N}_$]+|[!<>=]=*|[-+*/%&|^~?]/gu;
const SAID_BESIDE = /^\s*\/[/*]|[;,]\s*$/;

/** True for lines of one kind or with half their words in common: siblings, typos, or a changed line. */
function isSibling(line: string, there: string | undefined): boolean {
  if (there === undefined || isBlankLine(there)) return false;
  const [words, others] = [wordsOf(line), wordsOf(there)];
  if (areOfOneKind(line, there) || similarity(line.trim(), there.trim()) >= ALIKE) return true;
  const shared = words.filter((word) => others.includes(word)).length;
  return 2 * shared >= Math.min(words.length, others.length) && shared > 0;
}

/** True when new lines would go to the edge where the file differs from old text. */
function insertsAtEdge({ oldText, newText }: Wanted, edge: Edge): boolean {
  const oldLines = oldText.split("\n");
  const end = oldText.endsWith("\n") ? oldLines.length - 1 : oldLines.length;
  return diffLines(oldLines, newText.split("\n")).some(
    ({ aStart, aEnd }) => aStart === aEnd && (edge === "first" ? aStart === 0 : aStart === end),
  );
}

function describeFind(source: Source, { edge, line, wanted, exact }: Candidate): EdgeFind {
  const { start, end } = exact.spans[0]!;
  const at = source.lineAt(edge === "first" ? start : end - 1) + 1;
  const where = edge === "first" ? `before line ${at}` : `after line ${at}`;
  const warning = `The old text has ${quote(line.trim())} ${where}, the file has not: that line was left out, and the file's own stay as they are.`;
  return { exact, wanted, warning };
}
