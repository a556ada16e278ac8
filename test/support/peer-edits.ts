// Recorded cases of other engines as single edits, and why we may answer differently.
import type { NotReplaced, Replaced } from "stet/edit";
import { casesOf } from "./edits.ts";

export interface SingleEdit {
  readonly name: string;
  readonly input: string;
  readonly old: string;
  readonly new: string;
  readonly replaceAll: boolean;
  /** What the recorded engine made of it; null where it refused. */
  readonly expected: string | null;
}

type Case = Record<string, unknown>;

export function singleEdits(group: string): SingleEdit[] {
  if (group === "continue-match") return casesOf("continue-find-replace", "match.json").flatMap(fromPosition);
  return casesOf(group).flatMap((recorded, index) => {
    const name = `${index} ${text(recorded.name) ?? text(recorded.test) ?? ""}`;
    if (group === "oh-my-pi-edit-match") return fromMatch(recorded, name);
    if (group === "aider-editblock") return fromLines(recorded, name);
    if (group === "roo-multi-search-replace") return fromBlock(recorded, name, ROO_BLOCK);
    if (group === "cline-diff") return recorded.isFinal === true ? fromBlock(recorded, name, CLINE_BLOCK) : [];
    return fromStrings(recorded, name);
  });
}

/** Our rule that makes the difference, or undefined when none does. */
export function reasonFor(edit: SingleEdit, result: Replaced | NotReplaced): string | undefined {
  if (!result.ok) return REFUSED[result.kind];
  if (result.strategy === "indentation")
    return "new lines take the indentation of the file, kept lines stay as they are";
  if (result.strategy.startsWith("line_numbers")) return "new text is written as given, blank lines included";
  if (result.strategy === "whitespace_collapse")
    return "new text is written as given, from the column that old text starts at";
  if (result.strategy === "exact" && edit.new === "") return "what is replaced by nothing leaves its line ending";
  return undefined;
}

const REFUSED: Readonly<Record<string, string>> = {
  empty_old_text: "an edit replaces text that is there; files are made by other means",
  multiple_matches: "the first of several is a guess",
  indent_inconsistent: "indentation that no single rule explains cannot be given to new lines",
  old_text_not_found: "words, case and missing blanks are not overlooked without proof that the text was seen",
  already_applied: "the new text is there already",
  merge_conflict: "the file's own lines could end up in several places",
};

function fromStrings(recorded: Case, name: string): SingleEdit[] {
  const input = text(recorded.input);
  const old = text(recorded.old);
  const replacement = text(recorded.new);
  if (input === undefined || old === undefined || replacement === undefined) return [];
  const replaceAll = recorded.replaceAll === true;
  return [{ name, input, old, new: replacement, replaceAll, expected: text(recorded.expected) ?? null }];
}

const MARK = "⟪replaced⟫";

function fromPosition(recorded: Case, index: number): SingleEdit[] {
  const input = text(recorded.input) ?? "";
  const match = recorded.match as { startIndex: number; endIndex: number } | null | undefined;
  const expected = match ? input.slice(0, match.startIndex) + MARK + input.slice(match.endIndex) : null;
  const name = `${index} ${text(recorded.name) ?? ""}`;
  return [{ name, input, old: text(recorded.old) ?? "", new: MARK, replaceAll: false, expected }];
}

function fromMatch(recorded: Case, name: string): SingleEdit[] {
  const input = text(recorded.input) ?? "";
  const { match } = recorded.result as { match?: { startIndex: number; actualText: string } };
  const expected = match
    ? input.slice(0, match.startIndex) + MARK + input.slice(match.startIndex + match.actualText.length)
    : null;
  return [{ name, input, old: text(recorded.old) ?? "", new: MARK, replaceAll: false, expected }];
}

function fromLines(recorded: Case, name: string): SingleEdit[] {
  const [input, old, replacement] =
    recorded.fn === "replace_most_similar_chunk"
      ? [recorded.whole, recorded.part, recorded.replace]
      : [recorded.whole_lines, recorded.part_lines, recorded.replace_lines];
  if (input === undefined || old === undefined || replacement === undefined) return [];
  const joined = (lines: unknown) => (Array.isArray(lines) ? lines.join("") : String(lines));
  const expected = text(recorded.expected) ?? null;
  return [{ name, input: joined(input), old: joined(old), new: joined(replacement), replaceAll: false, expected }];
}

const ROO_BLOCK =
  /<<<<<<< SEARCH[^\n]*\n(?::start_line:.*\n|:end_line:.*\n|-------\n)*([\s\S]*?)\n?=======\n([\s\S]*?)\n?>>>>>>> REPLACE/g;
const CLINE_BLOCK = /------- SEARCH\n([\s\S]*?)\n?=======\n([\s\S]*?)\n?\+\+\+\+\+\+\+ REPLACE/g;

/** A diff of one block. Its format knows whole lines only, so both texts end in a newline. */
function fromBlock(recorded: Case, name: string, block: RegExp): SingleEdit[] {
  const diff = (text(recorded.diff) ?? "").trimEnd();
  const blocks = [...diff.matchAll(block)];
  const [first] = blocks;
  if (
    blocks.length !== 1 ||
    !first ||
    first.index + first[0].length !== diff.length ||
    /(SEARCH|REPLACE)/.test(`${first[1]}${first[2]}`)
  )
    return [];
  const expected = recorded.ok === false ? null : (text(recorded.expected) ?? null);
  const replacement = first[2] === "" ? "" : `${first[2]}\n`;
  const old = `${first[1]}\n`;
  return [{ name, input: text(recorded.input) ?? "", old, new: replacement, replaceAll: false, expected }];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
