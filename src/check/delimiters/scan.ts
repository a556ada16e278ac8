// Goes through code and tells its delimiters, past strings, comments, characters and patterns: what a language makes of these is a Lexis.

import { effortFor, spend, TooMuchEffort } from "../effort.ts";

/** Where something begins that is no code, and where it ends. */
export interface Rule {
  /** The characters it can begin with. */
  readonly first: string;
  /** The offset behind it; undefined when it does not begin here. `inside` skips code that stands within it. */
  skip(text: string, at: number, inside: Inside): number | undefined;
}

/** The offset behind the closer of code that begins at `from`; undefined when it is not closed within reason. */
export type Inside = (from: number, closer: "}" | ")") => number | undefined;

/** The first rule that fits counts, so longer openers come first. */
export type Lexis = readonly Rule[];

/** False: it takes too long to tell what is code within strings, so what was visited is not all there is. */
export function eachDelimiter(text: string, lexis: Lexis, visit: (mark: string, at: number) => void): boolean {
  try {
    visitAll(text, lexis, visit);
    return true;
  } catch (error) {
    if (error instanceof TooMuchEffort) return false;
    throw error;
  }
}

function visitAll(text: string, lexis: Lexis, visit: (mark: string, at: number) => void): void {
  const { seek, rulesAt } = prepared(lexis);
  const effort = effortFor(text);
  const skipAt = (at: number, depth: number): number | undefined => {
    for (const rule of rulesAt.get(text[at]!) ?? []) {
      const end = rule.skip(text, at, (from, closer) => inside(from, closer, depth + 1));
      if (end !== undefined && end > at) return end;
    }
    return undefined;
  };
  const next = (from: number): number | undefined => {
    seek.lastIndex = from;
    return seek.exec(text)?.index;
  };
  const inside = (start: number, closer: string, depth: number): number | undefined => {
    if (depth > DEEPEST) return undefined;
    let open = 1;
    for (let at = next(start); at !== undefined && at < start + LONGEST_INSIDE; ) {
      const end = skipAt(at, depth);
      const mark = text[at]!;
      if (end === undefined && mark === OPENER[closer]) open++;
      if (end === undefined && mark === closer && --open === 0) return at + 1;
      const from = at;
      at = next(end ?? at + 1);
      spend(effort, (at ?? text.length) - from);
    }
    return undefined;
  };
  for (let at = next(0); at !== undefined; ) {
    const end = skipAt(at, 0);
    if (end === undefined && DELIMITERS.includes(text[at]!)) visit(text[at]!, at);
    at = next(end ?? at + 1);
  }
}

const DELIMITERS = "{}()[]";
const OPENER: Readonly<Record<string, string>> = { "}": "{", ")": "(" };
// Strings within strings within strings: deeper is not written by hand.
const DEEPEST = 8;
const LONGEST_INSIDE = 20_000;

interface Prepared {
  readonly seek: RegExp;
  readonly rulesAt: ReadonlyMap<string, readonly Rule[]>;
}

const known = new WeakMap<Lexis, Prepared>();

function prepared(lexis: Lexis): Prepared {
  let found = known.get(lexis);
  if (found === undefined) {
    const firsts = [...new Set([...DELIMITERS, ...lexis.flatMap(({ first }) => [...first])])];
    const rulesAt = new Map(firsts.map((one) => [one, lexis.filter(({ first }) => first.includes(one))]));
    found = { seek: new RegExp(`[${firsts.map((one) => `\\${one}`).join("")}]`, "g"), rulesAt };
    known.set(lexis, found);
  }
  return found;
}

/** What a sticky regular expression matches. */
export function matching(first: string, pattern: RegExp): Rule {
  return {
    first,
    skip(text, at) {
      pattern.lastIndex = at;
      return pattern.test(text) ? pattern.lastIndex : undefined;
    },
  };
}

export function lineComment(open: string): Rule {
  return {
    first: open[0]!,
    skip: (text, at) => (text.startsWith(open, at) ? endOfLine(text, at) : undefined),
  };
}

/** An unfinished one ends with the text. */
export function blockComment(open: string, close: string, { nests = false } = {}): Rule {
  return {
    first: open[0]!,
    skip(text, at) {
      if (!text.startsWith(open, at)) return undefined;
      let depth = 1;
      let from = at + open.length;
      while (depth > 0) {
        const end = text.indexOf(close, from);
        if (end === -1) return text.length;
        const inner = nests ? text.indexOf(open, from) : -1;
        const opens = inner !== -1 && inner < end;
        depth += opens ? 1 : -1;
        from = opens ? inner + open.length : end + close.length;
      }
      return from;
    },
  };
}

export interface QuoteForm {
  /** The character that takes the meaning from the next one; null in raw text. */
  readonly escape?: "\\" | "`" | null;
  /** The closer twice stands for itself. */
  readonly doubled?: boolean;
  /** Goes on past the end of a line; else an unfinished one ends there. */
  readonly lines?: boolean;
  /** What begins code within it. */
  readonly fills?: readonly string[];
}

/** Text between two equal marks. */
export function quoted(mark: string, form: QuoteForm = {}): Rule {
  return {
    first: mark[0]!,
    skip: (text, at, inside) =>
      text.startsWith(mark, at) ? endOfQuote(text, at + mark.length, mark, form, inside) : undefined,
  };
}

/** The same, without escapes. */
export function raw(mark: string, form: Omit<QuoteForm, "escape"> = {}): Rule {
  return quoted(mark, { ...form, escape: null });
}

/** More marks than needed at the end of text between three belong to it: `"""say "hi""""`. */
export function endOfQuote(text: string, start: number, close: string, form: QuoteForm, inside: Inside): number {
  const { escape: escaping = "\\", doubled, lines, fills = [] } = form;
  let at = start;
  while (at < text.length) {
    const fill = fills.find((opener) => text.startsWith(opener, at));
    const end = fill === undefined ? undefined : inside(at + fill.length, fill.endsWith("{") ? "}" : ")");
    if (end !== undefined) at = end;
    else if (text[at] === escaping) at += 2;
    else if (text[at] === "\n" && !lines) return at;
    else if (!text.startsWith(close, at)) at++;
    else if (doubled && text.startsWith(close, at + close.length)) at += 2 * close.length;
    else {
      at += close.length;
      while (close.length === 3 && text[at] === close[0]) at++;
      return at;
    }
  }
  return text.length;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}
