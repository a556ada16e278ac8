// The pattern of a search: checked before any engine sees it, and translated for the engine in JavaScript.
import { refuse } from "../words/index.ts";

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
  if (/\0|\p{Surrogate}/u.test(text)) throw refuse("pattern_unusable", { problem: "characters" });
  if (text.length > MAX_LENGTH) throw refuse("pattern_too_complex", { pattern: text, by: "length", max: MAX_LENGTH });
  if (!multiline && (text.includes("\n") || (!literal && LINE_BREAK.test(text)))) {
    throw refuse("pattern_unusable", { problem: "line_break" });
  }
  if (!multiline && literal && text.includes("\r")) {
    throw refuse("pattern_unusable", { problem: "carriage_return" });
  }
  if (!literal && repetitions(text) > MAX_REPEATED)
    throw refuse("pattern_too_complex", { pattern: text, by: "repetitions" });
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
