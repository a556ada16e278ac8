// Visits the delimiters of code. Skips strings, comments and patterns by the Lexis of the language.

/** A kind of text that is not code. */
export interface Rule {
  /** Characters that it can begin with. */
  readonly first: string;
  /** Returns the offset behind it, or undefined if it does not begin here. `inside` skips code within it. */
  skip(text: string, at: number, inside: Inside): number | undefined;
}

/** Returns the offset behind the bracket that closes the code at `from`, if any. */
export type Inside = (from: number) => number | undefined;

/** The rules of a language, and a pattern that finds the next possible rule or mark. */
export interface Lexis {
  readonly seek: RegExp;
  readonly rulesAt: ReadonlyMap<string, readonly Rule[]>;
}

/** Characters that are visited. */
const MARKS = "{}()[]:\n";
// Code by hand has no deeper strings in strings, and no longer code within them.
const MAX_DEPTH = 8;
const MAX_INSIDE = 20_000;

/**
 * Visits every mark in code, and every span that is not code. Returns false if too much of the text must be read again,
 * as in hostile text where every guess fails late.
 */
export function eachMark(
  text: string,
  { seek, rulesAt }: Lexis,
  visit: (mark: string, at: number) => void,
  skipped: (from: number, to: number) => void = () => {},
): boolean {
  let left = 4 * text.length + 100_000;
  const next = (from: number): number | undefined => {
    seek.lastIndex = from;
    return seek.exec(text)?.index;
  };
  const skipAt = (at: number, depth: number): number | undefined => {
    for (const rule of rulesAt.get(text[at]!) ?? []) {
      const end = rule.skip(text, at, (from) => inside(from, depth + 1));
      if (end !== undefined && end > at) return end;
    }
    return undefined;
  };
  const inside = (start: number, depth: number): number | undefined => {
    if (depth > MAX_DEPTH) return undefined;
    let open = 1;
    for (let at = next(start); at !== undefined && at < start + MAX_INSIDE && left > 0; ) {
      const end = skipAt(at, depth);
      if (end === undefined && "{([".includes(text[at]!)) open++;
      if (end === undefined && "})]".includes(text[at]!) && --open === 0) return at + 1;
      const from = at;
      at = next(end ?? at + 1);
      left -= (at ?? text.length) - from;
    }
    return undefined;
  };
  for (let at = next(0); at !== undefined && left > 0; ) {
    const end = skipAt(at, 0);
    if (end !== undefined) skipped(at, end);
    else if (MARKS.includes(text[at]!)) visit(text[at]!, at);
    at = next(end ?? at + 1);
  }
  return left > 0;
}

/** Makes a Lexis. The first matching rule wins, so longer openers must come first. */
export function lexis(...rules: readonly Rule[]): Lexis {
  const firsts = [...new Set([...MARKS, ...rules.flatMap(({ first }) => [...first])])];
  const escaped = firsts.map((one) => (one === "\n" ? "\\n" : `\\${one}`)).join("");
  const rulesAt = new Map(firsts.map((one) => [one, rules.filter(({ first }) => first.includes(one))]));
  return { seek: new RegExp(`[${escaped}]`, "g"), rulesAt };
}

/** Skips a match of a sticky regular expression. */
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
  const end = (text: string, at: number): number => {
    const newline = text.indexOf("\n", at);
    return newline === -1 ? text.length : newline;
  };
  return { first: open[0]!, skip: (text, at) => (text.startsWith(open, at) ? end(text, at) : undefined) };
}

/** An unfinished comment ends with the text. */
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
  /** Must match the text right before it. */
  readonly prefix?: RegExp;
  /** The escape character; a backslash by default, "" in raw text. */
  readonly escape?: string;
  /** A doubled closer is literal. */
  readonly doubled?: boolean;
  /** Continues past the end of a line; otherwise an unclosed one ends there. */
  readonly lines?: boolean;
  /** Openers of code within it; `{{` is literal. */
  readonly fills?: readonly string[];
}

/** Skips text between two equal marks. */
export function quoted(mark: string, form: QuoteForm = {}): Rule {
  const { prefix } = form;
  return {
    first: mark[0]!,
    skip(text, at, inside) {
      if (!text.startsWith(mark, at)) return undefined;
      if (prefix !== undefined && !prefix.test(text.slice(Math.max(0, at - 3), at))) return undefined;
      return endOfQuote(text, at + mark.length, mark, form, inside);
    },
  };
}

/** Returns the offset behind the closer. Extra marks before triple quotes belong to the text: `"""say "hi""""`. */
function endOfQuote(text: string, start: number, close: string, form: QuoteForm, inside: Inside): number {
  const { escape: escaping = "\\", doubled, lines, fills = [] } = form;
  let at = start;
  while (at < text.length) {
    const fill = fills.find((opener) => text.startsWith(opener, at));
    const isDoubled = fill === "{" && text[at + 1] === "{";
    const end = fill === undefined || isDoubled ? undefined : inside(at + fill.length);
    if (end !== undefined && (lines || !text.slice(at, end).includes("\n"))) at = end;
    else if (isDoubled) at += 2;
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
