// Visits the delimiters of code and skips strings, comments and patterns, as the Lexis of its language describes them.

/** Something that is not code: where it begins and where it ends. */
export interface Rule {
  /** The characters it can begin with. */
  readonly first: string;
  /** Returns the offset behind it, or undefined when it does not begin here. `inside` skips code within it. */
  skip(text: string, at: number, inside: Inside): number | undefined;
}

/** Returns the offset behind the bracket that closes the code at `from`; undefined when nothing closes it. */
export type Inside = (from: number) => number | undefined;

/** The rules of a language, and a pattern that finds where one of them, or a mark, may begin. */
export interface Lexis {
  readonly seek: RegExp;
  readonly rulesAt: ReadonlyMap<string, readonly Rule[]>;
}

/** The characters that are visited. */
const MARKS = "{}()[]:\n";
// Deeper nesting of strings in strings, and longer code within them, is not written by hand.
const MAX_DEPTH = 8;
const MAX_INSIDE = 20_000;

/**
 * Visits every mark that is code, and every span that is not. Returns false when too much of the text had to be read
 * again: hostile text can make every guess fail at its end.
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

/** The first rule that fits wins, so longer openers come first. */
export function lexis(...rules: readonly Rule[]): Lexis {
  const firsts = [...new Set([...MARKS, ...rules.flatMap(({ first }) => [...first])])];
  const escaped = firsts.map((one) => (one === "\n" ? "\\n" : `\\${one}`)).join("");
  const rulesAt = new Map(firsts.map((one) => [one, rules.filter(({ first }) => first.includes(one))]));
  return { seek: new RegExp(`[${escaped}]`, "g"), rulesAt };
}

/** Skips what a sticky regular expression matches. */
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
  /** What must stand right before it. */
  readonly prefix?: RegExp;
  /** The character that takes the meaning from the next one; "" in raw text, a backslash by default. */
  readonly escape?: string;
  /** The closer twice stands for itself. */
  readonly doubled?: boolean;
  /** Goes on past the end of a line; else an unfinished one ends there. */
  readonly lines?: boolean;
  /** What begins code within it; `{{` stands for itself. */
  readonly fills?: readonly string[];
}

/** Text between two equal marks. */
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

/** More marks than needed at the end of text between three belong to it: `"""say "hi""""`. */
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
