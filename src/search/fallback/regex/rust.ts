// Rust's regular expressions, as ripgrep takes them, in JavaScript's words.
import { Cursor, Invalid, Untranslatable } from "./cursor.ts";
import { border, lineEnd, lineStart, TEXT_END, TEXT_START } from "./looks.ts";
import { rustClass } from "./rust-class.ts";
import { type Escaped, rustEscape } from "./rust-escape.ts";
import { character, classOf, inEitherCase, NO_TEXT, RUST } from "./sets.ts";

export interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly x: boolean;
  readonly U: boolean;
  readonly R: boolean;
  readonly u: boolean;
}

export interface Meaning {
  readonly caseSensitive: boolean;
  readonly multiline: boolean;
  /** "\r" ends a line, too. */
  readonly carriageReturns: boolean;
}

/** Source for the flag "v", and whether it speaks of the start or the end of the whole text. Throws Invalid for what ripgrep would hand on to its other dialect. */
export function fromRust(text: string, meaning: Meaning): { readonly source: string; readonly textEnds: boolean } {
  // ripgrep wraps what it is given, so "a)(b" is a pattern.
  const parser = new Parser(`(?:${text})`, meaning);
  const source = parser.alternatives();
  parser.finish();
  return { source, textEnds: source.includes(TEXT_START) || source.includes(TEXT_END) };
}

const DEEPEST = 250;

/** Every item can be repeated as it is; null for flags, which cannot. */
type Item = string | null;

class Parser {
  readonly #in: Cursor;
  /** What nothing may match, because lines are searched without it. */
  readonly #ends: string;
  readonly #names = new Set<string>();
  #flags: Flags;
  #depth = 0;

  constructor(text: string, { caseSensitive, multiline, carriageReturns }: Meaning) {
    this.#in = new Cursor(text);
    this.#ends = multiline ? "" : carriageReturns ? "\\n\\r" : "\\n";
    this.#flags = { i: !caseSensitive, m: true, s: false, x: false, U: false, R: carriageReturns, u: true };
  }

  finish(): void {
    if (this.#in.next !== "") throw new Invalid("unopened group");
  }

  alternatives(): string {
    const branches: string[] = [];
    let items: Item[] = [];
    for (;;) {
      this.#space();
      const next = this.#in.next;
      if (next === "" || next === ")") break;
      if (next === "|") {
        this.#in.take();
        branches.push(items.join(""));
        items = [];
      } else if (next === "{" || next === "?" || next === "*" || next === "+") this.#repeat(items);
      else items.push(this.#item());
    }
    return [...branches, items.join("")].join("|");
  }

  #item(): Item {
    const next = this.#in.next;
    if (next === "(") return this.#group();
    if (next === "[") return this.#class(rustClass(this.#in, this.#flags));
    if (next === "\\") return this.#escaped(rustEscape(this.#in, this.#flags));
    this.#in.take();
    const { m, s, R } = this.#flags;
    if (next === "^") return m ? lineStart(R) : TEXT_START;
    if (next === "$") return m ? lineEnd(R) : TEXT_END;
    if (next === ".") return this.#class(s ? "[^]" : R ? "[^\\n\\r]" : "[^\\n]");
    return this.#literal(next.codePointAt(0)!);
  }

  #escaped(escaped: Escaped): string {
    if ("code" in escaped) return this.#literal(escaped.code);
    if ("set" in escaped) return this.#class(`[${escaped.negated ? "^" : ""}${escaped.set}]`);
    if (escaped.look === "A") return TEXT_START;
    return escaped.look === "z" ? TEXT_END : border(escaped.look, RUST.word, NO_TEXT);
  }

  #class(set: string): string {
    return classOf(set, this.#ends);
  }

  /** In a search by lines ripgrep leaves the ends of lines, and always NUL, to the other dialect. */
  #literal(code: number): string {
    if (code === 0 || (this.#ends !== "" && (code === 10 || code === 13)))
      throw new Invalid("it has the end of a line");
    const plain = character(code);
    if (!this.#flags.i) return plain;
    const either = inEitherCase(plain);
    return either === plain ? plain : `[${either}]`;
  }

  #repeat(items: Item[]): void {
    const item = items.pop();
    if (item === undefined || item === null) throw new Invalid("repetition operator missing expression");
    const count = this.#in.next === "{" ? this.#count() : this.#in.take();
    this.#space();
    const lazy = this.#in.eat("?") !== this.#flags.U;
    items.push(`(?:${item}${count}${lazy ? "?" : ""})`);
  }

  #count(): string {
    this.#in.take();
    const from = this.#decimal();
    let to: number | "" = from;
    const comma = this.#in.eat(",");
    if (comma) to = /[}]/.test(this.#spaced().next) ? "" : this.#decimal();
    if (!this.#in.eat("}")) throw new Invalid("unclosed counted repetition");
    if (to !== "" && to < from) throw new Invalid("invalid repetition count range, the start must be <= the end");
    return comma ? `{${from},${to}}` : `{${from}}`;
  }

  #decimal(): number {
    this.#spaced();
    const digits = this.#in.while((one) => /[0-9]/.test(one));
    this.#spaced();
    if (digits === "") throw new Invalid("repetition quantifier expects a valid decimal");
    if (Number(digits) > 0xffff_ffff) throw new Invalid("decimal literal invalid");
    return Number(digits);
  }

  #spaced(): Cursor {
    this.#in.while((one) => /\p{White_Space}/u.test(one));
    return this.#in;
  }

  #group(): Item {
    this.#in.take();
    this.#space();
    if (/^\?<?[=!]/.test(this.#in.next + this.#in.peek(1) + this.#in.peek(2)))
      throw new Invalid("look-around is not supported");
    const before = this.#flags;
    if (this.#in.eat("?P<") || this.#in.eat("?<")) this.#name();
    else if (this.#in.eat("?")) {
      const flags = this.#newFlags();
      this.#flags = { ...before, ...flags };
      if (this.#in.take() === ")") {
        if (Object.keys(flags).length === 0) throw new Invalid("repetition operator missing expression");
        return null;
      }
    }
    if (++this.#depth > DEEPEST) throw new Invalid("it is nested too deeply");
    const inside = this.alternatives();
    this.#depth--;
    this.#flags = before;
    if (!this.#in.eat(")")) throw new Invalid("unclosed group");
    return `(?:${inside})`;
  }

  #name(): void {
    const name = this.#in.until(">");
    if (name === undefined || !/^[\p{Alphabetic}_][\p{Alphabetic}\p{N}_.[\]]*$/u.test(name))
      throw new Invalid("invalid capture group name");
    if (this.#names.has(name)) throw new Invalid("duplicate capture group name");
    this.#names.add(name);
  }

  /** Up to ":" or ")". */
  #newFlags(): Partial<Flags> {
    const flags: Record<string, boolean> = {};
    let on = true;
    let dangling = false;
    while (this.#in.next !== ":" && this.#in.next !== ")") {
      const flag = this.#in.take();
      if (flag === "-" && on) {
        on = false;
        dangling = true;
      } else if (!/[imsxURu]/.test(flag) || flag in flags) throw new Invalid(`unrecognized flag ${flag}`);
      else {
        flags[flag] = on;
        dangling = false;
      }
    }
    if (dangling) throw new Invalid("dangling flag negation operator");
    if (flags.u === false) throw new Untranslatable("(?-u), which makes it match bytes, is not known here");
    if (flags.R === false) throw new Untranslatable("(?-R), which makes \\r a part of lines, is not known here");
    return flags;
  }

  #space(): void {
    while (this.#flags.x) {
      if (this.#in.next === "#") this.#in.while((one) => one !== "\n");
      if (this.#in.while((one) => /\p{White_Space}/u.test(one)) === "" && this.#in.next !== "#") return;
    }
  }
}
