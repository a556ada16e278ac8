// Text that came from files, names or callers, made safe to print: nothing in it can move a cursor or reorder a line.

/** One line: names, messages, details. */
export function safeLine(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** Several lines, as in a diff: line ends and tabs stay, and so do joiners that scripts and emoji need. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** JSON in which every character that a terminal could obey is escaped; it means the same. */
export function safeJson(value: unknown, indent?: number): string {
  return safeEscapes(JSON.stringify(value, null, indent));
}

/** The same for a text that is JSON or TOML already. */
export function safeEscapes(text: string): string {
  return text.replace(OBEYED, (char) =>
    [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;
const UNSAFE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Surrogate}]|\r(?!\n)/gu;
const OBEYED = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

function escaped(char: string): string {
  return `\\u{${char.codePointAt(0)!.toString(16)}}`;
}
