// Refusals of the ladder: why, with line numbers, and the one next action.
import { type FailureKind, Refusal, WHOLE } from "../../core/failure.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import { type LineRange, lineList, quote, sideBySide } from "../../words/visible.ts";
import { diffLines } from "../diff/diff.ts";
import { copyNearest, describe, nearestPlaces } from "../replace/suggest.ts";
import { kindOfPlaceholder, omissionPlaceholders } from "../text/omission.ts";
import { linesOf, type Source } from "../text/source.ts";
import type { Wanted } from "./place.ts";

export type { LineRange };

/** `count` lines from line index `first`, in numbers for people. */
export function lineRange(first: number, count: number): LineRange {
  return { startLine: first + 1, endLine: first + count };
}

const OVERLOOKED: Readonly<Record<string, string>> = {
  line_endings: " (line endings aside)",
  trailing_whitespace: " (blanks at line ends aside)",
  unicode: " (look-alike quotes, dashes and spaces aside)",
  whitespace_collapse: " (amount of blank space aside)",
  indentation: " (indentation aside)",
  elision: " (a part next to the placeholder)",
  gap: " (blank and comment lines aside)",
};

export function ambiguous(ranges: readonly LineRange[], level: string, count = ranges.length): Refusal {
  return new Refusal(
    "multiple_matches",
    `The old text is in ${count} places${OVERLOOKED[level] ?? ""}: ${lineList(ranges, 8, count)}.`,
    {
      next: "Add lines before or after it that only the right place has.",
      details: { level, matchCount: count, matchRanges: ranges.slice(0, MAX_RANGES) },
    },
  );
}

/** As many as a refusal lists. */
export const MAX_RANGES = 100;

/** A refusal about lines of the file, which its details name. */
export function refusalAt(kind: FailureKind, { startLine, endLine }: LineRange, why: string, next: string): Refusal {
  return new Refusal(kind, why, { next, details: { startLine, endLine } });
}

export function midToken(source: Source, start: number, end: number): Refusal {
  const range = linesOf(source, start, end);
  const lines = lineList([range]);
  const cut = wordAt(source.text, start) ?? wordAt(source.text, end) ?? "";
  const why = `The old text matches ${lines} only up to the middle of the word ${quote(cut)}, so it is probably another place.`;
  return refusalAt("mid_token", range, why, `Read ${lines} and give whole words.`);
}

export function midCharacter(source: Source, start: number, end: number): Refusal {
  const range = linesOf(source, start, end);
  const lines = lineList([range]);
  const why = `The old text matches ${lines} only up to the middle of a character.`;
  return refusalAt("mid_token", range, why, `Read ${lines} and give whole characters.`);
}

/** The file's own characters in a line that changes would be replaced by the look-alikes of the new text. */
export function rewritesLine(line: number, file: string, wrote: string): Refusal {
  return refusalAt(
    "merge_conflict",
    lineRange(line - 1, 1),
    `Line ${line} changes, and the old text does not give it as the file has it: ${sideBySide(file, wrote)}.`,
    `Read line ${line}, copy it exactly into the old text, and write the new text from that.`,
  );
}

/** The word that `at` cuts in two. */
function wordAt(text: string, at: number): string | undefined {
  const before = /[\p{L}\p{N}_$@.-]+$/u.exec(text.slice(Math.max(0, at - 100), at))?.[0];
  const after = /^[\p{L}\p{N}_$@.-]+/u.exec(text.slice(at, at + 100))?.[0];
  return before && after ? before + after : undefined;
}

export function alreadyApplied(range: LineRange): Refusal {
  return already(range, `The old text is not in the file, and the new text already is, at ${lineList([range])}.`);
}

/** The lines that would be added are there, next to the old text. */
export function alreadyAround(range: LineRange): Refusal {
  return already(range, `The lines around the old text already make it the new text, at ${lineList([range])}.`);
}

/** Old text was found, and the file has there what new text asks for. */
export function alreadySo(range: LineRange): Refusal {
  return already(range, `The file already says what the new text asks for, at ${lineList([range])}.`);
}

/** The edit was made before. */
export function already(range: LineRange, why: string): Refusal {
  return refusalAt("already_applied", range, why, "Nothing is left to do here; go on with the next change.");
}

interface Missing {
  /** How many near places are named; 3 by default. */
  readonly maxSuggestions?: number | undefined;
  /** Lines that are the new text, which may or may not be this edit made before: only its caller can tell. */
  readonly elsewhere?: LineRange | undefined;
  /** Of several edits: which one, and what its old text is called. */
  readonly edit?: { readonly editIndex: number; readonly called: string };
}

export function notFound(text: string, oldText: string, { maxSuggestions = 3, elsewhere, edit }: Missing): Refusal {
  if (text === "")
    return new Refusal("old_text_not_found", "The file is empty.", { next: WHOLE, details: { empty: true } });
  const candidates = maxSuggestions === 0 ? [] : nearestPlaces(text, oldText, maxSuggestions);
  const [nearest] = candidates;
  const nothing = maxSuggestions === 0 ? "." : ", and nothing like it is.";
  const why = `${edit?.called ?? "The old text"} is not in the file${nearest ? `. ${describe(candidates)}\n` : nothing}`;
  const next = nearest ? copyNearest(nearest, text) : "Read the file again; check that it is the right one.";
  const details = {
    ...(edit && { editIndex: edit.editIndex }),
    candidates,
    // That nothing is named does not mean that nothing is similar.
    ...(maxSuggestions === 0 && { lookedForSimilar: false }),
  };
  if (elsewhere === undefined) return new Refusal("old_text_not_found", why, { next, details });
  const there = lineList([elsewhere]);
  const are = elsewhere.startLine === elsewhere.endLine ? "is" : "are";
  return new Refusal("old_text_not_found", `${why}${nearest ? "" : " "}Text equal to the new text is at ${there}.`, {
    next: `If ${there} ${are} this change, nothing is left to do. Else: ${next}`,
    details: { ...details, newTextAt: { ...elsewhere } },
  });
}

export function changeInGap(range: LineRange): Refusal {
  const lines = lineList([range]);
  const why = `The old text does not have ${lines} as the file has, right where the change would go.`;
  return refusalAt("merge_conflict", range, why, `Read ${lines} and give the text there exactly in the old text.`);
}

/** Found in more places than one call replaces. */
export function refuseTooMany(places: number): void {
  const { replacements } = CALL_LIMITS;
  if (places <= replacements) return;
  throw new Refusal(
    "invalid_input",
    `The old text is in more than ${replacements} places, which is the most that one call replaces.`,
    { next: "Give a longer old text that is in fewer places.", details: { limit: replacements } },
  );
}

/** Many places times a long text: more than a string can hold, let alone a file. */
export function refuseTooLong(length: number): void {
  if (length <= MAX_TEXT) return;
  throw new Refusal("file_too_large", `The result would be ${length} characters long.`, {
    next: "Replace fewer places, or by less text.",
    details: { length, longest: MAX_TEXT },
  });
}

const MAX_TEXT = 2 ** 28;

export function refuseBadArguments(oldText: string, newText: string): void {
  if (oldText === "") {
    throw new Refusal("empty_old_text", "The old text is empty: an edit replaces text that the file has.", {
      next: "Give the text to replace, or insert at a line number.",
    });
  }
  if (oldText !== newText) return;
  throw new Refusal("no_change", "Old and new text are the same.", {
    next: "Give the new text with the change in it.",
  });
}

/** "... rest unchanged ..." in new text would be written as it stands, in place of what it stands for. */
export function refuseNewPlaceholders(source: Source, { oldText, newText }: Wanted): void {
  const known = new Map<string, number>();
  for (const { text } of omissionPlaceholders(oldText)) known.set(text, (known.get(text) ?? 0) + 1);
  for (const { text, line } of omissionPlaceholders(newText)) {
    const left = known.get(text) ?? 0;
    if (left === 0) throw placeholderLeft(text, line);
    known.set(text, left - 1);
  }
  const swallowing = doubtfulForLines(source, oldText, newText);
  if (swallowing) throw placeholderLeft(newText.split("\n")[swallowing - 1]!.trim(), swallowing);
}

function placeholderLeft(text: string, line: number): Refusal {
  return new Refusal(
    "omission_placeholder",
    `Line ${line} of the new text, ${quote(text)}, stands for text that was left out; it would replace that text.`,
    { next: "Write the lines out, or edit only the lines that change.", details: { line, placeholder: text } },
  );
}

// A bare `...` is a statement in Python, "unchanged" a comment: where they take the place of several lines, an omission.
const MIN_SWALLOWED = 3;

/** The line of new text that takes the place of several lines and may stand for them. */
function doubtfulForLines(source: Source, oldText: string, newText: string): number | undefined {
  const newLines = newText.split("\n");
  const kinds = newLines.map(kindOfPlaceholder);
  if (!kinds.some((kind) => kind === "bare" || kind === "soft")) return undefined;
  const oldLines = oldText.split("\n");
  const known = new Set(oldLines.map((line) => line.trim()));
  const isBare = (line: string) => kindOfPlaceholder(line) === "bare";
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(oldLines, newLines)) {
    if (aEnd - aStart < MIN_SWALLOWED) continue;
    const fewer = aEnd - aStart - (bEnd - bStart) >= MIN_SWALLOWED;
    for (let at = bStart; at < bEnd; at++) {
      if (kinds[at] === "soft" && !known.has(newLines[at]!.trim())) return at + 1;
      if (kinds[at] === "bare" && fewer && !oldLines.some(isBare) && !source.lines.some(({ text }) => isBare(text))) {
        return at + 1;
      }
    }
  }
  return undefined;
}
