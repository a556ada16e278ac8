// Translates a pattern as ripgrep reads it into a RegExp with the same meaning. What is not surely the same is refused.
import { refuse } from "../words/index.ts";
import type { Pattern } from "./engine.ts";

export interface Translated {
  readonly source: string;
  readonly flags: string;
}

/** Rust's dialect; Perl's where the pattern needs it, as ripgrep decides with --engine=auto. */
const WORDS = {
  rust: { w: "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}", d: "\\p{Nd}", s: "\\p{White_Space}" },
  perl: { w: "\\p{L}\\p{N}\\p{M}\\p{Pc}", d: "\\p{Nd}", s: "\\p{White_Space}" },
};
const PERL_ONLY = /\(\?<?[=!]|\\[1-9]/;
const CONTROLS: Readonly<Record<string, string>> = { a: "\\x07", f: "\\f", n: "\\n", r: "\\r", t: "\\t", v: "\\v" };
/** Stands for bytes that are no text, which no pattern matches. */
const NO_TEXT = "\\ufffd";
/** Rust ends lines at "\n" and "\r\n", JavaScript at four characters. */
const LINE_START = "(?<![^\\n])";
const LINE_END = "(?![^\\r\\n])(?!(?<=\\r)\\n)";

export function translate({ text, literal, caseSensitive, multiline }: Pattern): Translated {
  const [, leading = "", rest = ""] = literal ? ["", "", text] : (/^(?:\(\?([ims]+)\))?(.*)$/s.exec(text) ?? []);
  const flags = `gv${caseSensitive && !leading.includes("i") ? "" : "i"}`;
  const source = literal
    ? Array.from(text, escaped).join("")
    : new Translator(rest, leading.includes("s"), multiline).all();
  try {
    new RegExp(source, flags);
    return { source, flags };
  } catch (error) {
    throw badPattern((error as Error).message.replace(/^.*: /s, "").toLowerCase());
  }
}

function badPattern(error: string): Error {
  return refuse("pattern_invalid", { error });
}

function unsure(part: string): Error {
  return refuse("pattern_needs_ripgrep", { part });
}

/** One character, which means itself in a pattern and in a set. */
function escaped(character: string): string {
  return /^[\p{L}\p{N}_]$/u.test(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

class Translator {
  readonly #text: string;
  readonly #dot: string;
  readonly #multiline: boolean;
  readonly #words: typeof WORDS.rust;
  #at = 0;
  #depth = 0;

  constructor(text: string, dotAll: boolean, multiline: boolean) {
    this.#text = text;
    this.#multiline = multiline;
    this.#dot = dotAll ? `[^${NO_TEXT}]` : `[^\\n\\r${NO_TEXT}]`;
    this.#words = PERL_ONLY.test(text) ? WORDS.perl : WORDS.rust;
  }

  all(): string {
    let source = "";
    while (this.#at < this.#text.length) source += this.#next();
    if (this.#depth > 0) throw badPattern("unclosed group");
    return source;
  }

  /** What `expression` matches here, taken. */
  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = expression.lastIndex;
    return found;
  }

  #next(): string {
    const group = this.#take(/\((?:\?(?::|P?<[A-Za-z_]\w*>|<?[=!]))?/y)?.[0];
    if (group !== undefined) {
      if (/[?*]/.test(this.#text[this.#at] ?? "")) throw unsure(`${group}${this.#text[this.#at]}`);
      this.#depth++;
      return /<[A-Za-z_]/.test(group) ? "(" : group;
    }
    if (this.#take(/\)/y)) {
      if (--this.#depth < 0) throw badPattern("unopened group");
      return ")";
    }
    if (this.#take(/\{,\d/y)) throw unsure("{,");
    const repeat = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y)?.[0];
    if (repeat !== undefined) {
      // A second count is possessive in Perl and another repetition in Rust.
      if (/^(?:[*+?]|\{\d)/.test(this.#text.slice(this.#at))) throw unsure(this.#text.slice(this.#at - repeat.length));
      return repeat;
    }
    const character = this.#take(/./suy)![0];
    if (character === "|") return "|";
    if (character === "^") return LINE_START;
    if (character === "$") return LINE_END;
    if (character === ".") return this.#dot;
    if (character === "[") return this.#set();
    return character === "\\" ? this.#escape(false) : escaped(character);
  }

  #escape(inSet: boolean): string {
    const from = this.#at - 1;
    const hex = this.#take(/(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|[xu]\{([0-9A-Fa-f]{1,6})\})/y);
    if (hex !== undefined) return `\\u{${hex[1] ?? hex[2] ?? hex[3]}}`;
    const property = this.#take(/([pP])(?:\{(\^?)([\w ]+)\}|([A-Z]))/y);
    if (property !== undefined) return this.#property(property);
    const [character = ""] = this.#take(/./suy) ?? [];
    const word = this.#words[character.toLowerCase() as "w"];
    if (word !== undefined) return character < "a" ? `[^${word}${NO_TEXT}]` : `[${word}]`;
    if (character === "r" && !this.#multiline) throw unsure("\\r");
    if (CONTROLS[character] !== undefined) return CONTROLS[character];
    if (!inSet && character === "b" && this.#text[this.#at] !== "{") return this.#border();
    if (!inSet && character === "B") return `(?!${this.#border()})`;
    if (!inSet && /[1-9]/.test(character) && !/\d/.test(this.#text[this.#at] ?? "")) return `(?:\\${character})`;
    if (/^[ -/:;=?@[-`{-~]$/.test(character)) return escaped(character);
    throw unsure(this.#text.slice(from, from + 2));
  }

  #border(): string {
    const { w } = this.#words;
    return `(?:(?<=[${w}])(?![${w}])|(?<![${w}])(?=[${w}]))`;
  }

  /** JavaScript wants the names of scripts marked as such. */
  #property([all, kind, not, long, short]: RegExpExecArray): string {
    const name = short ?? long!.replaceAll(" ", "_");
    const isNegated = (kind === "P") !== (not === "^");
    for (const set of [`\\p{${name}}`, `\\p{Script=${name}}`]) {
      try {
        new RegExp(set, "v");
        return isNegated ? `[^${set}${NO_TEXT}]` : `[${set}]`;
      } catch {
        // Perhaps the other one.
      }
    }
    throw badPattern(`unknown property \\${all}`);
  }

  #set(): string {
    const from = this.#at - 1;
    const not = this.#take(/\^/y) !== undefined;
    let items = this.#take(/\]/y) === undefined ? "" : "\\]";
    while (!this.#take(/\]/y)) {
      if (this.#at >= this.#text.length) throw badPattern("unclosed character class");
      items += this.#setItem(from);
    }
    return not ? `[^${items}${NO_TEXT}]` : `[${items}]`;
  }

  #setItem(from: number): string {
    if (this.#take(/\[:?|&&|--|~~/y)) throw unsure(this.#text.slice(from, this.#at));
    const first = this.#one();
    const isRange = this.#take(/-(?!\])/y) !== undefined;
    return isRange ? `${first}-${this.#one()}` : first;
  }

  #one(): string {
    const [character = ""] = this.#take(/./suy) ?? [];
    if (character === "\\") return this.#escape(true);
    return character === "" ? "" : escaped(character);
  }
}
