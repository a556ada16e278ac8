// Words about edits of text: what the file has, what the old text says, and how the two differ.
import { printableMessage } from "../core/printable.ts";
import type { Candidate, LineSpan } from "../core/refusal-details.ts";
import { lineList, linesBetween, plural } from "./plural.ts";
import type { Catalogue } from "./row.ts";
import { quote, quoteVisible, sideBySide, visible } from "./visible.ts";

/** What a level overlooks when it compares. */
const OVERLOOKED: Readonly<Record<string, string>> = {
  line_endings: " (line endings aside)",
  trailing_whitespace: " (blanks at line ends aside)",
  unicode: " (look-alike quotes, dashes and spaces aside)",
  whitespace_collapse: " (amount of blank space aside)",
  indentation: " (indentation aside)",
  elision: " (a part next to the placeholder)",
  gap: " (blank and comment lines aside)",
};

/** Where the text is that an edit would have made. */
const APPLIED = {
  instead: "The old text is not in the file, and the new text already is",
  around: "The lines around the old text already make it the new text",
  there: "The file already says what the new text asks for",
  same: "The new text is the same as the old one",
};

/** The index of an edit, and how many the call has: one that comes alone is not numbered. */
type InBatch = { editIndex?: number; edits?: number };
type OfLine = { line: number };
type Sides = { file: string; wrote: string };

type Missing = InBatch & {
  /** The most alike first. */
  readonly candidates: readonly Candidate[];
  /** The file has the text of the first candidate only there. */
  readonly isUnique: boolean;
  readonly lookedForSimilar?: false | undefined;
  readonly newTextAt?: LineSpan | undefined;
};

export const EDIT = {
  old_text_empty: ({ editIndex, edits }: InBatch) => ({
    kind: "empty_old_text",
    why: `${theOldText({ editIndex, edits })} is empty: an edit replaces text that is there.`,
    next: "Give the text to replace.",
    details: editIndex === undefined ? undefined : { editIndex },
  }),
  old_text_unchanged: (_: object) => ({
    kind: "no_change",
    why: "Old and new text are the same.",
    next: "Give the new text with the change in it.",
  }),
  old_text_of_empty_file: (_: object) => ({
    kind: "old_text_not_found",
    why: "The file is empty.",
    next: "Write the whole file in place of editing it.",
    details: { empty: true },
  }),
  old_text_missing: ({ candidates, isUnique, newTextAt, ...facts }: Missing) => {
    const [nearest] = candidates;
    const nothing = facts.lookedForSimilar === false ? "." : ", and nothing like it is.";
    const why = `${theOldText(facts)} is not in the file${nearest ? `. ${describeCandidates(candidates)}\n` : nothing}`;
    const next = nearest ? copying(nearest, isUnique) : "Read the file again; check that it is the right one.";
    const there = newTextAt && linesOf(newTextAt);
    const are = newTextAt?.startLine === newTextAt?.endLine ? "is" : "are";
    return {
      kind: "old_text_not_found",
      why: there ? `${why}${nearest ? "" : " "}Text equal to the new text is at ${there}.` : why,
      next: there ? `If ${there} ${are} this change, nothing is left to do. Else: ${next}` : next,
      details: { editIndex: facts.editIndex, candidates, lookedForSimilar: facts.lookedForSimilar, newTextAt },
    };
  },
  old_text_of_earlier_edit: ({ editIndex, earlier }: { editIndex: number; earlier: number }) => ({
    kind: "old_text_not_found",
    why: `Edit ${editIndex + 1}: the old text is not in the file: edit ${earlier + 1} puts it there, and all edits are matched on the file as it was before the call.`,
    next: `Put that change into the new text of edit ${earlier + 1}, or send edit ${editIndex + 1} in a later call.`,
    details: { editIndex, candidates: [] },
  }),
  old_text_in_several_places: (facts: { ranges: readonly LineSpan[]; level: string; found: number }) => ({
    kind: "multiple_matches",
    why: `The old text is in ${facts.found} places${OVERLOOKED[facts.level] ?? ""}: ${lineList(facts.ranges, 8, facts.found)}.`,
    next: "Add lines before or after it that only the right place has.",
    details: { level: facts.level, matchCount: facts.found, matchRanges: facts.ranges },
  }),
  /** `isStated`: the caller named the number that it expects. */
  old_text_miscounted: ({
    found,
    expected,
    ranges,
    ...facts
  }: InBatch & {
    found: number;
    expected: number;
    isStated: boolean;
    overlap: boolean;
    ranges: readonly LineSpan[];
  }) => {
    const [but, next] = facts.overlap
      ? [", and some of them overlap", "Give a longer old text that is in one place."]
      : facts.isStated
        ? [
            `, and ${expected} ${expected === 1 ? "was" : "were"} expected`,
            "Look at these lines and correct the old text or the number.",
          ]
        : ["", "Add lines before or after it that only the right place has, or set expectedOccurrences."];
    return {
      kind: "multiple_matches",
      why: `${theOldText(facts)} is in ${plural(found, "place")}, ${lineList(ranges, 8, found)}${but}.`,
      next,
      details: { editIndex: facts.editIndex, matchCount: found, expectedOccurrences: expected, matchRanges: ranges },
    };
  },
  old_text_in_too_many_places: ({ limit, left = limit, ...batch }: InBatch & { limit: number; left?: number }) => ({
    kind: "invalid_input",
    why: `${theOldText(batch)} is in more places than one call replaces: at most ${limit}${left < limit ? `, of which the edits before it leave ${left}` : ""}.`,
    next: "Give a longer old text that is in fewer places.",
    details: { editIndex: batch.editIndex, limit },
  }),
  /** `word`: the word that is cut; without it a character is. */
  old_text_is_cut: ({ word, ...range }: LineSpan & { word?: string }) => ({
    kind: "mid_token",
    why: `The old text matches ${linesOf(range)} only up to the middle of ${word === undefined ? "a character" : `the word ${quote(word)}, so it is probably another place`}.`,
    next: `Read ${linesOf(range)} and give whole ${word === undefined ? "characters" : "words"}.`,
    details: range,
  }),
  old_text_halves_surrogates: (facts: InBatch) => ({
    kind: "not_text",
    why: `${theOldText(facts)} begins or ends with half of a surrogate pair.`,
    next: "Give the whole character.",
    details: { editIndex: facts.editIndex },
  }),
  old_text_names_byte_twice: (_: object) => ({
    kind: "not_text",
    why: "The old text fits a stray byte and, elsewhere, the same notation spelled out: reads show both alike.",
    next: "Add text before or after it that only the right place has.",
  }),
  edit_already_applied: ({ how, ...range }: LineSpan & { how: keyof typeof APPLIED }) => ({
    kind: "already_applied",
    why: `${APPLIED[how]}, at ${linesOf(range)}.`,
    next: "Nothing is left to do here; go on with the next change.",
    details: range,
  }),
  edits_overlap: ({ editIndices, ...range }: LineSpan & { editIndices: readonly number[] }) => ({
    kind: "overlapping_edits",
    why: `Edits ${editIndices[0]! + 1} and ${editIndices[1]! + 1} both change text at ${linesOf(range)}.`,
    next: "Make one edit of the two.",
    details: { conflictingEditIndices: editIndices },
  }),
  edit_result_too_long: ({ length, longest }: { length: number; longest: number }) => ({
    kind: "file_too_large",
    why: `The result would be ${length} characters long.`,
    next: "Replace fewer occurrences or use shorter text.",
    details: { length, longest },
  }),
  new_text_has_placeholder: ({ line, placeholder }: OfLine & { placeholder: string }) => ({
    kind: "omission_placeholder",
    why: `Line ${line} of the new text, ${quote(placeholder)}, stands for text that was left out; it would replace that text.`,
    next: "Write the lines out, or edit only the lines that change.",
    details: { line, placeholder },
  }),

  changed_line_differs: ({ line, file, wrote }: OfLine & Sides) => ({
    kind: "merge_conflict",
    why: `Line ${line} changes, and the old text does not give it as the file has it: ${sideBySide(file, wrote)}.`,
    next: `Read line ${line}, copy it exactly into the old text, and write the new text from that.`,
    details: { startLine: line, endLine: line },
  }),
  changed_lines_have_gap: (range: LineSpan) => ({
    kind: "merge_conflict",
    why: `The old text does not have ${linesOf(range)} as the file has, right where the change would go.`,
    next: `Read ${linesOf(range)} and give the text there exactly in the old text.`,
    details: { ...range },
  }),
  line_pairs_with_several: ({ line }: OfLine) => ({
    kind: "merge_conflict",
    why: `The old text does not give line ${line} and its neighbours as the file has them, and several lines of the new text could be that line.`,
    next: `Read line ${line} and copy it exactly into old and new text.`,
    details: { startLine: line, endLine: line },
  }),

  indentation_has_no_rule: ({ line, file, wrote, ...range }: LineSpan & OfLine & Sides) => ({
    kind: "indent_inconsistent",
    why: `The old text matches ${linesOf(range)} but for its indentation, and no single shift explains that. Line ${line}: ${sideBySide(file, wrote)}.`,
    next: `Read ${linesOf(range)} and copy the indentation exactly.`,
    details: range,
  }),
  indentation_of_new_line: ({ line, text }: OfLine & { text: string }) => ({
    kind: "indent_inconsistent",
    why: `The old text matches at line ${line} with other indentation, and the new line ${quote(text)} fits no single way of re-indenting it.`,
    next: `Read from line ${line} and copy the file's indentation into old and new text.`,
    details: { startLine: line },
  }),
  indentation_is_cut: (range: LineSpan) => ({
    kind: "indent_inconsistent",
    why: `The old text starts within the indentation of line ${range.startLine}, so the new lines would be indented less than that line.`,
    next: `Read ${linesOf(range)} and copy its whole indentation.`,
    details: { ...range },
  }),
  indentation_of_old_text_only: (range: LineSpan) => ({
    kind: "indent_inconsistent",
    why: `The old text matches ${linesOf(range)} with other indentation, but the new text is indented like the file.`,
    next: "Indent old and new text alike, as the file is.",
    details: { ...range },
  }),

  insert_out_of_range: ({ line, lineCount }: OfLine & { lineCount: number }) => ({
    kind: "line_out_of_range",
    why: `Line ${line} out of range (file has ${plural(lineCount, "line")}).`,
    next: lineCount === 0 ? "The file is empty: give line 1." : `Give a line from 1 to ${lineCount + 1}.`,
    details: { line, lineCount },
  }),
  insert_empty: (_: object) => ({
    kind: "no_change",
    why: "There is no text to insert.",
    next: "Give the lines to insert.",
  }),
} satisfies Catalogue;

function theOldText({ editIndex = 0, edits = 1 }: InBatch): string {
  return edits > 1 ? `Edit ${editIndex + 1}: the old text` : "The old text";
}

function linesOf({ startLine, endLine }: LineSpan): string {
  return linesBetween(startLine, endLine);
}

/** How a line of the file differs from the one that the old text has in its place. */
export function lineDifference(wrote: string | undefined, file: string | undefined, line: number): string {
  if (file === undefined) return `the file has no ${wrote ? quote(wrote) : "empty line"} before line ${line}`;
  if (wrote === undefined) return `line ${line} ${quote(file)} is not in the old text`;
  const isAlike = wrote.trim() === file.trim() || squeezed(wrote) === squeezed(file);
  return `line ${line}: ${sideBySide(file, wrote, isAlike ? quoteVisible : quote)}`;
}

function squeezed(line: string): string {
  return line.normalize().replace(/\s+/g, "");
}

const MAX_SHOWN = 40;
const MAX_SHOWN_BESIDE = 12;
const MAX_LINE = 500;

/** What differs in each place, then its text to copy. */
export function describeCandidates(candidates: readonly Candidate[]): string {
  return candidates
    .map(({ similarity, text, differences, ...range }, index) => {
      const head = `${index === 0 ? "Nearest" : "Also"}: ${linesOf(range)}, ${Math.min(99, Math.floor(similarity * 100))} % alike`;
      const why = differences.length > 0 ? ` (${differences.join("; ")})` : "";
      // One short line may have been quoted to the letter in what differs.
      const isQuoted = range.startLine === range.endLine && differences.some((each) => each.includes(quote(text)));
      return isQuoted
        ? `${head}${why}.`
        : `${head}${why}:\n${fenced(text, index === 0 ? MAX_SHOWN : MAX_SHOWN_BESIDE)}`;
    })
    .join("\n");
}

/** Advises to copy the nearest place only where it is shown whole and to the letter. */
function copying({ startLine, endLine, text }: Candidate, isUnique: boolean): string {
  const lines = linesBetween(startLine, endLine);
  const isShown = fenced(text, MAX_SHOWN) === `\`\`\`\n${text}\n\`\`\`` && !visible(text).includes("⟨U+");
  if (!isShown || printableMessage(text) !== text) return `Read ${lines} again and copy the text to replace exactly.`;
  const [are, their] = startLine === endLine ? ["is", "its"] : ["are", "their"];
  const beside = isUnique ? "" : ", with lines next to it that only this place has,";
  return `If ${lines} ${are} meant, give ${their} text${beside} as the old text, and the new text for all of it; else read the file again.`;
}

function fenced(text: string, maxLines: number): string {
  const lines = text.split("\n");
  const shown = lines.slice(0, maxLines).map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  const rest = lines.length - shown.length;
  return ["```", ...shown, ...(rest > 0 ? [`… ${plural(rest, "more line")}`] : []), "```"].join("\n");
}
