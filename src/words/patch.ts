// Words about patches: text that is no patch, and sections and hunks that do not fit the files.
import { inOrder } from "../core/failure.ts";
import type { Candidate, LineSpan } from "../core/refusal-details.ts";
import { describeCandidates } from "./edit.ts";
import { didYouMean } from "./plural.ts";
import type { Catalogue } from "./row.ts";

const SECTIONS = '"*** Add File: path", "*** Update File: path", "*** Delete File: path" or "*** Move File: a -> b"';
const ADDED_LINE = 'a line of the new file, starting with "+" also where it is empty';
const HUNK_LINE = 'a hunk line starting with " ", "-" or "+", "@@" or a "***" header';
const HUNK_HEADER = '"@@ -start,count +start,count @@"';
const HUNK_IN_FILE = `${HUNK_HEADER} below "--- a/path" and "+++ b/path"`;
const NO_NEWLINE = '"\\ No newline at end of file"';

/** What is wrong with a line of a patch, and what is expected there. */
const PROBLEMS = {
  no_patch: ["starts no patch", '"*** Begin Patch", or "--- a/path" followed by "+++ b/path"'],
  no_end: ["is missing", '"*** End Patch" as the last line'],
  behind_end: ["is", 'nothing behind "*** End Patch"'],
  empty_patch: ["ends an empty patch", `at least one section: ${SECTIONS}`],
  no_section: ["is no section header", SECTIONS],
  several_arrows: ["has several arrows", 'one " -> " between the old and the new path'],
  empty_update: ["ends an update without a change", 'a hunk that starts with "@@"'],
  no_name: ["names no file", "a path"],
  unclosed_name: ["has a badly quoted name", "a closing quote"],
  name_not_utf8: ["has a name that is not UTF-8", "a name in UTF-8"],
  no_added_line: ["is", ADDED_LINE],
  empty_added_line: ["is empty", ADDED_LINE],
  no_hunk_line: ["is", HUNK_LINE],
  empty_hunk: ["ends an empty hunk", HUNK_LINE],
  unchanging_hunk: ["ends a hunk that changes nothing", 'lines starting with "-" or "+"'],
  no_sign: ["is no line of a hunk", 'a first character " ", "-" or "+"'],
  no_hunk_header: ["is no hunk header", HUNK_HEADER],
  misplaced_marker: ["is out of place", 'the marker after the last "+" line'],
  marker_of_nothing: [`is ${NO_NEWLINE}`, "a line for it to follow"],
  behind_marker: ["follows the end of the file", `no more lines after ${NO_NEWLINE}`],
  half_header: ["is half a file header,", HUNK_IN_FILE],
  change_in_no_section: ["is a change in no section,", HUNK_IN_FILE],
  half_rename: ["begins half a rename", 'both "rename from" and "rename to"'],
  mode_contradicted: ["contradicts its own mode line", "/dev/null on the side where there is no file"],
  two_names: ["names two files", 'one name on "---" and "+++", or git\'s "rename from" and "rename to"'],
  two_git_names: ["names two files", '"diff --git a/path b/path", or "---" and "+++" lines below it'],
  no_hunk: ["ends a file section without a change", HUNK_HEADER],
  mixed_creation: ["creates a file", 'one hunk with only "+" lines and one side /dev/null'],
  mixed_deletion: ["deletes a file", 'one hunk with only "-" lines and one side /dev/null'],
  binary: ["starts a binary patch", "a text diff"],
} as const;

export type PatchProblem = keyof typeof PROBLEMS;

const UNSUPPORTED = {
  copy: "copies a file",
  special_file: "changes a link or a submodule",
  mode_only: "only changes the mode of a file",
};

/** A hunk by its index, and the line of the patch at which it begins. */
export type HunkFacts = { path: string; hunkIndex: number; patchLine: number };

/** Facts for the words alone; those of `MisfitAt` are details of the refusal, too. */
type Misfit = { text?: string; lastLine?: number; by?: string | number; candidates?: readonly Candidate[] };
type MisfitAt = { headerLine?: number; matchLine?: number; foundAtLine?: number; alreadyAppliedAtLine?: number };
type MisfitWords = (facts: HunkFacts & Misfit & MisfitAt) => readonly [reason: string, why: string, next: string];

const NO_CONTEXT = "Add the lines around the place as context lines to the hunk.";

const MISFITS = {
  added: ({ path, alreadyAppliedAtLine }) => [
    "already_applied",
    `does not fit the file: the file already has its new lines at line ${alreadyAppliedAtLine}.`,
    `${nothingLeft(path)} To add its lines once more, give those that are there as context lines.`,
  ],
  deleted: ({ path, alreadyAppliedAtLine }) => [
    "already_applied",
    `does not fit the file: the lines that it deletes are already gone at line ${alreadyAppliedAtLine}.`,
    nothingLeft(path),
  ],
  empty_file: () => [
    "context_not_found",
    "does not fit the file: the file is empty.",
    "Write the hunk with + lines only.",
  ],
  out_of_order: ({ foundAtLine }) => [
    "context_not_found",
    `does not fit the file: its lines stand at line ${foundAtLine}, above the end of the hunk before it.`,
    "Put the hunks in the order of the file, and join hunks that overlap.",
  ],
  not_at_end: ({ foundAtLine }) => [
    "context_not_found",
    `does not fit the file: it says that it reaches the end of the file, but its lines stand at line ${foundAtLine}.`,
    "Take the end-of-file marker out, or add the lines up to the end of the file.",
  ],
  missing: ({ path, text = "", candidates = [] }) => [
    "context_not_found",
    `does not fit the file: its lines are not in the file; they begin with ${quote(text)}.${candidates.length > 0 ? ` ${describeCandidates(candidates)}\n` : ""}`,
    `Read ${path} again and write the hunk with the file's exact lines.`,
  ],
  outside_header: ({ path, text = "", headerLine, matchLine, lastLine }) => [
    "header_mismatch",
    `names ${quote(text)} (line ${headerLine}), but its lines stand only ${lastLine === undefined ? "before it" : `behind what it opens, which ends at line ${lastLine}`}: at line ${matchLine}.`,
    `Read ${path} again and correct the "@@" header or the lines of the hunk.`,
  ],
  no_header: ({ path, text = "" }) => [
    "header_mismatch",
    `names ${quote(text)}, and no line there reads so.`,
    `Read ${path} again and correct the "@@" header, or leave it out.`,
  ],
  nowhere_by_header: ({ by }) => [
    "insert_without_context",
    `only adds lines and does not say where: no single line below the hunk before it reads ${JSON.stringify(by)}.`,
    NO_CONTEXT,
  ],
  nowhere_by_locator: () => [
    "insert_without_context",
    "only adds lines and does not say where: right behind the hunk before it, or at the end of the file.",
    NO_CONTEXT,
  ],
  nowhere_by_number: ({ by }) => [
    "insert_without_context",
    `only adds lines and does not say where: line ${by} is not the last, and a number alone does not prove a place.`,
    NO_CONTEXT,
  ],
} satisfies Readonly<Record<string, MisfitWords>>;

type Unreadable = { line: number; problem: PatchProblem; text?: string; behind?: { line: number; text: string } };
type Counts = { old: number; new: number };
type Several = HunkFacts & { ranges: readonly LineSpan[]; more: boolean; locatorLines?: readonly number[] };
type AtPath = { path: string };

export const PATCH = {
  patch_unreadable: ({ line, problem, text, behind }: Unreadable) => {
    const [found, expected] = PROBLEMS[problem];
    const after = behind === undefined ? "" : `, behind ${quote(behind.text)} in line ${behind.line}`;
    return unreadable(line, `${found}${text === undefined ? "" : ` ${quote(text)}`}${after}`, expected);
  },
  patch_unclosed: ({ line, opened, closing }: { line: number; opened: number; closing: string }) =>
    unreadable(line, "is missing", `${JSON.stringify(closing)}, which ends what line ${opened} begins`),
  patch_miscounted: (facts: { line: number; header: string; counted: Counts; found: Counts }) => {
    const { line, counted, found } = facts;
    const isCut = counted.old > found.old || counted.new > found.new;
    return {
      kind: "patch_parse_error",
      why: `Line ${line} of the patch counts ${counted.old} old and ${counted.new} new lines, but ${found.old} and ${found.new} follow.`,
      next: `Write "${facts.header}" in line ${line}${isCut ? ", or add the lines that are missing" : ""}, and send the whole patch again.`,
      details: { line, expected: `"${facts.header}"` },
    };
  },
  patch_section_unsupported: ({ line, problem }: { line: number; problem: keyof typeof UNSUPPORTED }) => ({
    kind: "unsupported",
    why: `The section at line ${line} of the patch ${UNSUPPORTED[problem]}, which is not supported.`,
    next: "Leave that section out.",
    details: { line },
  }),
  patch_of_many_files: ({ max }: { max: number }) => ({
    kind: "too_many_files",
    why: `The patch changes more than ${max} files.`,
    next: `Send it as several patches of at most ${max} files.`,
    details: { maxFiles: max },
  }),
  patch_of_many_hunks: ({ max }: { max: number }) => ({
    kind: "invalid_input",
    why: `The patch has more than ${max} hunks.`,
    next: `Send it as several patches of at most ${max} hunks.`,
    details: { maxHunks: max },
  }),

  patched_file_missing: (facts: AtPath & { updates: boolean; nearest?: readonly string[] }) => ({
    kind: "not_found",
    why: inOrder([
      `The patch changes ${facts.path}, which does not exist.`,
      facts.nearest && didYouMean(facts.nearest),
    ]),
    next: facts.updates ? "Check the path, or add the file as a new one." : "Check the path.",
    details: facts.nearest && { nearest: facts.nearest },
  }),
  patched_file_gone: (facts: AtPath & { line: number; goneLine: number; toPath?: string | undefined }) => ({
    kind: "not_found",
    why: `Line ${facts.line} of the patch names ${facts.path}, but line ${facts.goneLine} has ${facts.toPath === undefined ? "deleted it" : `moved it to ${facts.toPath}`}.`,
    next:
      facts.toPath === undefined
        ? "Keep one of the two sections, or delete the file and then add it whole."
        : `Name ${facts.toPath} instead.`,
  }),
  patched_file_exists: ({ path, moves }: AtPath & { moves: boolean }) => ({
    kind: "already_exists",
    why: `The patch would ${moves ? "move to" : "create"} ${path}, which already exists.`,
    next: "Update the existing file, or choose another path.",
  }),
  patch_moves_onto_itself: ({ path, line }: AtPath & { line: number }) => ({
    kind: "command_failed",
    why: `The patch moves ${path} onto itself, at line ${line} of it.`,
    next: "Name another destination, or use *** Update File to change the file where it is.",
    details: { line },
  }),
  patch_deletes_other_content: ({ path, patchLine, line }: AtPath & { patchLine: number; line: number }) => ({
    kind: "patch_apply_error",
    why: `The patch deletes ${path}, but the file differs from what it deletes at line ${line}.`,
    next: `Read ${path} again and write the patch from its current lines.`,
    details: { hunkIndex: 0, path, patchLine, reason: "context_not_found", differsAtLine: line },
  }),

  /** `text`: the line that the hunk or its header names. */
  hunk_misfit: (facts: HunkFacts & Misfit & MisfitAt & { problem: keyof typeof MISFITS }) => {
    const { problem, text: _t, lastLine: _l, by: _b, candidates, ...details } = facts;
    const [reason, why, next] = (MISFITS[problem] as MisfitWords)(facts);
    return {
      kind: "patch_apply_error",
      why: `${nameOf(facts)} ${why}`,
      next,
      details: { ...details, reason, nearestLine: candidates?.[0]?.startLine },
    };
  },
  hunk_in_several_places: ({ ranges, more, locatorLines, ...ref }: Several) => {
    const starts = ranges.map(({ startLine }) => startLine).join(", ") + (more ? " and maybe more" : "");
    const hint = locatorLines
      ? ` The hunk before it, at ${locatorLines.length === 1 ? "line" : "lines"} ${locatorLines.join(", ")}, does not single one out.`
      : "";
    const matches = { matchCount: ranges.length, more: more || undefined, matchRanges: ranges, locatorLines };
    return {
      kind: "multiple_matches",
      why: `${nameOf(ref)} fits at several places, starting at lines ${starts}.${hint}`,
      next: "Add context lines to the hunk until they occur only once.",
      details: { ...ref, ...matches },
    };
  },
} satisfies Catalogue;

function unreadable(line: number, found: string, expected: string) {
  return {
    kind: "patch_parse_error",
    why: `Line ${line} of the patch ${found}; expected ${expected}.`,
    next: `Correct line ${line} of the patch and send the whole patch again.`,
    details: { line, expected },
  } as const;
}

function nothingLeft(path: string): string {
  return `Nothing is left to do for it: read ${path} again and write other hunks for what is there now.`;
}

function nameOf({ path, hunkIndex, patchLine }: HunkFacts): string {
  return `Hunk ${hunkIndex + 1} of ${path} (line ${patchLine} of the patch)`;
}

function quote(text: string): string {
  const shown = [...text.slice(0, 200)].slice(0, 80).join("");
  return JSON.stringify(shown.length < text.length ? `${shown}…` : text);
}
