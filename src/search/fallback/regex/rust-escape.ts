// What follows a backslash in Rust's regular expressions.
import { type Cursor, Invalid, Untranslatable } from "./cursor.ts";
import type { Border } from "./looks.ts";
import type { Flags } from "./rust.ts";
import { inEitherCase, propertySet, RUST } from "./sets.ts";

export type Escaped =
  | { readonly code: number }
  | { readonly set: string; readonly negated: boolean }
  | { readonly look: Border | "A" | "z" };

const CONTROLS: Readonly<Record<string, number>> = { a: 7, t: 9, n: 10, v: 11, f: 12, r: 13 };
const SETS = { d: RUST.digit, s: RUST.space, w: RUST.word } as const;
const LOOKS: Readonly<Record<string, Border | "A" | "z">> = { A: "A", z: "z", B: "B", "<": "start", ">": "end" };

export function rustEscape(cursor: Cursor, flags: Flags): Escaped {
  cursor.take();
  const one = cursor.take();
  if (/[0-9]/.test(one)) throw new Invalid("backreferences are not supported");
  if (Object.hasOwn(CONTROLS, one)) return { code: CONTROLS[one]! };
  if (Object.hasOwn(LOOKS, one)) return { look: LOOKS[one]! };
  if (/[xuU]/.test(one)) return { code: hexadecimal(cursor, one) };
  if (/[pP]/.test(one)) return property(cursor, one === "P", flags.i);
  if (/[dsw]/i.test(one)) {
    return { set: SETS[one.toLowerCase() as keyof typeof SETS], negated: one !== one.toLowerCase() };
  }
  if (one === "b") return { look: wordBorder(cursor) };
  if (/[^A-Za-z]/.test(one) && one.codePointAt(0)! < 0x80) return { code: one.codePointAt(0)! };
  throw new Invalid("unrecognized escape sequence");
}

/** "\b{start}" and the like; "\b{2}" is a repeated border. */
function wordBorder(cursor: Cursor): Border {
  const mark = cursor.mark();
  if (!cursor.eat("{")) return "b";
  const kind = cursor.while((one) => /[a-z-]/i.test(one));
  if (kind === "") {
    cursor.backTo(mark);
    return "b";
  }
  if (!/^(?:start|end)(?:-half)?$/.test(kind) || !cursor.eat("}"))
    throw new Invalid("special word boundary unrecognized");
  return kind as Border;
}

function hexadecimal(cursor: Cursor, kind: string): number {
  const braced = cursor.eat("{");
  const length = { x: 2, u: 4, U: 8 }[kind]!;
  let digits = "";
  if (braced) digits = cursor.until("}") ?? "";
  else while (digits.length < length) digits += cursor.take();
  if (!/^[0-9a-f]+$/i.test(digits)) throw new Invalid("invalid hexadecimal digit");
  const code = Number.parseInt(digits, 16);
  if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new Invalid("hexadecimal literal is not a Unicode scalar value");
  }
  return code;
}

function property(cursor: Cursor, negated: boolean, eitherCase: boolean): Escaped {
  const braced = cursor.eat("{");
  const text = braced ? cursor.until("}") : cursor.take();
  if (text === undefined || text === "\\" || text === "" || text.startsWith("^")) {
    throw new Invalid("Unicode property not found");
  }
  if (!braced && !/[CLMNPSZ]/i.test(text)) throw new Untranslatable(`\\p${text} is not a property that is known here`);
  const set = propertySet(text, "Script");
  return { set: eitherCase ? inEitherCase(set) : set, negated };
}
