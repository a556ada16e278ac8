// The pattern of a search, checked before any engine sees it, and made ready for JavaScript where that has to do.
import { Refusal } from "../core/failure.ts";
import {
  Invalid,
  seesLineEnds,
  type Translated,
  translated,
  translatedLiteral,
  Untranslatable,
} from "./fallback/regex/index.ts";
import { tooComplex } from "./globs/braces.ts";

export interface Pattern {
  readonly text: string;
  readonly literal: boolean;
  readonly caseSensitive: boolean;
  readonly multiline: boolean;
}

const LONGEST = 16 * 1024;
/** How often one place of a pattern may be repeated by counts: engines copy what is repeated. */
const MOST_REPEATED = 50_000;

/** In one of the ways to write it. */
const LINE_BREAK = /(?<!\\)(?:\\\\)*\\(?:n|R|x0a|x\{0*a\}|u000a|u\{0*a\}|U0000000a|U\{0*a\}|012|cj)/i;

/** Refuses what no engine should get, whichever is used. */
export function checkPattern(pattern: Pattern): void {
  const { text, literal, multiline } = pattern;
  if (/\0|\p{Surrogate}/u.test(text))
    throw unusable("it has a NUL character or half of a surrogate pair", "Correct it.");
  if (text.length > LONGEST) throw tooComplex(text, `it is longer than ${LONGEST} characters`);
  if (!multiline && (text.includes("\n") || (!literal && LINE_BREAK.test(text)))) {
    throw unusable("it has a line break, and lines are searched one by one", "Search with multiline, or for one line.");
  }
  if (!multiline && literal && text.includes("\r")) {
    throw unusable("it has a carriage return, and lines are searched without their ends", "Search with multiline.");
  }
  if (!literal && repetitions(text) > MOST_REPEATED) throw tooComplex(text, "its counted repetitions multiply");
}

/** What an engine said about a pattern, as a refusal. */
export function badPattern(message: string): Refusal {
  return new Refusal("command_failed", `The pattern is not a valid regular expression: ${message}.`, {
    next: "Correct the pattern, or search for it as literal text.",
  });
}

/** The same meaning in JavaScript, or a refusal: never another meaning without a word. */
export function javascriptPattern({ text, literal, caseSensitive, multiline }: Pattern): Translated {
  try {
    const found = literal ? translatedLiteral(text, caseSensitive) : translated(text, { caseSensitive, multiline });
    new RegExp(found.source, found.flags);
    return found;
  } catch (error) {
    if (error instanceof Invalid) throw badPattern(error.message);
    if (!(error instanceof Untranslatable)) throw error;
    throw unusable(
      `${error.message}, where ripgrep does not search`,
      "Write it in another way, or search for its parts.",
    );
  }
}

/** ripgrep will be wrong about the ends of lines, unless they are all of one kind and it is told which. */
export function dependsOnLineEnds({ text, literal, caseSensitive, multiline }: Pattern): boolean {
  return !literal && !multiline && seesLineEnds(text, { caseSensitive, multiline });
}

/** A look-behind at the start of a line sees the end of the line before in the places that ripgrep gives, but not in its hits. */
export function misplacesHits(pattern: Pattern): boolean {
  if (!/\(\?<[=!]/.test(pattern.text)) return false;
  try {
    return javascriptPattern(pattern) !== undefined;
  } catch {
    return false;
  }
}

function unusable(why: string, next: string): Refusal {
  return new Refusal("command_failed", `The pattern cannot be searched: ${why}.`, { next });
}

/** How many copies counts such as {2,500} make of the innermost place, nested ones multiplied. */
function repetitions(text: string): number {
  const plain = text.replaceAll(/\\[pPuUx]\{[^}]*\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, "x");
  let most = 1;
  const groups: number[] = [1];
  for (let i = 0; i < plain.length; i++) {
    if (plain[i] === "(") groups.push(1);
    const closed = plain[i] === ")" && groups.length > 1 ? groups.pop()! : 1;
    const count = /^\{(\d+)(?:,(\d*))?\}/.exec(plain.slice(i + 1, i + 30));
    const copies = closed * (count === null ? 1 : Math.max(1, Number(count[1]), Number(count[2] || 0)));
    groups[groups.length - 1] = Math.max(groups.at(-1)!, copies);
    most = Math.max(most, copies);
  }
  return most;
}
