// Lines of a text with their own terminators: the one place that knows what a line is.

export type Eol = "\n" | "\r\n" | "";

/** A line without its terminator, the terminator, and where the line starts in the text. */
export interface Line {
  readonly text: string;
  readonly eol: Eol;
  readonly start: number;
}

/**
 * A line ends at LF or CRLF, as search engines and diff tools have it; a CR without LF is a character like any other.
 * A newline ends a line: "a\n" is one line, "" is none.
 */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const lf = text.indexOf("\n", start);
    const eol: Eol = lf === -1 ? "" : lf > start && text[lf - 1] === "\r" ? "\r\n" : "\n";
    const next = lf === -1 ? text.length : lf + 1;
    lines.push({ text: text.slice(start, next - eol.length), eol, start });
    start = next;
  }
  return lines;
}

/** The lines that `splitLines` gives, without the rest. */
export function lineTexts(text: string): string[] {
  const texts = text.split("\n");
  const last = texts.pop()!;
  const ended = text.includes("\r\n") ? texts.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) : texts;
  if (last !== "") ended.push(last);
  return ended;
}

/** As many as `splitLines` gives. */
export function countLines(text: string): number {
  const ended = count(text, "\n");
  return text === "" || text.endsWith("\n") ? ended : ended + 1;
}

/** Where so many lines after the one at `at` the next one starts: the end of the text when there are no more. */
export function skipLines(text: string, at: number, lines: number): number {
  let start = at;
  for (let left = lines; left > 0; left--) {
    const lf = text.indexOf("\n", start);
    if (lf === -1) return text.length;
    start = lf + 1;
  }
  return start;
}

/** The terminator that most lines use; LF when there is none to go by. */
export function dominantEol(text: string): "\n" | "\r\n" {
  const crlf = count(text, "\r\n");
  return crlf > count(text, "\n") - crlf ? "\r\n" : "\n";
}

function count(text: string, part: string): number {
  let n = 0;
  for (let i = text.indexOf(part); i !== -1; i = text.indexOf(part, i + part.length)) n++;
  return n;
}

/** A line that was cut at "\n", without the rest of its line end. */
export function withoutCr(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
