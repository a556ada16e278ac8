// Text shown to a model so that whitespace can be seen: tabs as →, spaces as ·, accents of their own by their number.

import { rangeOf } from "../../core/counted.ts";
import type { LineSpan } from "../../core/refusal-details.ts";

export const LONGEST_QUOTED = 120;

/** One line in backticks, cut when it is long. */
export function quote(line: string): string {
  return `\`${shorten(line)}\``;
}

/** Goes with `quoteVisible`: what is shown is not what is to be copied. */
export const MARKS = "(· is a space, → a tab)";

/** One line in backticks with every blank made visible. */
export function quoteVisible(line: string): string {
  return `\`${visible(shorten(line))}\``;
}

export function visible(line: string): string {
  return line.replace(/[\u0300-\u036f]|[\t \u00a0\u200b-\u200d\u2000-\u200a\u202f\u205f\u3000\ufeff\r]/g, (blank) => {
    if (blank === "\t") return "→";
    if (blank === " ") return "·";
    return `⟨U+${blank.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
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
