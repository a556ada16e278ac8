// Exact edits: a batch on the original text, all or nothing; the first of several places; lines inserted at a number.
import { Refusal } from "../../core/failure.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import { strictOptions, validate } from "../../core/options.ts";
import { plural } from "../../core/plural.ts";
import { lineList } from "../../words/visible.ts";
import { exactSplices, placesIn } from "../ladder/exact.ts";
import { cutsWord } from "../ladder/place.ts";
import { alreadyApplied, type LineRange, notFound as missingText, refuseTooLong } from "../ladder/refuse.ts";
import { dominantEol, splitLines } from "../text/lines.ts";
import { contains, countOccurrences, occurrences, occurrencesApart } from "../text/occurrences.ts";
import {
  type LfView,
  lfView,
  linesOf,
  namingStrayBytes,
  type Source,
  sourceOf,
  toLf,
  withoutBom,
} from "../text/source.ts";
import type { Splice } from "../text/splice.ts";

/** Replace `oldText` by `newText`, literally. It must be there once, `expectedOccurrences` times, or, with `replaceAll`, at all. */
export interface ExactEdit {
  /** What is there. */
  readonly oldText: string;
  /** What shall be there. */
  readonly newText: string;
  /** How often old text is there, and is replaced; 1 unless given. */
  readonly expectedOccurrences?: number;
  /** Wherever it is, however often. */
  readonly replaceAll?: boolean;
}

const EDIT = strictOptions<ExactEdit>({ oldText: true, newText: true, expectedOccurrences: true, replaceAll: true });

/** Lines 1-based and inclusive, offsets into the original text. */
export interface MatchRange extends LineRange {
  /** Where it begins. */
  readonly startOffset: number;
  /** Behind its last unit. */
  readonly endOffset: number;
}

/** Where one edit of a batch landed. */
export interface AppliedEdit {
  /** Its place in the batch, from 0 on. */
  readonly editIndex: number;
  /** How many places it replaced. */
  readonly occurrences: number;
  /** Those places, in the original text. */
  readonly ranges: readonly MatchRange[];
}

/** What a batch of edits comes to. */
export interface ReplaceResult {
  /** On the original text. */
  readonly splices: Splice[];
  /** One for each edit. */
  readonly applied: AppliedEdit[];
}

/** Line endings aside: old text with LF matches lines with CRLF, and every line keeps its own. */
export function replaceEdits(text: string, given: readonly ExactEdit[]): ReplaceResult {
  for (const edit of given) validate(edit, EDIT, { noObject: "An edit is given as an object.", noun: "field" });
  const edits = given.map((edit) => namingStrayBytes(text, edit));
  const source = sourceOf(text);
  const view = lfView(text);
  const applied: AppliedEdit[] = [];
  let left: number = CALL_LIMITS.replacements;
  for (const [index, edit] of edits.entries()) {
    const found = match(source, view, edit, { index, edits, left });
    applied.push(found);
    left -= found.occurrences;
  }
  refuseOverlap(applied);
  refuseTooLong(
    applied.reduce((sum, { editIndex, occurrences: n }) => sum + edits[editIndex]!.newText.length * n, text.length),
  );
  const splices = applied.flatMap(({ ranges, editIndex }) => {
    const edit = edits[editIndex]!;
    return ranges.flatMap(({ startOffset, endOffset }) =>
      exactSplices(source, { start: startOffset, end: endOffset }, edit),
    );
  });
  if (splices.length > 0) return { splices, applied };
  throw new Refusal("no_change", "The edits leave the text as it is: old and new text are the same.", {
    next: "Give the new text with the change in it.",
  });
}

export interface FirstReplaced {
  readonly splices: readonly Splice[];
  /** How often the old text is there, overlaps not counted. */
  readonly found: number;
}

/** As `replaceEdits` with one edit, but several occurrences are no reason to refuse. */
export function replaceFirst(
  text: string,
  given: { readonly oldText: string; readonly newText: string },
): FirstReplaced {
  const edit = namingStrayBytes(text, given);
  const view = lfView(text);
  const places = placesIn(text, view, edit, occurrencesApart);
  const [first] = places;
  if (first === undefined || places.length === 1 || edit.oldText === edit.newText) {
    return { splices: replaceEdits(text, [{ ...edit, replaceAll: true }]).splices, found: places.length };
  }
  refuseHalfPairs(view, places, toLf(edit.oldText).length, { index: 0, edits: [edit] });
  const span = { start: view.toOriginal(first), end: view.toOriginal(first + toLf(edit.oldText).length) };
  return { splices: exactSplices(sourceOf(text), span, edit), found: places.length };
}

/** Which edit of the batch: named in a refusal only where there are several. */
interface Position {
  readonly index: number;
  readonly edits: readonly ExactEdit[];
  /** How many places it may replace: what the edits before it leave. */
  readonly left: number;
}

type InBatch = Pick<Position, "index" | "edits">;

function refuseHalfPairs({ text }: LfView, places: readonly number[], length: number, position: InBatch): void {
  const isCut = (at: number) => /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.max(0, at - 1), at + 1));
  if (!places.some((at) => isCut(at) || isCut(at + length))) return;
  const why = `${the("old text", position)} begins or ends with half of a surrogate pair.`;
  throw new Refusal("not_text", why, { next: "Give the whole character.", details: { editIndex: position.index } });
}

function match(source: Source, view: LfView, edit: ExactEdit, position: Position): AppliedEdit {
  const editIndex = position.index;
  const oldText = toLf(edit.oldText);
  if (oldText === "") {
    throw new Refusal("empty_old_text", `${the("old text", position)} is empty: an edit replaces text that is there.`, {
      next: "Give the text to replace.",
      details: { editIndex },
    });
  }
  const most = CALL_LIMITS.replacements;
  const places = (find: typeof occurrences) => placesIn(source.text, view, edit, find, most + 1);
  const separate = places(occurrencesApart);
  if (separate.length === 0) {
    if (position.edits.length === 1 && view.text === toLf(edit.newText))
      throw alreadyApplied(linesOf(source, 0, source.text.length));
    throw notFound(source, view, edit, position);
  }
  refuseHalfPairs(view, separate, oldText.length, position);
  // Overlapping matches make the count a matter of opinion: only "all" has one answer.
  const all = edit.replaceAll ? separate : places(occurrences);
  const expected = edit.expectedOccurrences ?? (edit.replaceAll ? all.length : 1);
  const isRight = separate.length === expected && all.length === expected;
  if (expected > (isRight ? position.left : most)) throw tooManyPlaces(position);
  const range = (at: number): MatchRange => {
    const startOffset = view.toOriginal(at);
    const endOffset = view.toOriginal(at + oldText.length);
    const { startLine, endLine } = linesOf(source, startOffset, endOffset);
    return { startLine, endLine, startOffset, endOffset };
  };
  if (!isRight) {
    const found = all.length > most ? countOccurrences(view.text, oldText) : all.length;
    const ranges = all.slice(0, MAX_RANGES).map(range);
    throw wrongCount(ranges, found, { expected, overlap: separate.length < all.length }, position);
  }
  return { editIndex, occurrences: separate.length, ranges: separate.map(range) };
}

function tooManyPlaces(position: Position): Refusal {
  const { replacements } = CALL_LIMITS;
  const left = position.left < replacements ? `, of which the edits before it leave ${position.left}` : "";
  return new Refusal(
    "invalid_input",
    `${the("old text", position)} is in more places than one call replaces: at most ${replacements}${left}.`,
    {
      next: "Give a longer old text that is in fewer places.",
      details: { editIndex: position.index, limit: replacements },
    },
  );
}

function refuseOverlap(applied: readonly AppliedEdit[]): void {
  if (applied.length === 1) return;
  const spans = applied
    .flatMap(({ editIndex, ranges }) => ranges.map((range) => ({ editIndex, range })))
    .sort((a, b) => a.range.startOffset - b.range.startOffset || a.range.endOffset - b.range.endOffset);
  for (let n = 1; n < spans.length; n++) {
    const before = spans[n - 1]!;
    const span = spans[n]!;
    if (span.range.startOffset >= before.range.endOffset) continue;
    const both = [before.editIndex, span.editIndex].sort((a, b) => a - b);
    throw new Refusal(
      "overlapping_edits",
      `Edits ${both[0]! + 1} and ${both[1]! + 1} both change text at ${lineList([{ startLine: span.range.startLine, endLine: before.range.endLine }])}.`,
      { next: "Make one edit of the two.", details: { conflictingEditIndices: both } },
    );
  }
}

function notFound(source: Source, view: LfView, { oldText, newText }: ExactEdit, position: Position): Refusal {
  const before = position.edits.slice(0, position.index).findIndex((each) => contains(each.newText, oldText)) + 1;
  if (before > 0) {
    const why = ` is not in the file: edit ${before} puts it there, and all edits are matched on the file as it was before the call.`;
    return new Refusal("old_text_not_found", `${the("old text", position)}${why}`, {
      next: `Put that change into the new text of edit ${before}, or send edit ${position.index + 1} in a later call.`,
      details: { editIndex: position.index, candidates: [] },
    });
  }
  const edit = { editIndex: position.index, called: the("old text", position) };
  return missingText(source.text, oldText, { elsewhere: onlyPlaceOf(toLf(newText), source, view), edit });
}

/** The lines of a text that is there once, not within words. */
function onlyPlaceOf(text: string, source: Source, view: LfView): LineRange | undefined {
  const [at, another] = text.trim() === "" ? [] : occurrences(view.text, text, 2);
  if (at === undefined || another !== undefined) return undefined;
  const end = at + text.length;
  if (cutsWord(view.text, at, end)) return undefined;
  return linesOf(source, view.toOriginal(at), view.toOriginal(end));
}

function wrongCount(
  ranges: readonly MatchRange[],
  found: number,
  { expected, overlap }: { readonly expected: number; readonly overlap: boolean },
  position: Position,
): Refusal {
  const details = { editIndex: position.index, matchCount: found, expectedOccurrences: expected, matchRanges: ranges };
  const places = `${the("old text", position)} is in ${plural(found, "place")}, ${lineList(ranges, 8, found)}`;
  const were = expected === 1 ? "1 was" : `${expected} were`;
  const [but, next] = overlap
    ? [", and some of them overlap", "Give a longer old text that is in one place."]
    : expected === 1 && position.edits[position.index]!.expectedOccurrences === undefined
      ? ["", "Add lines before or after it that only the right place has, or set expectedOccurrences."]
      : [`, and ${were} expected`, "Look at these lines and correct the old text or the number."];
  return new Refusal("multiple_matches", `${places}${but}.`, { next, details });
}

function the(what: string, { index, edits }: InBatch): string {
  return edits.length > 1 ? `Edit ${index + 1}: the ${what}` : `The ${what}`;
}

const MAX_RANGES = 100;

/**
 * Inserts `newText` as whole lines before line `line` (1-based); the line after the last one appends. Inserted lines
 * take the line ending of their neighbour, and the file keeps its final newline or the lack of it.
 */
export function insertAtLine(text: string, line: number, newText: string): Splice[] {
  const { bare, shifted } = withoutBom(text);
  return shifted(insertion(bare, line, newText));
}

function insertion(text: string, line: number, newText: string): Splice[] {
  const lines = splitLines(text);
  if (!Number.isInteger(line) || line < 1 || line > lines.length + 1) {
    throw new Refusal("line_out_of_range", `Line ${line} out of range (file has ${plural(lines.length, "line")}).`, {
      next: lines.length === 0 ? "The file is empty: give line 1." : `Give a line from 1 to ${lines.length + 1}.`,
      details: { line, lineCount: lines.length },
    });
  }
  if (newText === "") {
    throw new Refusal("no_change", "There is no text to insert.", { next: "Give the lines to insert." });
  }
  const neighbour = lines[line - 2] ?? lines[line - 1];
  const eol = neighbour?.eol || dominantEol(text);
  const body = toLf(newText).replaceAll("\n", eol);
  const whole = body.endsWith(eol) ? body : body + eol;
  const before = lines[line - 1];
  if (before) return [{ start: before.start, end: before.start, text: whole }];
  const openEnd = lines.at(-1)?.eol === "";
  return [{ start: text.length, end: text.length, text: openEnd ? eol + whole.slice(0, -eol.length) : whole }];
}
