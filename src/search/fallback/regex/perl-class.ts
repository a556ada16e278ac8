// Escapes and classes of characters in PCRE2's regular expressions, Unicode-aware as ripgrep asks for them.
import { type Cursor, Invalid, Untranslatable } from "./cursor.ts";
import { character, inEitherCase, propertySet, range } from "./sets.ts";

const VERTICAL = "\\n\\v\\f\\r\\x85\\u2028\\u2029";
const HORIZONTAL = "\\t\\x20\\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000";

export const PERL = {
  word: "\\p{L}\\p{N}\\p{Mn}\\p{Pc}",
  digit: "\\p{Nd}",
  space: `\\p{Z}${HORIZONTAL}${VERTICAL}`,
} as const;

export type PerlEscaped =
  | { readonly code: number }
  | { readonly set: string; readonly negated: boolean }
  | { readonly group: number | string }
  | { readonly other: string };

const CONTROLS: Readonly<Record<string, number>> = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9 };
const SETS: Readonly<Record<string, string>> = {
  d: PERL.digit,
  s: PERL.space,
  w: PERL.word,
  h: HORIZONTAL,
  v: VERTICAL,
};
const NAMED: Readonly<Record<string, string>> = {
  alpha: "\\p{L}",
  alnum: "\\p{L}\\p{N}",
  ascii: "\\u{0}-\\u{7f}",
  blank: HORIZONTAL,
  cntrl: "\\p{Cc}",
  digit: PERL.digit,
  lower: "\\p{Ll}",
  space: PERL.space,
  upper: "\\p{Lu}",
  word: PERL.word,
};

export function perlEscape(cursor: Cursor, eitherCase: boolean): PerlEscaped {
  cursor.take();
  const one = cursor.take();
  if (/[1-9]/.test(one)) return { group: Number(singleDigit(cursor, one)) };
  if (one === "g" || one === "k") return { group: reference(cursor, one) };
  if (one === "x") return { code: hexadecimal(cursor) };
  if (Object.hasOwn(CONTROLS, one)) return { code: CONTROLS[one]! };
  if (one === "p" || one === "P") return property(cursor, one === "P", eitherCase);
  const set = /[dswhv]/i.test(one) ? SETS[one.toLowerCase()] : undefined;
  if (set !== undefined) return { set, negated: one !== one.toLowerCase() };
  if (/[bBAzZN]/.test(one) && !(one === "N" && cursor.next === "{")) return { other: one };
  if (/[0-9A-Za-z]/.test(one)) throw new Untranslatable(`\\${one} is not known here`);
  return { code: one.codePointAt(0)! };
}

function singleDigit(cursor: Cursor, digit: string): string {
  if (/[0-9]/.test(cursor.next)) throw new Untranslatable("a reference of two digits is not known here; write \\g{10}");
  return digit;
}

function reference(cursor: Cursor, kind: string): number | string {
  const close = { "{": "}", "<": ">", "'": "'" }[cursor.next];
  if (close === undefined || (kind === "g" && close !== "}")) {
    if (kind === "g" && /[0-9]/.test(cursor.next)) return Number(cursor.while((one) => /[0-9]/.test(one)));
    throw new Untranslatable(`\\${kind} is not known here`);
  }
  cursor.take();
  const name = cursor.until(close) ?? "";
  return kind === "g" && /^-?[0-9]+$/.test(name) ? Number(name) : name;
}

function hexadecimal(cursor: Cursor): number {
  const digits = cursor.eat("{") ? (cursor.until("}") ?? "") : cursor.take() + cursor.take();
  const code = Number.parseInt(digits, 16);
  if (!/^[0-9a-f]+$/i.test(digits) || code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new Untranslatable("\\x without a character's number is not known here");
  }
  return code;
}

function property(cursor: Cursor, negated: boolean, eitherCase: boolean): PerlEscaped {
  const text = cursor.eat("{") ? cursor.until("}") : cursor.take();
  if (text === undefined) throw new Invalid("malformed \\P or \\p sequence");
  const name = text.replace(/^\s*\^/, "");
  const set = name === "L&" ? "\\p{LC}" : propertySet(name, "Script_Extensions");
  const cased = eitherCase && /^\\p\{(?:L[ult]|(?:Lower|Upper|Title)case_Letter)\}$/.test(set) ? "\\p{LC}" : set;
  return { set: cased, negated: negated !== (name !== text) };
}

/** The class at the cursor, in brackets. */
export function perlClass(cursor: Cursor, eitherCase: boolean): string {
  const folded = (set: string) => (eitherCase ? inEitherCase(set) : set);
  cursor.take();
  const negated = cursor.eat("^");
  let set = cursor.eat("]") ? character(0x5d) : "";
  while (!cursor.eat("]")) {
    if (cursor.next === "") throw new Invalid("missing terminating ] for character class");
    const from = single(cursor, eitherCase);
    if (cursor.next !== "-" || cursor.peek(1) === "]") {
      set += typeof from === "number" ? folded(character(from)) : from;
      continue;
    }
    cursor.take();
    const to = single(cursor, eitherCase);
    if (typeof from !== "number" || typeof to !== "number") throw new Untranslatable("a range between classes");
    if (to < from) throw new Invalid("range out of order in character class");
    set += folded(range(from, to));
  }
  return `[${negated ? "^" : ""}${set}]`;
}

function single(cursor: Cursor, eitherCase: boolean): number | string {
  if (cursor.next === "[" && /[:.=]/.test(cursor.peek(1))) {
    const named = posix(cursor, eitherCase);
    if (named !== undefined) return named;
  }
  if (cursor.next !== "\\") return cursor.take().codePointAt(0)!;
  if (/[QE]/.test(cursor.peek(1))) throw new Untranslatable("\\Q in a class is not known here");
  const escaped = perlEscape(cursor, eitherCase);
  if ("code" in escaped) return escaped.code;
  if ("set" in escaped) return escaped.negated ? `[^${escaped.set}]` : escaped.set;
  if ("other" in escaped && escaped.other === "b") return 8;
  throw new Untranslatable("this escape in a class is not known here");
}

/** "[:alpha:]"; a bracket that only looks like one means itself. */
function posix(cursor: Cursor, eitherCase: boolean): string | undefined {
  const mark = cursor.mark();
  cursor.take();
  const kind = cursor.take();
  const negated = cursor.eat("^");
  const name = cursor.while((one) => /[a-z]/.test(one));
  if (!cursor.eat(`${kind}]`)) {
    cursor.backTo(mark);
    return;
  }
  const set = kind === ":" && Object.hasOwn(NAMED, name) ? NAMED[name]! : undefined;
  if (set === undefined || (eitherCase && (name === "lower" || name === "upper"))) {
    throw new Untranslatable(`[:${name}:] together with look-around or references is not known here`);
  }
  return negated ? `[^${set}]` : set;
}
