// Finds the line that a hunk's `@@ text` headers name, and the block that it opens.

import type { FileLines } from "./file-lines.ts";

export type HeaderPlace =
  | { readonly kind: "none" }
  | { readonly kind: "missing"; readonly text: string }
  | { readonly kind: "ambiguous"; readonly lines: readonly number[] }
  | { readonly kind: "found"; readonly line: number; readonly blockEnd: number; readonly wholeLine: boolean };

/** Each header is looked for inside the block of the one before it; `from` counts only where several lines read so. */
export function findHeader(file: FileLines, headers: readonly string[], from: number): HeaderPlace {
  const place = findHeaderFrom(file, headers, 0);
  return place.kind === "ambiguous" && from > 0 ? findHeaderFrom(file, headers, from) : place;
}

function findHeaderFrom(file: FileLines, headers: readonly string[], from: number): HeaderPlace {
  let place: HeaderPlace = { kind: "none" };
  let start = from;
  let end = file.lines.length;
  for (const header of headers) {
    const { lines, wholeLine } = linesReading(file, header, start, end);
    if (lines.length === 0) return { kind: "missing", text: header };
    if (lines.length > 1) return { kind: "ambiguous", lines };
    const line = lines[0]!;
    const blockEnd = endOfBlock(file, line, end);
    place = { kind: "found", line, blockEnd, wholeLine };
    start = line + 1;
    if (blockEnd > start) end = blockEnd;
  }
  return place;
}

/** Lines that are the header but for indentation; failing that, lines that contain it. */
function linesReading(file: FileLines, header: string, start: number, end: number) {
  const whole = file.findTrimmed(header, start, end);
  if (whole.length > 0) return { lines: whole, wholeLine: true };
  const lines: number[] = [];
  for (let i = start; i < end; i++) if (file.lines[i]!.text.includes(header)) lines.push(i);
  return { lines, wholeLine: false };
}

/** The block lasts as long as lines are indented deeper. */
function endOfBlock(file: FileLines, head: number, limit: number): number {
  const depth = indent(file.lines[head]!.text);
  for (let i = head + 1; i < limit; i++) {
    const { text } = file.lines[i]!;
    if (text.trim() !== "" && indent(text) <= depth && !continuesHead(text.trim())) return i;
  }
  return limit;
}

/** A brace on its own line, or the end of a parameter list: `{`, `): number {`, `) -> int:`. */
function continuesHead(text: string): boolean {
  return text === "{" || (text.startsWith(")") && (text.endsWith("{") || text.endsWith(":")));
}

function indent(text: string): number {
  return text.length - text.trimStart().length;
}
