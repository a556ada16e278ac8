// Delimiters: counts braces, parentheses and brackets outside strings and comments, and compares two texts.

import { lineAt } from "../position.ts";
import { eachDelimiter, type Lexis } from "./scan.ts";

type Delimiter = "braces" | "parens" | "brackets";

export interface DelimiterChange {
  readonly delimiter: Delimiter;
  /** How much the count of open ones changed over the whole file, where that leaves it further from balance; else 0. */
  readonly net: number;
  /** Where it shows in the new text: an opener never closed, or a closer never opened. */
  readonly line: number;
  /** Out of balance in a file that was in balance, or by more than a scan may be mistaken in one that was not. */
  readonly isDamage: boolean;
  readonly message: string;
}

/** What a change does to the balance of delimiters. A change towards balance is a repair and counts as 0. */
export function delimiterChanges(before: string, after: string, lexis: Lexis): readonly DelimiterChange[] {
  if (Math.max(before.length, after.length) > LONGEST_COUNTED) return [];
  const old = countDelimiters(before, lexis);
  const now = countDelimiters(after, lexis);
  if (old === null || now === null) return [];
  return (["braces", "parens", "brackets"] as const).map((delimiter) => {
    const [was, is] = [old[delimiter], now[delimiter]];
    const net = Math.abs(is.net) > Math.abs(was.net) ? is.net - was.net : 0;
    return {
      delimiter,
      net,
      line: lineAt(after, is.at),
      isDamage: isBalanced(was) ? !isBalanced(is) : Math.abs(net) > ALLOWED[delimiter],
      message: net === 0 ? "one closes nothing that is open above it" : `net ${net > 0 ? "+" : ""}${net}`,
    };
  });
}

/** Braces open at each line start: `depths[n]` is how many `{` are open before line n (0-based); null where that cannot be told. */
export function braceDepths(text: string, lexis: Lexis, lineStarts: readonly number[]): readonly number[] | null {
  const depths: number[] = [];
  let depth = 0;
  const isWhole = eachDelimiter(text, lexis, (mark, index) => {
    while (depths.length < lineStarts.length && lineStarts[depths.length]! <= index) depths.push(depth);
    if (mark === "{") depth++;
    if (mark === "}") depth--;
  });
  if (!isWhole) return null;
  while (depths.length < lineStarts.length) depths.push(depth);
  return depths;
}

// In UTF-16 units: no hand wrote such a file, and longer strings in it overflow the regular expressions.
const LONGEST_COUNTED = 1024 * 1024;

// Where a file is out of balance already, the scan does not understand something in it: then one more may be nothing.
const ALLOWED: Readonly<Record<Delimiter, number>> = { braces: 1, parens: 2, brackets: 2 };

interface Count {
  readonly net: number;
  /** Of the first closer without an opener, else of the last opener without a closer; -1 where there is neither. */
  readonly at: number;
}

function isBalanced({ at }: Count): boolean {
  return at === -1;
}

function countDelimiters(text: string, lexis: Lexis): Readonly<Record<Delimiter, Count>> | null {
  const open: Record<Delimiter, number[]> = { braces: [], parens: [], brackets: [] };
  const extra: Record<Delimiter, number[]> = { braces: [], parens: [], brackets: [] };
  const isWhole = eachDelimiter(text, lexis, (mark, at) => {
    const of = OF[mark]!;
    if ("{([".includes(mark)) open[of].push(at);
    else if (open[of].pop() === undefined) extra[of].push(at);
  });
  if (!isWhole) return null;
  const count = (of: Delimiter): Count => ({
    net: open[of].length - extra[of].length,
    at: extra[of][0] ?? open[of].at(-1) ?? -1,
  });
  return { braces: count("braces"), parens: count("parens"), brackets: count("brackets") };
}

const OF: Readonly<Record<string, Delimiter>> = {
  "{": "braces",
  "}": "braces",
  "(": "parens",
  ")": "parens",
  "[": "brackets",
  "]": "brackets",
};
