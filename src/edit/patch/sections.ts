// The parts of a parsed patch, and the wrapping around its text.
import type { Refusal } from "../../core/failure.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import { refuse } from "../../words/index.ts";
import type { PatchProblem } from "../../words/patch.ts";
import { type Eol, splitLines } from "../text/lines.ts";

/** One line of a hunk. `eol` is the terminator that the patch states; undefined takes that of its neighbours. */
export interface HunkLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  readonly eol: Eol | undefined;
}

export interface Hunk {
  /** 1-based line of the patch text where the hunk begins. */
  readonly patchLine: number;
  readonly lines: readonly HunkLine[];
  /** How many of the last lines are empty, without a leading space: context, or spacing in the patch. */
  readonly spacing: number;
  /** Texts after `@@`, outermost first. */
  readonly headers: readonly string[];
  /** The N of `@@ -N,M`: 1-based; when M is 0, the line before the insertion. */
  readonly oldLine: number | undefined;
  /** The text behind `@@ -N,M +N,M @@`: usually the first line of the enclosing block. */
  readonly heading: string;
  /** The hunk states that it reaches the end of the file. */
  readonly atEnd: boolean;
  /** Marked with "\ No newline at end of file": the old and the new text. */
  readonly oldOpen: boolean;
  readonly newOpen: boolean;
}

interface SectionBase {
  readonly path: string;
  readonly patchLine: number;
  /** Permission bits that git's headers ask for. */
  readonly mode?: number;
}

export type Section =
  | (SectionBase & { readonly op: "add"; readonly text: string })
  | (SectionBase & { readonly op: "update"; readonly hunks: readonly Hunk[] })
  | (SectionBase & { readonly op: "move"; readonly toPath: string; readonly hunks: readonly Hunk[] })
  /** `content`: the lines of the deleted file, if the patch states them. */
  | (SectionBase & { readonly op: "delete"; readonly content: readonly HunkLine[] | undefined });

export interface Patch {
  /** The dialect of its text. */
  readonly format: "envelope" | "unified";
  /** Its changes, file by file. */
  readonly sections: readonly Section[];
}

/** Patch lines being parsed, without LF but with a CR before it. `at` is the index of the next line. */
export interface PatchText {
  readonly lines: readonly string[];
  readonly end: number;
  at: number;
}

/** `index`: of the line in the patch, 0-based. */
export function unreadable(index: number, problem: PatchProblem, text?: string): Refusal {
  return refuse("patch_unreadable", { line: index + 1, problem, text });
}

/** A CR at the end of the content makes the ending CRLF. An empty line without a newline is no line. */
function hunkLines(sign: HunkLine["sign"], content: string, eol: "\n" | "" | undefined): HunkLine[] {
  return splitLines(content + (eol ?? "\n")).map((line) => {
    return { sign, text: line.text, eol: eol === undefined ? undefined : line.eol };
  });
}

export function isNoNewline(line: string): boolean {
  return line.startsWith("\\ ");
}

/** Collects the lines of one hunk. A "no newline" marker must follow the last line of its side. */
export class HunkBody {
  readonly lines: HunkLine[] = [];
  readonly #eol: "\n" | undefined;
  #last: { readonly sign: HunkLine["sign"]; readonly content: string; readonly from: number } | undefined;
  spacing = 0;
  oldOpen = false;
  newOpen = false;

  /** `eol`: the terminator of every line without a marker. */
  constructor(eol: "\n" | undefined) {
    this.#eol = eol;
  }

  hunk(at: Pick<Hunk, "patchLine" | "headers" | "oldLine" | "heading">, atEnd = false): Hunk {
    const { lines, spacing, oldOpen, newOpen } = this;
    return { ...at, lines, spacing, atEnd: atEnd || oldOpen || newOpen, oldOpen, newOpen };
  }

  get changes(): boolean {
    return this.lines.some((line) => line.sign !== " ");
  }

  add(sign: HunkLine["sign"], content: string, index: number): void {
    if ((this.oldOpen && sign !== "+") || (this.newOpen && sign !== "-")) throw unreadable(index, "behind_marker");
    this.#last = { sign, content, from: this.lines.length };
    for (const line of hunkLines(sign, content, this.#eol)) this.lines.push(line);
    this.spacing = 0;
  }

  addSpacing(index: number): void {
    if (this.oldOpen || this.newOpen) return;
    const before = this.spacing;
    this.add(" ", "", index);
    this.spacing = before + 1;
  }

  endWithoutNewline(index: number): void {
    const last = this.#last;
    if (!last) throw unreadable(index, "marker_of_nothing");
    this.lines.length = last.from;
    for (const line of hunkLines(last.sign, last.content, "")) this.lines.push(line);
    this.spacing = 0;
    if (last.sign !== "+") this.oldOpen = true;
    if (last.sign !== "-") this.newOpen = true;
  }
}

/** Called while hunks are read: one section may have more of them than memory holds. */
export function refuseMany(hunks: number): void {
  if (hunks > CALL_LIMITS.hunks) throw refuse("patch_of_many_hunks", { max: CALL_LIMITS.hunks });
}

/** Strips a shell heredoc or Markdown fence. Line numbers stay those of the given text. */
export function unwrap(lines: readonly string[]): PatchText {
  let patch = skipBlank({ lines, at: 0, end: lines.length });
  for (let closing = closingOf(patch); closing !== undefined; closing = closingOf(patch)) {
    const last = lastFilled(patch);
    if (last <= patch.at || lines[last]!.trim() !== closing) {
      throw refuse("patch_unclosed", { line: last + 2, opened: patch.at + 1, closing });
    }
    patch = skipBlank({ lines, at: patch.at + 1, end: last });
  }
  return patch;
}

function closingOf(patch: PatchText): string | undefined {
  const line = patch.at < patch.end ? patch.lines[patch.at]!.trim() : "";
  if (/^(\*\*\* |--- |diff )/.test(line)) return undefined;
  if (/^```[\w-]*$/.test(line)) return "```";
  return line.match(/^[\w ./|-]*<<-?\s*(['"]?)(\w+)\1[\w ./|-]*$/)?.[2];
}

export function skipBlank(patch: PatchText): PatchText {
  while (patch.at < patch.end && patch.lines[patch.at]!.trim() === "") patch.at++;
  return patch;
}

/** Finds the last line that is not blank. Blank lines behind it can be context of a hunk. */
export function lastFilled(patch: PatchText): number {
  let last = patch.end - 1;
  while (last > patch.at && patch.lines[last]!.trim() === "") last--;
  return last;
}
