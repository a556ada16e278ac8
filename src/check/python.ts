// Python layout, judged like Python's tokenizer: indentation, empty bodies, unclosed brackets and strings.
import { positionAt, type SyntaxProblem, type Verdict } from "./finding.ts";
import { PYTHON } from "./lexis.ts";
import { eachMark } from "./scan.ts";

const NO_BODY = "expected an indented block";
const MIXED = "inconsistent use of tabs and spaces in indentation";
const OPENER: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Reports the first problem; null if finding it takes too long. */
export function pythonFindings(text: string): Verdict {
  const layout = new Layout(text);
  const isWhole = eachMark(
    text,
    PYTHON,
    (mark, at) => layout.visit(mark, at),
    (from, to) => layout.skipped(from, to),
  );
  if (!isWhole) return null;
  const problem = layout.finish();
  return problem === undefined ? [] : [{ ...problem, severity: "error" }];
}

class Layout {
  readonly #text: string;
  readonly #levels: Indent[] = [{ column: 0, alternate: 0 }];
  readonly #open: number[] = [];
  /** Start of the line that opens a body, until a statement follows. */
  #opener: number | undefined;
  /** Offset of the last colon outside of brackets. */
  #colon = -1;
  #lineStart = 0;
  #problem: SyntaxProblem | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  visit(mark: string, at: number): void {
    if (this.#problem !== undefined) return;
    if ("([{".includes(mark)) this.#open.push(at);
    else if (mark in OPENER) this.#close(mark, at);
    else if (this.#open.length > 0) return;
    else if (mark === ":") this.#colon = at;
    else this.#endLine(at);
  }

  /** Reports an unclosed string. Strings with fields are exempt: they may be misread. */
  skipped(from: number, to: number): void {
    const quote = this.#text[from]!;
    if (!"\"'".includes(quote) || /[ft]/i.test(this.#text.slice(Math.max(0, from - 2), from))) return;
    const mark = this.#text.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote;
    const isClosed = to - from >= 2 * mark.length && this.#text.endsWith(mark, to);
    if (!isClosed) this.#report(from, "a string is not closed");
  }

  finish(): SyntaxProblem | undefined {
    const unclosed = this.#open.at(-1);
    if (unclosed !== undefined) this.#report(unclosed, `"${this.#text[unclosed]}" is never closed`);
    else this.#endLine(this.#text.length);
    if (this.#opener !== undefined) this.#report(this.#text.length, this.#missingBody(this.#opener));
    return this.#problem;
  }

  #close(mark: string, at: number): void {
    const opener = this.#open.pop();
    if (opener === undefined) this.#report(at, `"${mark}" closes nothing`);
    else if (this.#text[opener] !== OPENER[mark]) this.#report(at, `"${mark}" does not close "${this.#text[opener]}"`);
  }

  /** Ends a logical line, which may span several lines by brackets, strings and backslashes. */
  #endLine(end: number): void {
    const start = this.#lineStart;
    this.#lineStart = end + 1;
    const indent = indentAt(this.#text, start);
    if (indent.end >= end || /[#\r\n]/.test(this.#text[indent.end]!)) return;
    const wrong = this.#misplaced(indent);
    if (wrong !== undefined) this.#report(indent.end, wrong);
    const opens = this.#colon >= start && /^[ \t\f\r]*(?:#.*)?$/.test(this.#text.slice(this.#colon + 1, end));
    this.#opener = opens ? start : undefined;
  }

  /** Updates the levels for a statement at this indentation; returns what is wrong with it. */
  #misplaced(indent: Indent): string | undefined {
    const { column, alternate } = indent;
    const deepest = this.#levels.at(-1)!;
    if (column > deepest.column) {
      if (alternate <= deepest.alternate) return MIXED;
      this.#levels.push(indent);
      return this.#opener === undefined ? "unexpected indent" : undefined;
    }
    if (this.#opener !== undefined) return this.#missingBody(this.#opener);
    while (this.#levels.at(-1)!.column > column) this.#levels.pop();
    const level = this.#levels.at(-1)!;
    if (level.column !== column) return "unindent does not match any outer indentation level";
    return level.alternate === alternate ? undefined : MIXED;
  }

  #missingBody(opener: number): string {
    return `${NO_BODY} after line ${positionAt(this.#text, opener).line}`;
  }

  #report(at: number, message: string): void {
    this.#problem ??= { ...positionAt(this.#text, at), message };
  }
}

/** The column with tabs of 8, and with tabs of 1: both must lead to the same structure. */
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
