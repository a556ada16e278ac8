// Finds the line that a hunk's `@@ text` headers name, and how far what it opens reaches.

import { MAX_PLACES } from "../complaints.ts";
import type { FileLines } from "./file-lines.ts";

type HeaderPlace =
  | { readonly kind: "none" }
  | { readonly kind: "missing"; readonly text: string }
  | { readonly kind: "ambiguous"; readonly lines: readonly number[] }
  | FoundHeader;

export interface FoundHeader {
  readonly kind: "found";
  readonly line: number;
  /** The first line after it that is not indented deeper. */
  readonly blockEnd: number;
  /** The first line that is surely no part of what it opens; undefined when it opens nothing. */
  readonly reach: number | undefined;
  readonly wholeLine: boolean;
}

/** Each header is looked for inside the block of the one before it; `from` counts only where several lines read so. */
export function findHeader(file: FileLines, headers: readonly string[], from: number): HeaderPlace {
  const place = findHeaderFrom(file, headers, 0);
  return place.kind === "ambiguous" && from > 0 ? findHeaderFrom(file, headers, from) : place;
}

function findHeaderFrom(file: FileLines, headers: readonly string[], from: number): HeaderPlace {
  let place: HeaderPlace = { kind: "none" };
  let start = from;
  let end = file.lines.length;
  for (const header of headers) {
    const { lines, wholeLine } = linesReading(file, header, start, end);
    if (lines.length === 0) return { kind: "missing", text: header };
    if (lines.length > 1) return { kind: "ambiguous", lines };
    const line = lines[0]!;
    const blockEnd = endOfBlock(file, line, end);
    place = { kind: "found", line, blockEnd, reach: reachOfBlock(file, line), wholeLine };
    start = line + 1;
    if (blockEnd > start) end = blockEnd;
  }
  return place;
}

/** All lines that a heading behind line numbers may mean, with what each opens; none where they are many. */
export function findHeadings(file: FileLines, text: string): Pick<FoundHeader, "line" | "reach">[] {
  const lines = text === "" ? [] : linesReading(file, text, 0, file.lines.length).lines;
  return lines.length > MAX_PLACES ? [] : lines.map((line) => ({ line, reach: reachOfBlock(file, line) }));
}

/** Lines that are the header but for indentation; failing that, lines that contain it as whole words. */
function linesReading(file: FileLines, header: string, start: number, end: number) {
  const whole = file.findTrimmed(header, start, end);
  if (whole.length > 0) return { lines: whole, wholeLine: true };
  const lines: number[] = [];
  for (let i = start; i < end; i++) if (hasWords(file.lines[i]!.text, header)) lines.push(i);
  return { lines, wholeLine: false };
}

/** `def one` stands in `def one():`, but not in `def one_more():`. */
function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (!splitsWord(text, at) && !splitsWord(text, end)) return true;
  }
  return false;
}

function splitsWord(text: string, at: number): boolean {
  return (
    /[\p{L}\p{M}\p{N}_]$/u.test(text.slice(Math.max(0, at - 2), at)) &&
    /^[\p{L}\p{M}\p{N}_]/u.test(text.slice(at, at + 2))
  );
}

/** The block lasts as long as lines are indented deeper. */
export function endOfBlock(file: FileLines, head: number, limit: number): number {
  const depth = indent(file.lines[head]!.text);
  for (let i = head + 1; i < limit; i++) {
    const { text } = file.lines[i]!;
    if (text.trim() !== "" && indent(text) <= depth && !continuesHead(text.trim())) return i;
  }
  return limit;
}

/**
 * Unlike `endOfBlock` this takes in the line that closes the block, its other branches, and whatever stands at the
 * margin before a closing brace (labels, directives, text of strings).
 */
export function reachOfBlock(file: FileLines, head: number): number | undefined {
  const opening = file.lines[head]!.text;
  const depth = indent(opening);
  let braced = /[{([]$/.test(opening.trimEnd());
  let opens = braced;
  // A heading or a directive has nothing inside it.
  if (opening.trimStart().startsWith("#")) return undefined;
  for (let i = head + 1; i < file.lines.length; i++) {
    const { text } = file.lines[i]!;
    const bare = text.trim();
    if (bare === "") continue;
    const continues = continuesHead(bare) || /^[}\])].*[{([:]$/.test(bare);
    if (!opens && !continues && indent(text) <= depth) return undefined;
    opens = true;
    if (indent(text) > depth || bare.startsWith("#") || BRANCH.test(bare)) continue;
    if (continues) braced = !bare.endsWith(":");
    else if (CLOSER.test(bare)) return i + 1;
    else if (!braced) return i;
  }
  return opens ? file.lines.length : undefined;
}

const BRANCH = /^(?:else|elif|elsif|elseif|except|catch|finally|rescue|ensure)\b/;
const CLOSER = /^(?:[}\])]|<\/|(?:end|fi|done|esac)\b)/i;

/** A brace on its own line, or the end of a parameter list: `{`, `): number {`, `) -> int:`. */
function continuesHead(text: string): boolean {
  return text === "{" || (text.startsWith(")") && (text.endsWith("{") || text.endsWith(":")));
}

export function indent(text: string): number {
  return text.length - text.trimStart().length;
}
