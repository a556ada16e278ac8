// Text shown to a model so that whitespace can be seen: tabs as →, spaces as ·, accents of their own by their number.

import { rangeOf } from "../../core/counted.ts";
import type { LineSpan } from "../../core/refusal-details.ts";

export const LONGEST_QUOTED = 120;

/** One line in backticks, cut when it is long. */
export function quote(line: string): string {
  return `\`${shorten(line)}\``;
}

/**
 * Two lines that differ, cut around the first character that does. Its numbers are told where one line has an ASCII
 * character and the other has not: those may look alike.
 */
export function sideBySide(file: string, wrote: string, show = quoteVisible): string {
  let at = 0;
  while (at < wrote.length && file[at] === wrote[at]) at++;
  const both = [file, wrote].map((line) => line.slice(at).match(/^\P{Surrogate}/u)?.[0] ?? "");
  const isOdd = both.every((char) => char !== "" && visible(char) === char) && both.filter(isAscii).length === 1;
  const legend = [
    ...(show === quoteVisible ? ["· is a space", "→ a tab"] : []),
    ...(isOdd ? both.map((char) => `${char} is ${numberOf(char)}`) : []),
  ];
  const [theirs, ours] = [file, wrote].map((line) => show(around(line, at)));
  return `the file has ${theirs}, the old text ${ours}${legend.length > 0 ? ` (${legend.join(", ")})` : ""}`;
}

function isAscii(char: string): boolean {
  return char.charCodeAt(0) < 0x80;
}

function numberOf(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** One line in backticks with every blank made visible. */
export function quoteVisible(line: string): string {
  return `\`${visible(shorten(line))}\``;
}

export function visible(line: string): string {
  return line.replace(/[\u0300-\u036f]|[\t \u00a0\u200b-\u200d\u2000-\u200a\u202f\u205f\u3000\ufeff\r]/g, (blank) => {
    if (blank === "\t") return "→";
    if (blank === " ") return "·";
    return `⟨${numberOf(blank)}⟩`;
  });
}

/** The part of a long line that holds its character `at`. */
function around(line: string, at: number): string {
  const most = LONGEST_QUOTED - 2;
  const from = Math.max(0, Math.min(at - most / 2, line.length - most));
  const part = line.slice(from, from + most).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return line.length <= LONGEST_QUOTED ? line : `${from > 0 ? "…" : ""}${part}${from + most < line.length ? "…" : ""}`;
}

/** Cuts out of the middle, never through a surrogate pair. */
export function shorten(line: string, longest = LONGEST_QUOTED): string {
  if (line.length <= longest) return line;
  const half = Math.floor((longest - 1) / 2);
  const head = line.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const tail = line.slice(-half).replace(/^[\udc00-\udfff]/, "");
  return `${head}…${tail}`;
}

export type LineRange = LineSpan;

/** "lines 3-5, 9 and 12-14": 1-based ranges for a sentence, at most `most` of them named. */
export function lineList(ranges: readonly LineRange[], most = 8, count = ranges.length): string {
  const times = new Map<string, number>();
  for (const { startLine, endLine } of ranges) {
    const lines = rangeOf(startLine, endLine);
    times.set(lines, (times.get(lines) ?? 0) + 1);
  }
  const shown = [...times].slice(0, most);
  const more = count - shown.reduce((sum, [, n]) => sum + n, 0);
  const named = shown.map(([lines, n]) => (n === 1 ? lines : `${lines} (${n} times)`));
  const one = shown.length === 1 && more === 0 && !named[0]!.includes("-");
  if (more > 0) named.push(`${more} more`);
  const last = named.pop() ?? "";
  return `${one ? "line" : "lines"} ${named.length > 0 ? `${named.join(", ")} and ${last}` : last}`;
}
