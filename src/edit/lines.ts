// Lines of a text with their own terminators: the one place that knows what a line is.

export type Eol = "\n" | "\r\n" | "\r" | "";

/** A line without its terminator, the terminator, and where the line starts in the text. */
export interface Line {
  readonly text: string;
  readonly eol: Eol;
  readonly start: number;
}

/** Splits at LF, CRLF and lone CR. A newline ends a line: "a\n" is one line, "" is none. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  let lf = find(text, "\n", 0);
  let cr = find(text, "\r", 0);
  let start = 0;
  while (start < text.length) {
    const end = Math.min(lf, cr);
    const eol: Eol = end === text.length ? "" : cr < lf ? (lf === cr + 1 && lf < text.length ? "\r\n" : "\r") : "\n";
    lines.push({ text: text.slice(start, end), eol, start });
    start = end + Math.max(eol.length, 1);
    if (lf < start) lf = find(text, "\n", start);
    if (cr < start) cr = find(text, "\r", start);
  }
  return lines;
}

function find(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at === -1 ? text.length : at;
}

/** The terminator that most lines use; LF when there is none to go by. */
export function dominantEol(text: string): "\n" | "\r\n" | "\r" {
  const crlf = count(text, "\r\n");
  const lf = count(text, "\n") - crlf;
  const cr = count(text, "\r") - crlf;
  if (crlf > lf && crlf >= cr) return "\r\n";
  return cr > lf ? "\r" : "\n";
}

function count(text: string, part: string): number {
  let n = 0;
  for (let i = text.indexOf(part); i !== -1; i = text.indexOf(part, i + part.length)) n++;
  return n;
}
