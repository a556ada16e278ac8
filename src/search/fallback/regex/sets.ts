// Sets of characters as JavaScript writes them with the flag "v": what may stand between the brackets of a class.
import { Invalid, Untranslatable } from "./cursor.ts";

export const RUST = {
  word: "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}",
  digit: "\\p{Nd}",
  space: "\\p{White_Space}",
} as const;

/** Stand for bytes that are no text: no set has them. */
export const NO_TEXT = "\\u{d800}-\\u{dfff}";

export function character(code: number): string {
  return /[0-9A-Za-z]/.test(String.fromCodePoint(code)) ? String.fromCodePoint(code) : `\\u{${code.toString(16)}}`;
}

export function range(from: number, to: number): string {
  return from === to ? character(from) : `${character(from)}-${character(to)}`;
}

/** With the other cases of its characters. For single characters, ranges and properties, side by side. */
export function inEitherCase(set: string): string {
  cased ??= charactersWithCase();
  const exact = new RegExp(`[${set}]`, "u");
  const found = cased.match(new RegExp(`[${set}]`, "giu")) ?? [];
  return set + found.flatMap((one) => (exact.test(one) ? [] : character(one.codePointAt(0)!))).join("");
}

/** A class of its own, without what stands for no text, and without what `not` names. */
export function classOf(set: string, not = ""): string {
  const whole = `[${set}]`;
  const forbidden = NO_TEXT + not;
  return new RegExp(`[${whole}&&[${forbidden}]]`, "v").test(`\ud800\n\r`) ? `[${whole}--[${forbidden}]]` : whole;
}

const ASCII: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\u{0}-\\u{7f}",
  blank: "\\u{9}\\u{20}",
  cntrl: "\\u{0}-\\u{1f}\\u{7f}",
  digit: "0-9",
  graph: "\\u{21}-\\u{7e}",
  lower: "a-z",
  print: "\\u{20}-\\u{7e}",
  punct: "\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}",
  space: "\\u{9}-\\u{d}\\u{20}",
  upper: "A-Z",
  word: "0-9A-Z_a-z",
  xdigit: "0-9A-Fa-f",
};

export function asciiSet(name: string): string | undefined {
  return Object.hasOwn(ASCII, name) ? ASCII[name] : undefined;
}

/** "Greek", "L", "script=Greek": as they are written between \p{ and }. */
export function propertySet(text: string, scripts: "Script" | "Script_Extensions"): string {
  const [, name = "", operator = "", value = ""] = /^(.*?)(?:(!=|[:=])(.*))?$/su.exec(text) ?? [];
  // "!=" is in Rust's documentation, but means the same as "=" there.
  const set = operator === "" ? named(name, scripts) : operator === "!=" ? undefined : valued(loose(name), value);
  if (set === undefined) throw new Untranslatable(`\\p{${text}} is not a property that is known here`);
  return set;
}

function named(name: string, scripts: string): string | undefined {
  if (name.trim() === "") throw new Invalid("a property has no name");
  return (
    known(spellings(name)) ??
    known(spellings(name).map((spelling) => `${scripts}=${spelling}`)) ??
    nameless(loose(name))
  );
}

function valued(name: string, value: string): string | undefined {
  const property = { gc: "gc", generalcategory: "gc", sc: "sc", script: "sc", scx: "scx", scriptextensions: "scx" };
  const short = Object.hasOwn(property, name) ? property[name as keyof typeof property] : undefined;
  return short && known(spellings(value).map((spelling) => `${short}=${spelling}`));
}

function nameless(name: string): string | undefined {
  return name === "whitespace" ? RUST.space : undefined;
}

/** Names are compared without regard to case and separators; JavaScript wants them as Unicode spells them. */
function spellings(name: string): string[] {
  const plain = name.trim().replace(/^is[ _-]?(?=.)/i, "");
  const words = plain.split(/[\s_-]+/);
  const titled = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase());
  const [first = "", ...rest] = titled;
  const tries = [name.trim(), plain, titled.join("_"), [first.toUpperCase(), ...rest].join("_"), plain.toUpperCase()];
  const inner = plain.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_");
  return [...tries, inner].filter((spelling) => /^\w+$/.test(spelling));
}

function known(names: readonly string[]): string | undefined {
  for (const name of names) {
    try {
      new RegExp(`\\p{${name}}`, "u");
      return `\\p{${name}}`;
    } catch {
      // Not a name that JavaScript knows.
    }
  }
  return;
}

function loose(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, "");
}

let cased: string | undefined;

function charactersWithCase(): string {
  const changes = /\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u;
  let all = "";
  for (let code = 0; code < 0x1_f000; code++) {
    if (code === 0xd800) code = 0xe000;
    const one = String.fromCodePoint(code);
    if (changes.test(one)) all += one;
  }
  return all;
}
