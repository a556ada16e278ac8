// Lines that differ as siblings do: `saveUser` and `saveUsers`, `step1` and `step2`, 3 and 4. They tell places apart.

import { diffLines } from "../../diff/diff.ts";

/**
 * True when a word of one line is the other's with something put in or on, or differs in its digits only. In prose other
 * words come along with such forms, so all that differs must be of that kind.
 */
export function areSiblings(wrote: string, file: string, isProse: boolean): boolean {
  const ours = wordsOf(wrote);
  const theirs = wordsOf(file);
  const differing = diffLines(ours, theirs).flatMap(({ aStart, aEnd, bStart, bEnd }) => {
    if (aEnd - aStart !== bEnd - bStart) return [false];
    return ours.slice(aStart, aEnd).map((word, n) => isOfOneFamily(word, theirs[bStart + n]!));
  });
  return differing.length > 0 && (isProse ? differing.every(Boolean) : differing.some(Boolean));
}

/** The words of a line; the letter before a string (`f"…"`, `r'…'`) is none. */
export function wordsOf(line: string): string[] {
  return line.replaceAll(STRING_PREFIX, "").match(WORD) ?? [];
}

function isOfOneFamily(a: string, b: string): boolean {
  if (NUMBER.test(a) && NUMBER.test(b)) return true;
  const [ours, theirs] = [partsOf(a), partsOf(b)];
  if (ours.join("") === theirs.join("")) return false;
  if (isWithin(ours, theirs) || isWithin(theirs, ours)) return true;
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a];
  if (shorter.length < SHORTEST) return false;
  const more = longer.length - shorter.length;
  for (let at = 0; at <= shorter.length; at++) {
    if (longer.slice(0, at) + longer.slice(at + more) !== shorter) continue;
    if (at === 0 || PUT_IN.test(longer.slice(at))) return true;
  }
  return false;
}

/** All words of one name, plurals and numbers aside, are in the other, in that order. */
function isWithin(few: readonly string[], many: readonly string[]): boolean {
  const words = few.filter((part) => !NUMBER.test(part));
  let found = 0;
  for (const part of many) if (found < words.length && isSameWord(part, words[found]!)) found++;
  return found === words.length && found > 0;
}

function isSameWord(a: string, b: string): boolean {
  return a === b || [a, b].some((one, n) => [`${one}s`, `${one}es`].includes([a, b][1 - n]!));
}

/** The words of a name, whatever case they are in: `getUserName`, `user_name`, `step2`. */
function partsOf(name: string): string[] {
  return (name.match(PART) ?? []).map((part) => part.toLowerCase());
}

const SHORTEST = 3;
const WORD = /[\p{L}\p{N}_$]+/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}/gu;
// Behind a plural comes another word, or none: an `s` with small letters behind it is one of the word's own.
const PUT_IN = /^(?:[\p{Lu}\p{N}_$]|e?s(?!\p{Ll}))/u;
const NUMBER = /^\p{N}+$/u;
export const STRING_PREFIX = /(?<![\p{L}\p{N}_$])[fFrRbBuU]{1,2}(?=["'])/gu;
