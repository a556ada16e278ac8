// Classes of characters in Rust's regular expressions: ranges, classes within classes, and what is common to two or not.
import { type Cursor, Invalid } from "./cursor.ts";
import type { Flags } from "./rust.ts";
import { rustEscape } from "./rust-escape.ts";
import { asciiSet, character, inEitherCase, range } from "./sets.ts";

/** The class at the cursor, in brackets. */
export function rustClass(cursor: Cursor, flags: Flags, depth = 0): string {
  if (depth > DEEPEST) throw new Invalid("it is nested too deeply");
  const space = () => {
    while (flags.x) {
      if (cursor.next === "#") cursor.while((one) => one !== "\n");
      if (cursor.while((one) => /\p{White_Space}/u.test(one)) === "" && cursor.next !== "#") return;
    }
  };
  const folded = (set: string) => (flags.i ? inEitherCase(set) : set);

  function whole(): string {
    cursor.take();
    space();
    const negated = cursor.eat("^");
    space();
    let left: { readonly set: string; readonly operator: string } | undefined;
    let union = leading();
    for (;;) {
      space();
      const next = cursor.next;
      if (next === "") throw new Invalid("unclosed character class");
      if (cursor.eat("]")) return `[${negated ? "^" : ""}${combined(left, union)}]`;
      const operator = OPERATORS.find((one) => cursor.eat(one));
      if (operator !== undefined) {
        left = { set: combined(left, union), operator };
        union = "";
      } else union += next === "[" ? (asciiClass() ?? rustClass(cursor, flags, depth + 1)) : item();
    }
  }

  /** Hyphens at the start mean themselves, and so does a bracket that would close an empty class. */
  function leading(): string {
    let set = "";
    while (cursor.next === "-") {
      cursor.take();
      set += character(HYPHEN);
      space();
    }
    if (set === "" && cursor.eat("]")) set = character(BRACKET);
    return set;
  }

  function asciiClass(): string | undefined {
    const mark = cursor.mark();
    cursor.take();
    const named = cursor.eat(":");
    const negated = named && cursor.eat("^");
    const set = named ? asciiSet(cursor.while((one) => /[a-z]/.test(one))) : undefined;
    if (set !== undefined && cursor.eat(":]")) return negated ? `[^${folded(set)}]` : folded(set);
    cursor.backTo(mark);
    return;
  }

  function item(): string {
    const from = single();
    space();
    const after = cursor.next === "-" ? afterHyphen() : "";
    if (after === "" || after === "]" || after === "-")
      return typeof from === "number" ? folded(character(from)) : from;
    cursor.take();
    space();
    if (cursor.next === "") throw new Invalid("unclosed character class");
    const to = single();
    if (typeof from !== "number" || typeof to !== "number")
      throw new Invalid("invalid range boundary, must be a literal");
    if (to < from) throw new Invalid("invalid character class range, the start must be <= the end");
    return folded(range(from, to));
  }

  function afterHyphen(): string {
    const mark = cursor.mark();
    cursor.take();
    space();
    const next = cursor.next;
    cursor.backTo(mark);
    return next;
  }

  function single(): number | string {
    if (cursor.next !== "\\") return cursor.take().codePointAt(0)!;
    const escaped = rustEscape(cursor, flags);
    if ("code" in escaped) return escaped.code;
    if ("look" in escaped) throw new Invalid("invalid escape sequence found in character class");
    return escaped.negated ? `[^${escaped.set}]` : escaped.set;
  }

  return whole();
}

const DEEPEST = 250;
const OPERATORS = ["&&", "--", "~~"];
const HYPHEN = 0x2d;
const BRACKET = 0x5d;

function combined(left: { readonly set: string; readonly operator: string } | undefined, right: string): string {
  if (left === undefined) return right;
  if (left.operator !== "~~") return `[[${left.set}]${left.operator}[${right}]]`;
  return `[[${left.set}]--[${right}]][[${right}]--[${left.set}]]`;
}
