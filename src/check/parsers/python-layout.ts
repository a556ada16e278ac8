// Python's layout, as its own tokenizer judges it: indentation, bodies that are empty, brackets and strings left open.
// The tree-sitter grammar takes any indentation and a body without a statement for granted, and so it does a `try` that
// nothing handles and a body behind a line that can have none.

import { effortFor } from "../effort.ts";
import type { Finding, Verdict } from "../finding.ts";
import { lineAt } from "../position.ts";
import { endOfLogicalLine, type Problem } from "./python-line.ts";

/** The first thing wrong. `null`: a string is not understood, so nothing can be told. Throws where that takes too long to find out. */
export function pythonLayout(text: string): Verdict {
  const levels: Indent[] = [{ column: 0, alternate: 0 }];
  /** Offset of the last line that opened a body which has no statement yet. */
  let opener: number | undefined;
  const effort = effortFor(text);
  const tries = new Tries();
  for (let at = 0; at < text.length; ) {
    const indent = indentAt(text, at);
    if (isBlank(text, indent.end)) {
      at = nextLine(text, indent.end);
      continue;
    }
    const wrong = misplaced(indent, levels, opener !== undefined);
    if (wrong !== undefined) {
      const why = opener === undefined || wrong !== NO_BODY ? wrong : `${NO_BODY} after line ${lineAt(text, opener)}`;
      return [finding(text, indent.end, why)];
    }
    const line = endOfLogicalLine(text, indent.end, effort);
    if (line === null) return null;
    if (line.problem !== undefined) return [finding(text, line.problem.at, inWords(text, line.problem))];
    const word = wordAt(text, indent.end);
    const unhandled = tries.unhandledAt(indent, word);
    if (unhandled !== undefined) return [finding(text, indent.end, unhandledWords(text, unhandled))];
    if (line.last === ":" && !HAS_BODY.has(word)) return [finding(text, indent.end, "this line opens no block")];
    opener = line.last === ":" ? indent.end : undefined;
    at = line.end;
  }
  if (opener !== undefined) return [finding(text, text.length, `${NO_BODY} after line ${lineAt(text, opener)}`)];
  const unhandled = tries.unhandledAt({ column: -1, end: text.length }, "");
  return unhandled === undefined ? [] : [finding(text, text.length, unhandledWords(text, unhandled))];
}

const HAS_BODY = new Set("async class def elif else except finally for if try while with match case".split(" "));

function wordAt(text: string, at: number): string {
  return /^[\p{L}_][\p{L}\p{N}_]*/u.exec(text.slice(at, at + 40))?.[0] ?? "";
}

function unhandledWords(text: string, at: number): string {
  return `expected "except" or "finally" after line ${lineAt(text, at)}`;
}

/** Every `try` waits for the statement behind its body. */
class Tries {
  readonly #waiting: { readonly column: number; readonly at: number }[] = [];

  /** The `try` that a statement at this place leaves without a handler, by its offset. */
  unhandledAt({ column, end }: { readonly column: number; readonly end: number }, word: string): number | undefined {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.column >= column) {
      if (last.column > column || (word !== "except" && word !== "finally")) return last.at;
      this.#waiting.pop();
    }
    if (word === "try") this.#waiting.push({ column, at: end });
    return undefined;
  }
}

/** The same text with what stands in brackets on one line, at the same offsets: the grammar stumbles over some ways to break it. */
export function withoutBreaks(text: string): string {
  const parts: string[] = [];
  let done = 0;
  const effort = effortFor(text);
  for (let at = 0; at < text.length; ) {
    const line = endOfLogicalLine(text, at, effort, (from, to) => {
      parts.push(text.slice(done, from), " ".repeat(to - from));
      done = to;
    });
    if (line === null || line.problem !== undefined) return text;
    at = line.end;
  }
  return parts.join("") + text.slice(done);
}

const NO_BODY = "expected an indented block";
const MIXED = "inconsistent use of tabs and spaces in indentation";

/** The column with tabs to the next eighth place, and with tabs as wide as a space: both must say the same. */
interface Indent {
  readonly column: number;
  readonly alternate: number;
}

function indentAt(text: string, start: number): Indent & { readonly end: number } {
  let [column, alternate, end] = [0, 0, start];
  for (; end < text.length; end++) {
    const character = text[end];
    if (character === " ") [column, alternate] = [column + 1, alternate + 1];
    else if (character === "\t") [column, alternate] = [(Math.floor(column / 8) + 1) * 8, alternate + 1];
    else if (character === "\f") [column, alternate] = [0, 0];
    else break;
  }
  return { column, alternate, end };
}

/** What is wrong with a statement at this indentation; the levels are brought up to date. */
function misplaced(indent: Indent, levels: Indent[], opened: boolean): string | undefined {
  const { column, alternate } = indent;
  const deepest = levels.at(-1)!;
  if (column > deepest.column) {
    if (alternate <= deepest.alternate) return MIXED;
    levels.push(indent);
    return opened ? undefined : "unexpected indent";
  }
  if (opened) return NO_BODY;
  while (levels.at(-1)!.column > column) levels.pop();
  const level = levels.at(-1)!;
  if (level.column !== column) return "unindent does not match any outer indentation level";
  return level.alternate === alternate ? undefined : MIXED;
}

function isBlank(text: string, at: number): boolean {
  return at >= text.length || text[at] === "#" || text[at] === "\n" || text[at] === "\r";
}

function nextLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
  // Between CR and LF there is a blank line at most.
  return at + 1;
}

function inWords(text: string, { at, open }: Problem): string {
  const mark = JSON.stringify(text[at]);
  if (open === "string") return "a string is not closed";
  if (open === undefined) return `${mark} closes nothing`;
  return open === at ? `${mark} is never closed` : `${mark} does not close ${JSON.stringify(text[open])}`;
}

function finding(text: string, at: number, message: string): Finding {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return { line: lineAt(text, at), column: at - start + 1, message, severity: "error" };
}
