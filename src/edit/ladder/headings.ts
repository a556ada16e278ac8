// Lines that say what those below them belong to, in whatever language: they tell one place from another.

import type { Region } from "../diff/diff.ts";
import { indentOf } from "../text/indent.ts";
import { isBlankLine } from "./compare/normal.ts";
import { STRING_PREFIX } from "./compare/siblings.ts";
import { CONTINUES_BLOCK } from "./levels/elision.ts";
import { isComment } from "./levels/gap.ts";

/**
 * True when line `at`, in whose place the file or old text has `there`, may be the head of another place: what opens a
 * block or a paragraph must say the same, and so must the first line of old text.
 */
export function headsOther(lines: readonly string[], at: number, there: string | undefined): boolean {
  return (opensBlock(lines, at) || opensParagraph(lines, at)) && saidIn(lines[at]!) !== saidIn(there ?? "");
}

/** Statements, members of a list and comments aside; `# Usage` is a heading as often as a comment. */
function opensParagraph(lines: readonly string[], at: number): boolean {
  const isRemark = isComment(lines[at]!, "-") && !lines[at]!.trim().startsWith("#");
  return (at === 0 || isBlankLine(lines[at - 1]!)) && !ENDED.test(lines[at]!) && !isRemark;
}

/** True when something changes in the block that line `at` opens; where it is not deeper, anywhere behind that line. */
export function changesBelow(lines: readonly string[], at: number, regions: readonly Region[]): boolean {
  const depth = indentOf(lines[at]!).length;
  const isOutside = (line: string) => indentOf(line).length <= depth && !CONTINUES_BLOCK.test(line.trim());
  const below = lines.flatMap((line, n) => (n > at && !isBlankLine(line) ? [n] : []));
  const isNested = below.length > 0 && indentOf(lines[below[0]!]!).length > depth;
  const end = isNested ? below.find((n) => isOutside(lines[n]!)) : undefined;
  return regions.some(({ aStart, aEnd }) => aEnd > at && aStart <= (end ?? lines.length));
}

/** A bracket, a deeper line, a section, a decorator. */
function opensBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  if (OPENER.test(line) || SECTION.test(line)) return true;
  const next = lines.slice(at + 1, at + 1 + MOST_BLANKS).find((below) => !isBlankLine(below));
  return next !== undefined && (OPENS_ALONE.test(next) || indentOf(next).length > indentOf(line).length);
}

/** Words, numbers and operators. */
function saidIn(line: string): string {
  return (line.replaceAll(STRING_PREFIX, "").match(SAID) ?? []).join(" ");
}

export const DECLARED =
  /\b(?:function\*?|def|class|fn|func|fun|interface|type|struct|enum|trait|impl|module|namespace|sub|proc|describe|it|test)[\s(]+["'`]?([\p{L}\p{N}_$]+)/u;
const MOST_BLANKS = 3;
const ENDED = /[;,]\s*$/;
const OPENS_ALONE = /^\s*(?:\{|begin)\s*$/i;
const OPENER = /(?:[{([:=]|[=-]>|\b(?:do|then)(?:\s*\|[^|]*\|)?)\s*$/;
// `[server.http]`, `## Usage`, `@route("/users")`.
const SECTION = /^\s*(?:\[[^\]]*\]+\s*$|#{2,6}\s|@[\p{L}_])/u;
const SAID = /[\p{L}\p{N}_$]+|[!<>=]=*|[-+*/%&|^~?]/gu;
