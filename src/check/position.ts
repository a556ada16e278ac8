// Offsets to 1-based line and column, with the same idea of a line as the editing engines.

const LINE_END = /\n/g;

export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionAt(text: string, offset: number): Position {
  const end = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    const next = match.index + match[0].length;
    // A position behind the final newline belongs to the last line: there is no line after it.
    if (next > end || next === text.length) break;
    line++;
    start = next;
  }
  return { line, column: end - start + 1 };
}

export function lineAt(text: string, offset: number): number {
  return positionAt(text, offset).line;
}
