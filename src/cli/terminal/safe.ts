// Text that came from files, names or callers, made safe to print: nothing in it can move a cursor or reorder a line.
import { escapedForPrint, printable, printableJson, withPrintableNames } from "../../core/printable.ts";
import type { Terminal } from "../options/command.ts";

/** Several lines, as in a diff: line ends and tabs stay, and so do joiners where scripts and emoji need them. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (char, at: number) => {
    const isLineEnd = char === "\r" && text[at + 1] === "\n";
    return isLineEnd || isJoining(char, text, at) ? char : escapedForPrint(char);
  });
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

const UNSAFE = /(?![\n\t])\p{Cc}|[\p{Cf}\p{Surrogate}\u2028\u2029]/gu;
/** Colours and weights, as `paint` makes them. */
const COLOUR = /(\u001b\[[0-9;]*m)/;

/** Between letters of a script that joins them, or between the parts of an emoji. Anywhere else it only hides. */
function isJoining(char: string, text: string, at: number): boolean {
  if (char !== "\u200c" && char !== "\u200d") return false;
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + 1, at + 3);
  if (ENDS_JOINED.test(before) && BEGINS_JOINED.test(after)) return true;
  return char === "\u200d" && ENDS_EMOJI.test(before) && /^\p{Extended_Pictographic}/u.test(after);
}

const JOINED = ["Arabic", "Syriac", "Mongolian", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya"]
  .concat("Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer")
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const ENDS_JOINED = new RegExp(`[${JOINED}]$`, "u");
const BEGINS_JOINED = new RegExp(`^[${JOINED}]`, "u");
const ENDS_EMOJI = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
