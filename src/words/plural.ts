// Amounts, lines and names in sentences.
import type { LineSpan } from "../core/refusal-details.ts";
import { numberOf } from "./visible.ts";

/** "1 line", "3 lines", "2 entries", "2 matches" */
export function plural(amount: number, noun: string): string {
  return `${amount} ${amount === 1 ? noun : `${noun}s`.replace(/ys$/, "ies").replace(/chs$/, "ches")}`;
}

/** "a, b and 3 more" */
export function listed(names: readonly unknown[], most = 5): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return names.slice(0, most).join(", ") + more;
}

/** "line 3", "lines 3-5" */
export function linesBetween(first: number, last: number): string {
  return `${first === last ? "line" : "lines"} ${rangeOf(first, last)}`;
}

/** "3", "3-5" */
export function rangeOf(first: number, last: number): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

/** "lines 3-5, 9 and 12-14": 1-based ranges for a sentence, at most `most` of them named. */
export function lineList(ranges: readonly LineSpan[], most = 8, count = ranges.length): string {
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

export function didYouMean(paths: readonly string[]): string {
  const named = paths.map((path) => path + accentsOf(path));
  return `Did you mean ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(named)}?`;
}

/** Names letters by number that look alike in two forms. */
function accentsOf(path: string): string {
  const odd = [...new Set(path)].filter((char) => /\p{M}/u.test(char) || char.normalize("NFD") !== char);
  return odd.length === 0 ? "" : ` (with ${odd.slice(0, 3).map(numberOf).join(", ")})`;
}
