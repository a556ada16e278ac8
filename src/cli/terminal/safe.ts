// Text that came from files, names or callers, made safe to print: nothing in it can move a cursor or reorder a line.
import { escapedForPrint, printable, printableJson, withPrintableNames } from "../../core/printable.ts";
import type { Terminal } from "../options/command.ts";

/** Several lines, as in a diff: line ends and tabs stay, and so do joiners where scripts and emoji need them. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, escapedForPrint);
}

/** A message that may name these paths: a line end in one of their names begins no line of the message. */
export function safeMessage(message: string, paths: readonly string[]): string {
  return safeText(withPrintableNames(message, paths));
}

/** Of addresses of databases, as people write them and as drivers quote them. */
export function withoutPasswords(text: string): string {
  return text
    .replaceAll(/\b(postgres(?:ql)?:\/{1,2}[^\s:@/]*):[^\s"'`]*@/gi, "$1@")
    .replaceAll(/\b(postgres(?:ql)?:\/{1,2}[^\s"'`]*[?&]password=)[^\s&"'`]*/gi, "$1…");
}

/** What is printed in colour: the colours stay, all else is as in `safeText`. */
function safeColoured(text: string): string {
  return text
    .split(COLOUR)
    .map((part, n) => (n % 2 === 1 ? part : safeText(part)))
    .join("");
}

/** JSON in which every character that a terminal could obey is escaped; it means the same. */
export function safeJson(value: unknown, indent?: number): string {
  return printableJson(JSON.stringify(value, null, indent));
}

/** A terminal that obeys nothing but colours: the last line of defence behind what commands escape themselves. */
export function guarded(terminal: Terminal): Terminal {
  const safe = terminal.colour ? safeColoured : safeText;
  // All else is looked up when it is asked for: a directory may be gone, and who asks for the signal listens for it.
  return Object.assign(Object.create(terminal) as Terminal, {
    out: (text: string) => terminal.out(safe(text)),
    err: (text: string) => terminal.err(safe(text)),
    progress: (text: string) => terminal.progress(printable(text)),
  });
}

/** Scripts that join their letters. */
const JOINED = `[${["Arabic", "Syriac", "Mongolian", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya"]
  .concat("Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer")
  .map((script) => `\\p{Script=${script}}`)
  .join("")}]`;
/** Joiners stay between such letters, and between the parts of an emoji: anywhere else they only hide. */
const JOINER = `(?<=${JOINED})[\\u200c\\u200d](?=${JOINED})|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})`;
const UNSAFE = new RegExp(`(?=[\\p{Cc}\\p{Cf}\\p{Surrogate}\\u2028\\u2029])(?!\\n|\\t|\\r\\n|${JOINER}).`, "gsu");
/** Colours and weights, as `paint` makes them. */
const COLOUR = /(\u001b\[[0-9;]*m)/;
