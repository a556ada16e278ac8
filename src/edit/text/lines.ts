// Lines of a text with their terminators: the only definition of a line.

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

/** Returns the texts of `splitLines` only. */
export function lineTexts(text: string): string[] {
  const texts = text.split("\n");
  const last = texts.pop()!;
  const ended = text.includes("\r\n") ? texts.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) : texts;
  if (last !== "") ended.push(last);
  return ended;
}

/** Counts the lines of `splitLines`. */
export function countLines(text: string): number {
  let ended = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) ended++;
  return text === "" || text.endsWith("\n") ? ended : ended + 1;
}

/** Returns the start of the line that is `lines` below the one at `at`, or the end of the text. */
export function skipLines(text: string, at: number, lines: number): number {
  let start = at;
  for (let left = lines; left > 0; left--) {
    const lf = text.indexOf("\n", start);
    if (lf === -1) return text.length;
    start = lf + 1;
  }
  return start;
}

/** Returns the terminator for a line added after line `index`: that of the nearest line above, else of any line. */
export function eolNear(lines: readonly Line[], index: number): Exclude<Eol, ""> {
  let at = Math.min(index, lines.length - 1);
  while (lines[at]?.eol === "") at--;
  return (lines[at] ?? lines.find(({ eol }) => eol !== ""))?.eol || "\n";
}

/** Strips the CR from a line that was split at LF. */
export function withoutCr(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
