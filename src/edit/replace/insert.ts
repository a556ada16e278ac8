// Insertion before a line number: for text that has nothing to be matched against.

import { counted } from "../../core/counted.ts";
import { Refusal } from "../../core/failure.ts";
import { dominantEol, splitLines } from "../text/lines.ts";
import { toLf, withoutBom } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";

/**
 * Inserts `newText` as whole lines before line `line` (1-based); the line after the last one appends. Inserted lines
 * take the line ending of their neighbour, and the file keeps its final newline or the lack of it.
 */
export function insertAtLine(text: string, line: number, newText: string): Splice[] {
  const { bare, shifted } = withoutBom(text);
  return shifted(insertion(bare, line, newText));
}

function insertion(text: string, line: number, newText: string): Splice[] {
  const lines = splitLines(text);
  if (!Number.isInteger(line) || line < 1 || line > lines.length + 1) {
    throw new Refusal("line_out_of_range", `Line ${line} out of range (file has ${counted(lines.length, "line")}).`, {
      next: lines.length === 0 ? "The file is empty: give line 1." : `Give a line from 1 to ${lines.length + 1}.`,
      details: { line, lineCount: lines.length },
    });
  }
  if (newText === "") {
    throw new Refusal("no_change", "There is no text to insert.", { next: "Give the lines to insert." });
  }
  const neighbour = lines[line - 2] ?? lines[line - 1];
  const eol = neighbour?.eol || dominantEol(text);
  const body = toLf(newText).replaceAll("\n", eol);
  const whole = body.endsWith(eol) ? body : body + eol;
  const before = lines[line - 1];
  if (before) return [{ start: before.start, end: before.start, text: whole }];
  const openEnd = lines.at(-1)?.eol === "";
  return [{ start: text.length, end: text.length, text: openEnd ? eol + whole.slice(0, -eol.length) : whole }];
}
