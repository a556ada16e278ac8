// Structure: compares the balance of braces, parentheses and brackets before and after an edit.
import { positionAt } from "./finding.ts";
import { eachMark, type Lexis } from "./scan.ts";
import type { Warning } from "./warning.ts";

// In UTF-16 units. A longer file is generated, and long strings in it overflow the regular expressions.
const MAX_COUNTED = 1024 * 1024;

const MARKS = "{}()[]";
// `allowed`: a file that is unbalanced before the edit is misread somewhere, so a small change may mean nothing.
const DELIMITERS = [
  { check: "unbalanced_braces", allowed: 1 },
  { check: "unbalanced_parens", allowed: 2 },
  { check: "unbalanced_brackets", allowed: 2 },
] as const;

/** Finds delimiters that the edit unbalances. A change towards balance is a repair. */
export function newImbalances(before: string, after: string, lexis: Lexis): Omit<Warning, "severity">[] {
  if (Math.max(before.length, after.length) > MAX_COUNTED) return [];
  const [old, now] = [countDelimiters(before, lexis), countDelimiters(after, lexis)];
  if (old === null || now === null) return [];
  return DELIMITERS.flatMap(({ check, allowed }, kind) => {
    const [was, is] = [old[kind]!, now[kind]!];
    const net = Math.abs(is.net) > Math.abs(was.net) ? is.net - was.net : 0;
    const isDamage = was.at === -1 ? is.at !== -1 : Math.abs(net) > allowed;
    const message = net === 0 ? "one closes nothing that is open above it" : `net ${net > 0 ? "+" : ""}${net}`;
    return isDamage ? [{ check, line: positionAt(after, is.at).line, message }] : [];
  });
}

interface Count {
  readonly net: number;
  /** Offset of the first closer without an opener, else of the last opener without a closer, else -1. */
  readonly at: number;
}

function countDelimiters(text: string, lexis: Lexis): readonly Count[] | null {
  const counts = DELIMITERS.map(() => ({ open: [] as number[], extra: [] as number[] }));
  const isWhole = eachMark(text, lexis, (mark, at) => {
    const kind = MARKS.indexOf(mark);
    const { open, extra } = counts[kind >> 1] ?? {};
    if (kind % 2 === 0) open?.push(at);
    else if (open?.pop() === undefined) extra?.push(at);
  });
  if (!isWhole) return null;
  return counts.map(({ open, extra }) => ({
    net: open.length - extra.length,
    at: extra[0] ?? open.at(-1) ?? -1,
  }));
}

/**
 * Blanks every branch of `#if` … `#else` … `#endif` but the first and keeps all offsets: each branch may open the same
 * brace, and only one is compiled.
 */
export function firstBranches(text: string): string {
  let depth = 0;
  let blankFrom: number | undefined;
  return text.replace(/[^\r\n]+/g, (line) => {
    const [, directive] = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b/.exec(line) ?? [];
    const blank = blankFrom !== undefined;
    if (directive?.startsWith("if")) depth++;
    else if (directive === "endif") {
      if (depth === blankFrom) blankFrom = undefined;
      depth = Math.max(0, depth - 1);
    } else if (directive !== undefined && depth > 0) blankFrom ??= depth;
    return blank ? " ".repeat(line.length) : line;
  });
}
