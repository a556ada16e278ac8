// What read_file shows of a file: its lines with LF, cut to a number of UTF-8 bytes between two characters.
import type { LineRange } from "../../backends/backend.ts";
import { toLf } from "../../edit/source.ts";
import type { ReadResult } from "../../kernel/page.ts";
import { displayable } from "../../kernel/text.ts";

export interface Page {
  readonly content: string;
  readonly startLine: number;
  readonly endLine: number;
  /** A newline at the end of the file opens one more, empty line. */
  readonly lineCount: number;
  readonly truncated: boolean;
  /** Where to read on, when there is more than was asked to be shown. */
  readonly nextStartLine?: number;
  /** Lines that were shown to their end. */
  readonly whole: LineRange;
}

export function pageOf(read: ReadResult, wanted: LineRange, maxBytes: number): Page {
  const lineCount = read.finalNewline || read.lines === 0 ? read.lines + 1 : read.lines;
  const startLine = wanted.from;
  const endLine = Math.max(startLine, Math.min(wanted.to, lineCount));
  const body = displayable(toLf(read.body.slice(0, unitsFor(maxBytes))));
  const asked = endLine < lineCount && body.endsWith("\n") ? body.slice(0, -1) : body;
  const content = utf8Start(asked, maxBytes);
  if (content === asked) {
    return { content, startLine, endLine, lineCount, truncated: false, whole: { from: startLine, to: endLine } };
  }
  const lastLine = startLine + newlines(content.replace(/\n$/, ""));
  const cutAtLineEnd = content.endsWith("\n") || asked[content.length] === "\n";
  const to = cutAtLineEnd ? lastLine : lastLine - 1;
  return {
    content,
    startLine,
    endLine: lastLine,
    lineCount,
    truncated: true,
    nextStartLine: to + 1,
    whole: { from: startLine, to },
  };
}

/** What is shown of a text is at least half as long as the text: so much is enough to fill a page and to know that there is more. */
function unitsFor(maxBytes: number): number {
  return 2 * maxBytes + 16;
}

function utf8Start(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

function newlines(text: string): number {
  return text.split("\n").length - 1;
}
