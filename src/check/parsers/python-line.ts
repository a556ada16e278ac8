// A logical line of Python: over brackets, strings and backslashes to where it ends.

import { type Effort, spend } from "../effort.ts";

export interface Code {
  /** Where the next line begins. */
  readonly end: number;
  /** The last character that is neither space nor comment. */
  readonly last: string;
  readonly problem?: Problem;
}

/** What cannot be so: a string or a bracket (`open` is where it began) that is not closed, a closer with none or another opener. */
export interface Problem {
  readonly at: number;
  readonly open?: number | "string";
}

const OPENERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * `null`: a string within a string is not understood. `continued` hears of what goes on within brackets: line ends and
 * comments. Throws when the effort is spent.
 */
export function endOfLogicalLine(
  text: string,
  start: number,
  effort: Effort,
  continued: (from: number, to: number) => void = () => {},
): Code | null {
  const open: number[] = [];
  let last = "";
  let at = start;
  while (at < text.length) {
    const character = text[at]!;
    if (character === "\n" || character === "\r") {
      const end = at + 1;
      if (open.length === 0) return { end, last };
      continued(at, end);
      at = end;
    } else if (character === "#") {
      const from = at;
      while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
      if (open.length > 0) continued(from, at);
    } else if (character === "\\" && /[\r\n]/.test(text[at + 1] ?? "")) {
      at += text.startsWith("\r\n", at + 1) ? 3 : 2;
    } else if (character === '"' || character === "'") {
      const end = endOfString(text, at, effort);
      if (end === null) return null;
      if (end === undefined) return { end: text.length, last, problem: { at, open: "string" } };
      [at, last] = [end, character];
    } else {
      if (character in OPENERS) open.push(at);
      else if (")]}".includes(character)) {
        const opener = open.pop();
        if (opener === undefined) return { end: at, last, problem: { at } };
        if (OPENERS[text[opener]!] !== character) return { end: at, last, problem: { at, open: opener } };
      }
      if (character !== " " && character !== "\t" && character !== "\f") last = character;
      at++;
    }
  }
  const unclosed = open.at(-1);
  return { end: at, last, ...(unclosed !== undefined && { problem: { at: unclosed, open: unclosed } }) };
}

/** Undefined: not closed. `null`: not closed, and it may hold code that goes on past the end of its line. */
function endOfString(text: string, at: number, effort: Effort): number | undefined | null {
  const mark = text.startsWith(text[at]!.repeat(3), at) ? text[at]!.repeat(3) : text[at]!;
  const prefix = /(?<![A-Za-z0-9_])[A-Za-z]{1,2}$/.exec(text.slice(Math.max(0, at - 3), at))?.[0] ?? "";
  const holdsCode = /[ft]/i.test(prefix);
  const end = holdsCode ? endOfFilled(text, at + mark.length, mark, { raw: /r/i.test(prefix), effort }) : undefined;
  const plain = end ?? endOfPlain(text, at + mark.length, mark);
  spend(effort, (plain ?? text.length) - at);
  return plain === undefined && holdsCode ? null : plain;
}

function endOfPlain(text: string, start: number, mark: string): number | undefined {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at += text.startsWith("\r\n", at + 1) ? 2 : 1;
    else if (mark.length === 1 && (text[at] === "\n" || text[at] === "\r")) return undefined;
    else if (text.startsWith(mark, at)) return at + mark.length;
  }
  return undefined;
}

/** Of a string with code in braces, where the same quotes may stand again. Undefined: it cannot be read so. */
function endOfFilled(
  text: string,
  start: number,
  mark: string,
  { raw, effort }: { readonly raw: boolean; readonly effort: Effort },
): number | undefined {
  for (let at = start; at < text.length; ) {
    spend(effort, 1);
    if (text.startsWith(mark, at)) return at + mark.length;
    if (text.startsWith("{{", at) || text.startsWith("}}", at)) at += 2;
    else if (text[at] === "{") {
      const end = endOfField(text, at + 1, 1, effort);
      if (end === undefined) return undefined;
      at = end;
    } else if (text[at] === "\\" && !(raw && text[at + 1] === "{")) at += text[at + 1] === "N" ? 1 : 2;
    else if (mark.length === 1 && text[at] === "\n") return undefined;
    else at++;
  }
  return undefined;
}

// Fields within fields: deeper is not written by hand.
const DEEPEST = 6;

/** From behind the brace: the expression, then perhaps how to show it, which is text with fields again. */
function endOfField(text: string, start: number, depth: number, effort: Effort): number | undefined {
  if (depth > DEEPEST) return undefined;
  let brackets = 0;
  let at = start;
  while (at < text.length) {
    spend(effort, 1);
    const character = text[at]!;
    if (brackets === 0 && character === "}") return at + 1;
    if (brackets === 0 && character === ":") return endOfFormat(text, at + 1, depth, effort);
    if (character === '"' || character === "'") {
      const end = endOfString(text, at, effort);
      if (end === undefined || end === null) return undefined;
      at = end;
      continue;
    }
    if (character in OPENERS) brackets++;
    else if (")]}".includes(character) && --brackets < 0) return undefined;
    at++;
  }
  return undefined;
}

function endOfFormat(text: string, start: number, depth: number, effort: Effort): number | undefined {
  for (let at = start; at < text.length; ) {
    spend(effort, 1);
    if (text[at] === "}") return at + 1;
    if (text[at] === "{") {
      const end = endOfField(text, at + 1, depth + 1, effort);
      if (end === undefined) return undefined;
      at = end;
    } else at++;
  }
  return undefined;
}
