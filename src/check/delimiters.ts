// Delimiters: counts braces, parentheses and brackets outside strings and comments, and compares two texts.

import type { Lexis, Skip } from "./language.ts";
import { lineAt } from "./position.ts";

type Delimiter = "braces" | "parens" | "brackets";

export interface DelimiterChange {
  readonly delimiter: Delimiter;
  /** How much the count of open ones changed over the whole file, where that leaves it further from balance; else 0. */
  readonly net: number;
  /** Where it shows in the new text: an opener never closed, or a closer never opened. */
  readonly line: number;
  readonly aboveThreshold: boolean;
}

/** What a change does to the balance of delimiters. A change towards balance is a repair and counts as 0. */
export function delimiterChanges(before: string, after: string, lexis: Lexis): readonly DelimiterChange[] {
  if (Math.max(before.length, after.length) > LONGEST_COUNTED) return [];
  const old = countDelimiters(before, lexis);
  const now = countDelimiters(after, lexis);
  return (["braces", "parens", "brackets"] as const).map((delimiter) => {
    const worse = Math.abs(now[delimiter].net) > Math.abs(old[delimiter].net);
    const net = worse ? now[delimiter].net - old[delimiter].net : 0;
    return {
      delimiter,
      net,
      line: lineAt(after, now[delimiter].at),
      aboveThreshold: Math.abs(net) > ALLOWED[delimiter],
    };
  });
}

/** Braces open at each line start: `depths[n]` is how many `{` are open before line n (0-based). */
export function braceDepths(text: string, lexis: Lexis, lineStarts: readonly number[]): readonly number[] {
  const depths: number[] = [];
  let depth = 0;
  eachDelimiter(text, lexis, (mark, index) => {
    while (depths.length < lineStarts.length && lineStarts[depths.length]! <= index) depths.push(depth);
    if (mark === "{") depth++;
    if (mark === "}") depth--;
  });
  while (depths.length < lineStarts.length) depths.push(depth);
  return depths;
}

// In UTF-16 units: nobody wrote such a file by hand, and longer strings in it overflow the regular expression.
const LONGEST_COUNTED = 1024 * 1024;

// One brace more or less is often a construct the scan does not understand.
const ALLOWED: Readonly<Record<Delimiter, number>> = { braces: 1, parens: 2, brackets: 2 };

interface Count {
  net: number;
  at: number;
}

function countDelimiters(text: string, lexis: Lexis): Readonly<Record<Delimiter, Count>> {
  const counts: Record<Delimiter, Count & { open: number[] }> = {
    braces: { net: 0, at: -1, open: [] },
    parens: { net: 0, at: -1, open: [] },
    brackets: { net: 0, at: -1, open: [] },
  };
  eachDelimiter(text, lexis, (mark, index) => {
    const count = counts[OF[mark]!];
    if ("{([".includes(mark)) {
      count.net++;
      count.open.push(index);
      return;
    }
    count.net--;
    if (count.open.pop() === undefined && count.at === -1) count.at = index;
  });
  for (const count of Object.values(counts)) if (count.at === -1) count.at = count.open.at(-1) ?? 0;
  return counts;
}

const OF: Readonly<Record<string, Delimiter>> = {
  "{": "braces",
  "}": "braces",
  "(": "parens",
  ")": "parens",
  "[": "brackets",
  "]": "brackets",
};

function eachDelimiter(text: string, lexis: Lexis, visit: (mark: string, index: number) => void): void {
  const scan = scanner(lexis);
  scan.lastIndex = 0;
  for (let match = scan.exec(text); match; match = scan.exec(text)) {
    if (match[1] !== undefined) visit(match[1], match.index);
  }
}

const scanners = new Map<Lexis, RegExp>();

function scanner(lexis: Lexis): RegExp {
  let found = scanners.get(lexis);
  if (!found) {
    found = new RegExp(`${lexis.map((skip) => SKIP[skip]).join("|")}|([{}()[\\]])`, "g");
    scanners.set(lexis, found);
  }
  return found;
}

// An unfinished string ends with its line, an unfinished block with the text. Longer openers come first in a Lexis.
const SKIP: Readonly<Record<Skip, string>> = {
  "//": "\\/\\/[^\\n]*",
  "/* */": "\\/\\*[^]*?(?:\\*\\/|$)",
  "#": "(?<![^\\s;])#[^\\n]*",
  "--": "--[^\\n]*",
  "--[[ ]]": "--\\[\\[[^]*?(?:\\]\\]|$)",
  ";": ";[^\\n]*",
  "<# #>": "<#[^]*?(?:#>|$)",
  '"""': '"""[^]*?(?:"""|$)',
  "'''": "'''[^]*?(?:'''|$)",
  "[[ ]]": "\\[\\[[^]*?(?:\\]\\]|$)",
  '"': '"[^"\\\\\\n]*(?:\\\\[^][^"\\\\\\n]*)*"?',
  "'": "'[^'\\\\\\n]*(?:\\\\[^][^'\\\\\\n]*)*'?",
  char: "'(?:\\\\[^\\n]{1,10}?|[^'\\\\\\n])'",
  "`": "`[^`\\\\]*(?:\\\\[^][^`\\\\]*)*`?",
};
