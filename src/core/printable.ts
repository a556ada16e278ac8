// Text from files, names and callers, escaped for print: nothing in it moves a cursor, reorders a line or begins one.

/** A name as it is, unless something in it cannot be seen: that is escaped. */
export function printable(name: string): string {
  return name.replace(UNSEEN, escapedForPrint);
}

export function isPrintable(name: string): boolean {
  return printable(name) === name;
}

/** For messages: quoted, and cut when it is long. */
export function shown(text: string): string {
  return `'${printable(text.length > 200 ? `${text.slice(0, 200)}…` : text)}'`;
}

/** A message that may quote names and lines of files; it has no lone surrogates. */
export function printableMessage(text: string): string {
  return text.replace(UNREADABLE, escapedForPrint);
}

/** Lines of a file. Of what cannot be seen only what begins a line or turns the direction: emoji need the rest. */
export function printableLines(text: string): string {
  return text.replace(OBEYED, escapedForPrint);
}

/** Of a text that is JSON or TOML already: the characters that `which` finds. */
export function printableJson(text: string, which = UNSEEN_IN_JSON): string {
  return text.replace(which, (char) =>
    [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** A text that may name these paths: a line end in one of their names begins no line of the text. */
export function withPrintableNames(text: string, paths: readonly string[], inText = (name: string) => name): string {
  const names = paths.flatMap((path) => path.split("/")).filter((name) => !isPrintable(name));
  return names.reduce((done, name) => done.replaceAll(inText(name), () => printable(name)), text);
}

export function escapedForPrint(char: string): string {
  return `\\u{${char.codePointAt(0)!.toString(16)}}`;
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;
const UNREADABLE = /(?![\n\t])\p{Cc}|[\p{Cf}\u2028\u2029]/gu;
const OBEYED = /(?![\n\t]|\r(?:\n|$))\p{Cc}|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;
const UNSEEN_IN_JSON = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;
