// Perl's regular expressions as PCRE2 takes them: what ripgrep falls back on when Rust's dialect does not do.
import { Cursor, Invalid, Untranslatable } from "./cursor.ts";
import { border, TEXT_END, TEXT_START } from "./looks.ts";
import { PERL, type PerlEscaped, perlClass, perlEscape } from "./perl-class.ts";
import type { Meaning, Flags as RustFlags } from "./rust.ts";
import { character, classOf, inEitherCase } from "./sets.ts";

type Flags = Omit<RustFlags, "R" | "u">;

/** `most`: characters it can match. Only an "atom" is known to be repeated as in JavaScript. */
interface Item {
  readonly source: string;
  readonly most: number;
  readonly kind: "atom" | "place" | "flags" | "repeated";
}

export function fromPerl(text: string, meaning: Meaning): { readonly source: string; readonly flags: string } {
  const parser = new Parser(`(?:${text})`, meaning);
  const { source } = parser.alternatives();
  return { source, flags: parser.finish() };
}

const DEEPEST = 250;
const LONGEST_LOOK_BEHIND = 255;
const PLACES: Readonly<Record<string, string>> = {
  A: TEXT_START,
  z: TEXT_END,
  Z: "(?=(?:\\r\\n|[\\n\\r])?(?![^]))",
};

class Parser {
  readonly #in: Cursor;
  readonly #startsInEitherCase: boolean;
  readonly #carriageReturns: boolean;
  #flags: Flags;
  #depth = 0;
  #groups = 0;
  #inner = 0;
  readonly #names = new Map<string, number>();
  /** Groups that have matched whenever this place is reached: elsewhere a reference to nothing differs in JavaScript. */
  #set: ReadonlySet<number> = new Set();
  #lookBehind = false;
  #mixedCase = false;
  #refersInEitherCase = false;

  constructor(text: string, { caseSensitive, carriageReturns }: Meaning) {
    this.#carriageReturns = carriageReturns;
    this.#in = new Cursor(text);
    this.#startsInEitherCase = !caseSensitive;
    this.#flags = { i: !caseSensitive, m: true, s: false, x: false, U: false };
  }

  /** The flags for JavaScript. */
  finish(): string {
    if (this.#in.next !== "") throw new Invalid("unmatched closing parenthesis");
    if (!this.#refersInEitherCase) return "v";
    if (!this.#startsInEitherCase || this.#mixedCase) {
      throw new Untranslatable("a back reference that ignores case in a part of the pattern is not known here");
    }
    return "iv";
  }

  alternatives(): { readonly source: string; readonly most: number } {
    const branches: string[] = [];
    const before = this.#set;
    let most = 0;
    let always: ReadonlySet<number> | undefined;
    do {
      this.#set = before;
      const items = this.#branch();
      branches.push(items.map(({ source }) => source).join(""));
      most = Math.max(most, sum(items));
      const sure: ReadonlySet<number> = this.#set;
      always = always === undefined ? sure : new Set([...always].filter((group) => sure.has(group)));
    } while (this.#in.eat("|"));
    this.#set = always;
    return { source: branches.join("|"), most };
  }

  #branch(): Item[] {
    const items: Item[] = [];
    for (;;) {
      this.#space();
      const next = this.#in.next;
      if (next === "" || next === ")" || next === "|") return items;
      if (this.#in.eat("\\Q")) items.push(...this.#quoted());
      else if (this.#in.eat("\\E")) this.#nothing();
      else {
        const before = this.#set;
        items.push(this.#repeated(this.#item(), before));
      }
    }
  }

  #item(): Item {
    const next = this.#in.next;
    if (next === "(") return this.#group();
    if (next === "[") return atom(classOf(perlClass(this.#in, this.#flags.i)));
    if (next === "\\") return this.#escaped(perlEscape(this.#in, this.#flags.i));
    if ("?*+".includes(next) || (next === "{" && this.#count() !== undefined)) {
      throw new Invalid("quantifier does not follow a repeatable item");
    }
    this.#in.take();
    const { m, s } = this.#flags;
    if (next === "^") return place(m && this.#carriageReturns ? `(?:${TEXT_START}|(?<=[\\n\\r])(?=[^]))` : TEXT_START);
    if (next === "$") return place(!this.#carriageReturns ? TEXT_END : m ? "(?![^\\n\\r])" : PLACES.Z!);
    if (next === ".") return atom(classOf(s || !this.#carriageReturns ? "[^]" : "[^\\n\\r]"));
    return this.#literal(next);
  }

  #literal(one: string): Item {
    const plain = character(one.codePointAt(0)!);
    const either = this.#flags.i ? inEitherCase(plain) : plain;
    return atom(either === plain ? plain : `[${either}]`);
  }

  #quoted(): Item[] {
    const items: Item[] = [];
    while (this.#in.next !== "" && !this.#in.eat("\\E")) items.push(this.#literal(this.#in.take()));
    const last = items.pop();
    if (last !== undefined) return [...items, this.#repeated(last, this.#set)];
    return this.#nothing();
  }

  /** What follows would repeat the item before. */
  #nothing(): [] {
    if (/[?*+{]/.test(this.#in.next)) throw new Untranslatable("a repetition after an empty \\Q\\E is not known here");
    return [];
  }

  #escaped(escaped: PerlEscaped): Item {
    if ("code" in escaped) return this.#literal(String.fromCodePoint(escaped.code));
    if ("set" in escaped) return atom(classOf(`[${escaped.negated ? "^" : ""}${escaped.set}]`));
    if ("group" in escaped) return this.#reference(escaped.group);
    const { other } = escaped;
    if (other === "b" || other === "B") return place(border(other, PERL.word));
    if (other === "N") return atom(classOf(this.#carriageReturns ? "[^\\n\\r]" : "[^]"));
    const known = PLACES[other];
    if (known === undefined) throw new Untranslatable(`\\${other} is not known here`);
    return place(known);
  }

  #reference(group: number | string): Item {
    const number = typeof group === "string" ? this.#names.get(group) : group < 0 ? this.#groups + 1 + group : group;
    if (number === undefined || !this.#set.has(number) || this.#lookBehind) {
      throw new Untranslatable("a reference to a group that need not have matched before it is not known here");
    }
    this.#refersInEitherCase ||= this.#flags.i;
    return { source: `(?:\\k<g${number}>)`, most: Number.POSITIVE_INFINITY, kind: "atom" };
  }

  #repeated(item: Item, before: ReadonlySet<number>): Item {
    this.#space();
    const counted = this.#in.next === "{" ? this.#count() : undefined;
    const simple = /^[?*+]$/.test(this.#in.next) ? this.#in.next : undefined;
    if (counted === undefined && simple === undefined) return item;
    if (item.kind === "flags") throw new Invalid("quantifier does not follow a repeatable item");
    if (item.kind !== "atom") throw new Untranslatable("a repeated place or repetition is not known here");
    if (simple !== undefined) this.#in.take();
    else this.#in.until("}");
    const { least, most } = counted ?? SIMPLE[simple!]!;
    if (least === 0) this.#set = before;
    const possessive = this.#in.eat("+");
    const lazy = !possessive && this.#in.eat("?") !== this.#flags.U;
    const source = `(?:${item.source}{${least},${most === Number.POSITIVE_INFINITY ? "" : most}}${lazy ? "?" : ""})`;
    const whole: Item = { source, most: item.most === 0 ? 0 : item.most * most, kind: "repeated" };
    return possessive ? this.#withoutReturn(whole) : whole;
  }

  /** Not taken; undefined when the brace means itself. */
  #count(): { readonly least: number; readonly most: number } | undefined {
    const mark = this.#in.mark();
    this.#in.take();
    const [all, from, comma, to] =
      /^[ \t]*(\d*)[ \t]*(?:(,)[ \t]*(\d*)[ \t]*)?$/.exec(this.#in.until("}") ?? "{") ?? [];
    this.#in.backTo(mark);
    if (all === undefined || (from === "" && (to ?? "") === "")) return;
    const least = Number(from);
    const most = comma === undefined ? least : to === "" ? Number.POSITIVE_INFINITY : Number(to);
    if (least > 65_535 || (Number.isFinite(most) && most > 65_535))
      throw new Invalid("number too big in {} quantifier");
    if (most < least) throw new Invalid("numbers out of order in {} quantifier");
    return { least, most };
  }

  #withoutReturn({ source, most }: Item): Item {
    if (this.#lookBehind) throw new Untranslatable("a group without return in a look-behind is not known here");
    const name = `a${++this.#inner}`;
    return { source: `(?:(?=(?<${name}>${source}))\\k<${name}>)`, most, kind: "atom" };
  }

  #group(): Item {
    this.#in.take();
    if (this.#in.next === "*") throw new Untranslatable("(*…) is not known here");
    if (!this.#in.eat("?")) return this.#capture();
    if (this.#in.eat("#")) {
      if (this.#in.until(")") === undefined) throw new Invalid("missing ) after (?# comment");
      return { source: "", most: 0, kind: "flags" };
    }
    if (this.#in.eat("=")) return this.#look("(?=", { sure: true });
    if (this.#in.eat("!")) return this.#look("(?!", {});
    if (this.#in.eat("<=")) return this.#look("(?<=", { behind: true });
    if (this.#in.eat("<!")) return this.#look("(?<!", { behind: true });
    if (this.#in.eat(">")) return this.#withoutReturn({ ...this.#inside(), kind: "atom" });
    if (this.#in.eat("P=")) return this.#reference(this.#in.until(")") ?? "");
    if (this.#in.eat("P<") || this.#in.eat("<")) return this.#capture(this.#in.until(">") ?? "");
    if (this.#in.eat("'")) return this.#capture(this.#in.until("'") ?? "");
    return this.#flagged();
  }

  #capture(name?: string): Item {
    const number = ++this.#groups;
    if (name !== undefined) {
      if (!/^[\p{L}_][\p{L}\p{Nd}_]{0,31}$/u.test(name)) throw new Invalid("a group has no proper name");
      if (this.#names.has(name)) throw new Invalid("two named groups have the same name");
      this.#names.set(name, number);
    }
    const { source, most } = this.#inside();
    this.#set = new Set([...this.#set, number]);
    return { source: `(?<g${number}>${source})`, most, kind: "atom" };
  }

  #look(open: string, { sure = false, behind = false }: { sure?: boolean; behind?: boolean }): Item {
    const [before, was] = [this.#set, this.#lookBehind];
    this.#lookBehind ||= behind;
    const { source, most } = this.#inside();
    this.#lookBehind = was;
    if (behind && most > LONGEST_LOOK_BEHIND) throw new Invalid("a look-behind has no or too great a length");
    if (!sure) this.#set = before;
    return place(`${open}${source})`);
  }

  #inside(): { readonly source: string; readonly most: number } {
    if (++this.#depth > DEEPEST) throw new Invalid("it is nested too deeply");
    const before = this.#flags;
    const inside = this.alternatives();
    this.#flags = before;
    this.#depth--;
    if (!this.#in.eat(")")) throw new Invalid("missing closing parenthesis");
    return inside;
  }

  #flagged(): Item {
    const text = this.#in.while((one) => /[-imsxU]/.test(one));
    const end = this.#in.take();
    const [, on = "", , off = ""] = /^([^-]*)(-([^-]*))?$/.exec(text) ?? [];
    if ((end !== ":" && end !== ")") || /xx/.test(on) || text.split("-").length > 2) {
      throw new Untranslatable(`(?${text}${end} is not known here`);
    }
    const before = this.#flags;
    const letters = ["i", "m", "s", "x", "U"] as const;
    const changed = letters.map((flag) => [flag, !off.includes(flag) && (on.includes(flag) || before[flag])]);
    this.#flags = Object.fromEntries(changed) as unknown as Flags;
    this.#mixedCase ||= this.#flags.i !== before.i;
    if (end === ")") return { source: "", most: 0, kind: "flags" };
    const { source, most } = this.#inside();
    this.#flags = before;
    return { source: `(?:${source})`, most, kind: "atom" };
  }

  #space(): void {
    while (this.#flags.x) {
      if (this.#in.next === "#") this.#in.while((one) => !/[\n\r]/.test(one));
      if (this.#in.while((one) => /[\t-\r \x85\u200e\u200f\u2028\u2029]/.test(one)) === "" && this.#in.next !== "#")
        return;
    }
  }
}

const SIMPLE: Readonly<Record<string, { readonly least: number; readonly most: number }>> = {
  "?": { least: 0, most: 1 },
  "*": { least: 0, most: Number.POSITIVE_INFINITY },
  "+": { least: 1, most: Number.POSITIVE_INFINITY },
};

function atom(source: string): Item {
  return { source, most: 1, kind: "atom" };
}

function place(source: string): Item {
  return { source: `(?:${source})`, most: 0, kind: "place" };
}

function sum(items: readonly Item[]): number {
  return items.reduce((total, { most }) => total + most, 0);
}
