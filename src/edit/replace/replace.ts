// Exact edits: a batch on the original text, all or nothing; the first of several places; insertion at a line.
import { strictOptions, validate } from "../../api/options.ts";
import type { Refusal } from "../../core/failure.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import type { LineSpan } from "../../core/refusal-details.ts";
import { refuse } from "../../words/index.ts";
import { exactSplices, placesIn } from "../ladder/exact.ts";
import { cutsCharacter, cutsWord, MAX_RANGES, refuseTooLong } from "../ladder/place.ts";
import { eolNear, splitLines } from "../text/lines.ts";
import { contains, occurrences, occurrencesApart } from "../text/occurrences.ts";
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
import { missing } from "./suggest.ts";

/** Replaces `oldText` literally. The text must have it once, `expectedOccurrences` times or, with `replaceAll`, at least once. */
export interface ExactEdit {
  /** The text to replace. */
  readonly oldText: string;
  /** The text that replaces it. */
  readonly newText: string;
  /** How many places old text has, all of which are replaced; 1 by default. */
  readonly expectedOccurrences?: number;
  /** Replaces all places, however many. */
  readonly replaceAll?: boolean;
}

const EDIT = strictOptions<ExactEdit>({ oldText: true, newText: true, expectedOccurrences: true, replaceAll: true });

/** A place in the original text; lines are 1-based and inclusive. */
export interface MatchRange extends LineSpan {
  /** Offset of its first unit. */
  readonly startOffset: number;
  /** Offset behind its last unit. */
  readonly endOffset: number;
}

/** Where one edit of a batch landed. */
export interface AppliedEdit {
  /** Index in the batch. */
  readonly editIndex: number;
  /** How many places it replaces. */
  readonly occurrences: number;
  /** The places in the original text. */
  readonly ranges: readonly MatchRange[];
}

/** The result of a batch of edits. */
export interface ReplaceResult {
  /** On the original text. */
  readonly splices: Splice[];
  /** One for each edit. */
  readonly applied: AppliedEdit[];
}

/** Applies a batch. Old text with LF matches lines with CRLF, and every line keeps its own ending. */
export function replaceEdits(text: string, given: readonly ExactEdit[]): ReplaceResult {
  for (const edit of given) validate(edit, EDIT, { noObject: "An edit is given as an object.", noun: "field" });
  const edits = given.map((edit) => namingStrayBytes(text, edit));
  const source = sourceOf(text);
  const view = lfView(text);
  const applied: AppliedEdit[] = [];
  let left: number = CALL_LIMITS.replacements;
  for (const index of edits.keys()) {
    const found = match(source, view, edits, index, left);
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
  throw refuse("old_text_unchanged", {});
}

export interface FirstReplaced {
  readonly splices: readonly Splice[];
  /** How many places old text has, without overlaps. */
  readonly found: number;
}

/** Replaces the first of several places. */
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
  refuseHalfPairs(view, places, toLf(edit.oldText).length, { editIndex: 0, edits: 1 });
  const span = { start: view.toOriginal(first), end: view.toOriginal(first + toLf(edit.oldText).length) };
  return { splices: exactSplices(sourceOf(text), span, edit), found: places.length };
}

/** The index of an edit, and how many the batch has. */
interface InBatch {
  readonly editIndex: number;
  readonly edits: number;
}

function refuseHalfPairs({ text }: LfView, places: readonly number[], length: number, batch: InBatch): void {
  if (places.some((at) => cutsCharacter(text, at, at + length))) throw refuse("old_text_halves_surrogates", batch);
}

/** `left`: how many more places the call may replace. */
function match(
  source: Source,
  view: LfView,
  edits: readonly ExactEdit[],
  editIndex: number,
  left: number,
): AppliedEdit {
  const edit = edits[editIndex]!;
  const batch: InBatch = { editIndex, edits: edits.length };
  const oldText = toLf(edit.oldText);
  if (oldText === "") throw refuse("old_text_empty", batch);
  const places = (find: typeof occurrences) => placesIn(source.text, view, edit, find);
  const separate = places(occurrencesApart);
  if (separate.length === 0) {
    if (edits.length === 1 && view.text === toLf(edit.newText))
      throw refuse("edit_already_applied", { ...linesOf(source, 0, source.text.length), how: "instead" });
    throw notFound(source, view, edits, editIndex);
  }
  refuseHalfPairs(view, separate, oldText.length, batch);
  // With overlapping matches only "all" has a definite count.
  const all = edit.replaceAll ? separate : places(occurrences);
  const expected = edit.expectedOccurrences ?? (edit.replaceAll ? all.length : 1);
  const isRight = separate.length === expected && all.length === expected;
  if (isRight && all.length > left)
    throw refuse("old_text_in_too_many_places", { ...batch, limit: CALL_LIMITS.replacements, left });
  const range = (at: number): MatchRange => {
    const startOffset = view.toOriginal(at);
    const endOffset = view.toOriginal(at + oldText.length);
    const { startLine, endLine } = linesOf(source, startOffset, endOffset);
    return { startLine, endLine, startOffset, endOffset };
  };
  if (!isRight) {
    const ranges = all.slice(0, MAX_RANGES).map(range);
    const isStated = expected !== 1 || edit.expectedOccurrences !== undefined;
    const overlap = separate.length < all.length;
    throw refuse("old_text_miscounted", { ...batch, found: all.length, expected, isStated, overlap, ranges });
  }
  return { editIndex, occurrences: separate.length, ranges: separate.map(range) };
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
    const editIndices = [before.editIndex, span.editIndex].sort((a, b) => a - b);
    const [startLine, endLine] = [span.range.startLine, before.range.endLine];
    throw refuse("edits_overlap", { editIndices, startLine, endLine });
  }
}

function notFound(source: Source, view: LfView, edits: readonly ExactEdit[], editIndex: number): Refusal {
  const { oldText, newText } = edits[editIndex]!;
  const earlier = edits.slice(0, editIndex).findIndex((each) => contains(each.newText, oldText));
  if (earlier >= 0) return refuse("old_text_of_earlier_edit", { editIndex, earlier });
  const newTextAt = onlyPlaceOf(toLf(newText), source, view);
  return missing(source.text, oldText, { newTextAt, editIndex, edits: edits.length });
}

/** Returns the lines of a text that the file has once, as whole words. */
function onlyPlaceOf(text: string, source: Source, view: LfView): LineSpan | undefined {
  const [at, another] = text.trim() === "" ? [] : occurrences(view.text, text, 2);
  if (at === undefined || another !== undefined) return undefined;
  const end = at + text.length;
  if (cutsWord(view.text, at, end)) return undefined;
  return linesOf(source, view.toOriginal(at), view.toOriginal(end));
}

/**
 * Inserts `newText` as whole lines before line `line` (1-based). The number behind the last line appends. Inserted lines
 * take the line ending of their neighbour, and the file keeps its final newline or the lack of it.
 */
export function insertAtLine(text: string, line: number, newText: string): Splice[] {
  const { bare, shifted } = withoutBom(text);
  return shifted(insertion(bare, line, newText));
}

function insertion(text: string, line: number, newText: string): Splice[] {
  const lines = splitLines(text);
  if (!Number.isInteger(line) || line < 1 || line > lines.length + 1) {
    throw refuse("insert_out_of_range", { line, lineCount: lines.length });
  }
  if (newText === "") throw refuse("insert_empty", {});
  const eol = eolNear(lines, line - 2);
  const body = toLf(newText).replaceAll("\n", eol);
  const whole = body.endsWith(eol) ? body : body + eol;
  const before = lines[line - 1];
  if (before) return [{ start: before.start, end: before.start, text: whole }];
  const openEnd = lines.at(-1)?.eol === "";
  return [{ start: text.length, end: text.length, text: openEnd ? eol + whole.slice(0, -eol.length) : whole }];
}
