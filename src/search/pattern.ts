// The pattern of a search: checked before any engine sees it, and translated for the engine in JavaScript.
import { Refusal } from "../core/failure.ts";
import { tooComplex } from "./globs.ts";

export interface Pattern {
  readonly text: string;
  readonly literal: boolean;
  readonly caseSensitive: boolean;
  readonly multiline: boolean;
}

const MAX_LENGTH = 16 * 1024;
/** How often counts may repeat one place of a pattern: engines copy what is repeated. */
const MAX_REPEATED = 50_000;

/** A line break, in any of its spellings. */
const LINE_BREAK = /(?<!\\)(?:\\\\)*\\(?:n|R|x0a|x\{0*a\}|u000a|u\{0*a\}|U0000000a|U\{0*a\}|012|cj)/i;

/** Refuses what no engine should get. */
export function checkPattern({ text, literal, multiline }: Pattern): void {
  if (/\0|\p{Surrogate}/u.test(text))
    throw unusable("it has a NUL character or half of a surrogate pair", "Correct it.");
  if (text.length > MAX_LENGTH) throw tooComplex(text, `it is longer than ${MAX_LENGTH} characters`);
  if (!multiline && (text.includes("\n") || (!literal && LINE_BREAK.test(text)))) {
    throw unusable("it has a line break, and each line is searched alone", "Search with multiline, or for one line.");
  }
  if (!multiline && literal && text.includes("\r")) {
    throw unusable("it has a carriage return, and lines are searched without their ends", "Search with multiline.");
  }
  if (!literal && repetitions(text) > MAX_REPEATED) throw tooComplex(text, "its counted repetitions multiply");
}

export function badPattern(message: string): Refusal {
  return new Refusal("command_failed", `The pattern is not a valid regular expression: ${message}.`, {
    next: "Correct the pattern, or search for it as literal text.",
  });
}

export function unusable(why: string, next: string): Refusal {
  return new Refusal("command_failed", `The pattern cannot be searched: ${why}.`, { next });
}

/** How many copies counts such as {2,500} make of the innermost place; nested ones multiply. */
function repetitions(text: string): number {
  const plain = text.replaceAll(/\\[pPuUx]\{[^}]*\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, "x");
  let max = 1;
  const groups: number[] = [1];
  for (let i = 0; i < plain.length; i++) {
    if (plain[i] === "(") groups.push(1);
    const closed = plain[i] === ")" && groups.length > 1 ? groups.pop()! : 1;
    const count = /^\{(\d+)(?:,(\d*))?\}/.exec(plain.slice(i + 1, i + 30));
    const copies = closed * (count === null ? 1 : Math.max(1, Number(count[1]), Number(count[2] || 0)));
    groups[groups.length - 1] = Math.max(groups.at(-1)!, copies);
    max = Math.max(max, copies);
  }
  return max;
}
