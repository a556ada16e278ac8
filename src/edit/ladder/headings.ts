// Lines that open a block or declare something, in whatever language, and the names in them that tell one from another.

import { indentOf } from "../text/indent.ts";
import { isBlankLine } from "./compare/normal.ts";
import { wordsOf } from "./compare/siblings.ts";

/**
 * True when line `at` of the file opens a block, and `wrote` in its place has another name for it: a method, a route, a
 * key, a selector, a section. Parameters may differ, and so may words that only one of them has, such as `export`. What
 * is declared may stand on one line, and a letter more or less in it is another name, `isMisspelt` or not.
 */
export function opensOther(lines: readonly string[], at: number, wrote: string, isMisspelt: boolean): boolean {
  if (declareOthers(wrote, lines[at]!)) return true;
  if (isMisspelt || !opensBlock(lines, at)) return false;
  const [ours, theirs] = [namesIn(wrote), namesIn(lines[at]!)];
  return ours.some((word) => !theirs.includes(word)) && theirs.some((word) => !ours.includes(word));
}

/** True when line `at` opens a block and says which. */
export function opensNamed(lines: readonly string[], at: number): boolean {
  return opensBlock(lines, at) && namesIn(lines[at]!).length > 0;
}

/** Both lines declare something by its word, and not the same. */
function declareOthers(wrote: string, file: string): boolean {
  const [ours, theirs] = [DECLARED.exec(wrote)?.[1], DECLARED.exec(file)?.[1]];
  return ours !== undefined && theirs !== undefined && ours.toLowerCase() !== theirs.toLowerCase();
}

function opensBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  if (ENDED.test(line)) return false;
  if (OPENER.test(line) || SECTION.test(line)) return true;
  const next = lines.slice(at + 1, at + 1 + MOST_BLANKS).find((below) => !isBlankLine(below));
  return next !== undefined && (next.trim() === "{" || indentOf(next).length > indentOf(line).length);
}

/** The words before the parameters, and those of a text that is the first of them, as in `get("/users", …`. */
function namesIn(line: string): string[] {
  const text = line.trim().replace(CLOSED, "");
  if (CONTROL.test(text)) return [];
  const from = RECEIVER.exec(text)?.[0].length ?? 0;
  const open = text.indexOf("(", from);
  const head = open === -1 ? text : text.slice(0, open);
  const first = open === -1 ? undefined : FIRST_TEXT.exec(text.slice(open))?.[2];
  return wordsOf(`${named(head)} ${first ?? ""}`).map(spelt);
}

/** `asycn` is `async`: letters that were exchanged make no other name. */
function spelt(word: string): string {
  return [...word.toLowerCase()].sort().join("");
}

/** Of `name = call(` the call; the name where it is a function or a list that is named. */
function named(head: string): string {
  const [assigned, ...rest] = head.split(ASSIGNS);
  const value = rest.join(" ");
  return wordsOf(value.replace(FUNCTION, "")).length === 0 ? assigned! : value;
}

export const DECLARED =
  /\b(?:function\*?|def|class|fn|func|fun|interface|type|struct|enum|trait|impl|module|namespace|sub|proc|describe|it|test)[\s(]+["'`]?([\p{L}\p{N}_$]+)/u;
const MOST_BLANKS = 3;
const ENDED = /[;,]\s*$/;
const OPENER = /(?:[{([:=]|[=-]>|\b(?:do|then)(?:\s*\|[^|]*\|)?)\s*$/;
// `[server.http]`, `## Usage`, `@route("/users")`.
const SECTION = /^\s*(?:\[[^\]]*\]+\s*$|#{2,6}\s|@[\p{L}_])/u;
const CLOSED = /^[})\]]+[;,]?\s*/;
const CONTROL =
  /^(?:await\s+)?(?:if|else|elif|elsif|elseif|for|foreach|while|until|unless|switch|match|select|try|catch|except|finally|rescue|ensure|with|using|lock|synchronized|when|guard|do|loop|begin|return|yield|throw|raise|assert|defer|go)\b/;
const RECEIVER = /^func\s*\([^)]*\)/;
const FIRST_TEXT = /^\(\s*(["'`])((?:\\.|(?!\1).)*)\1/;
const ASSIGNS = /(?<![=!<>+\-*/])=(?![=>])/;
const FUNCTION = /\b(?:async|function|new|class)\b/g;
