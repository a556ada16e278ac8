// Slips of the pen: what a copyist gets wrong without meaning another thing. Names that differ are not slips.

import { diffLines } from "../../diff/diff.ts";
import { cutsWord } from "../place.ts";

/** One thing that the old text says differently from the file. */
export interface Slip {
  readonly kind: "transposed" | "doubled" | "letter" | "marks";
  readonly wrote: string;
  readonly file: string;
}

/**
 * The slips that turn the file's line into the written one, or undefined when it could as well be another line: other
 * names, other numbers, another word ending, words added or left out.
 */
export function slipsBetween(wrote: string, file: string): Slip[] | undefined {
  const ours = tokens(wrote);
  const theirs = tokens(file);
  if (ours.words.length !== theirs.words.length) return undefined;
  const slips: Slip[] = [];
  for (let n = 0; n < ours.words.length; n++) {
    const a = ours.words[n]!;
    const b = theirs.words[n]!;
    if (a === b) continue;
    const kind = kindOfSlip(a, b);
    if (!kind) return undefined;
    slips.push({ kind, wrote: a, file: b });
  }
  for (let n = 0; n < ours.marks.length; n++) {
    const a = ours.marks[n]!;
    const b = theirs.marks[n]!;
    if (a === b) continue;
    if (!sameMarks(a, b)) return undefined;
    slips.push({ kind: "marks", wrote: a, file: b });
  }
  return slips;
}

/** Small letters exchanged inside a longer part of a name: `latitude`, `rotateLR` and `uint` are names of their own. */
export function isPlainlyTransposed({ kind, wrote, file }: Slip): boolean {
  if (kind !== "transposed") return false;
  let at = 0;
  while (at < wrote.length && wrote[at] === file[at]) at++;
  return [wrote, file].every((word) => {
    const { part, offset } = partAround(word, at);
    return offset > 0 && part.length >= SHORTEST_PART && SMALL_PAIR.test(part.slice(offset, offset + 2));
  });
}

function kindOfSlip(a: string, b: string): Slip["kind"] | undefined {
  if (isTransposed(a, b)) return "transposed";
  if (isDoubled(a, b)) return "doubled";
  return isLetterSlip(a, b) ? "letter" : undefined;
}

/** Two neighbouring characters exchanged. */
function isTransposed(a: string, b: string): boolean {
  if (a.length !== b.length || a.length < SHORTEST_WORD) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (at + 1 >= a.length || a[at] !== b[at + 1] || a[at + 1] !== b[at]) return false;
  if (a.slice(at + 2) !== b.slice(at + 2)) return false;
  return EXCHANGED.test(a.slice(at, at + 2)) && !ACRONYM.test(a);
}

/** A double letter written once, or a single one twice, inside a word. */
function isDoubled(a: string, b: string): boolean {
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a];
  if (longer.length !== shorter.length + 1 || shorter.length < SHORTEST_WORD) return false;
  let at = 0;
  while (longer[at] === shorter[at]) at++;
  if (longer.slice(at + 1) !== shorter.slice(at) || longer[at] !== longer[at - 1]) return false;
  const { part, offset } = partAround(longer, at);
  // Endings make other words.
  return LETTERS.test(part) && part.length > SHORTEST_WORD && offset > 0 && offset < part.length - 1;
}

/** One letter dropped, doubled, added or mistaken inside a word: never its first or last letter, never a digit. */
function isLetterSlip(a: string, b: string): boolean {
  const ours = parts(a);
  const theirs = parts(b);
  if (ours.length !== theirs.length) return false;
  const differing = ours.flatMap((part, n) => (part === theirs[n] ? [] : [n]));
  if (differing.length !== 1) return false;
  const ourPart = ours[differing[0]!]!;
  const theirPart = theirs[differing[0]!]!;
  if (Math.min(ourPart.length, theirPart.length) < SHORTEST_PART || !LETTERS.test(ourPart + theirPart)) return false;
  if (ourPart.toLowerCase() === theirPart.toLowerCase()) return false;
  let start = 0;
  while (ourPart[start] === theirPart[start]) start++;
  let end = 0;
  const most = Math.min(ourPart.length, theirPart.length) - start;
  while (end < most && ourPart.at(-1 - end) === theirPart.at(-1 - end)) end++;
  const ourMiddle = ourPart.length - start - end;
  const theirMiddle = theirPart.length - start - end;
  return start > 0 && end > 0 && ourMiddle <= 1 && theirMiddle <= 1;
}

/** Words and, around them, everything else. There is one more of `marks` than of `words`. */
function tokens(line: string): { words: string[]; marks: string[] } {
  const words: string[] = [];
  const marks: string[] = [];
  let at = 0;
  for (const { 0: word, index } of line.matchAll(WORD)) {
    marks.push(line.slice(at, index));
    words.push(word);
    at = index + word.length;
  }
  marks.push(line.slice(at));
  return { words, marks };
}

/** The same punctuation but for blanks, the kind of quotes, and a separator at the end. */
function sameMarks(a: string, b: string): boolean {
  const plain = (marks: string) =>
    marks
      .replace(/[ \t]+/g, "")
      .replace(/["'`]/g, '"')
      .replace(/[;,]+$/, "");
  return plain(a) === plain(b);
}

/** An identifier cut where its words meet: `getUserName`, `user_name`, `HTTPServer`. */
function parts(word: string): string[] {
  return word.match(PART) ?? [];
}

/** The part of a name that holds its character `at`, and where in it that is. */
function partAround(word: string, at: number): { part: string; offset: number } {
  for (const { 0: part, index } of word.matchAll(PART)) {
    if (at < index + part.length) return { part, offset: at - index };
  }
  return { part: word, offset: at };
}

const SHORTEST_WORD = 4;
const SHORTEST_PART = 5;
const WORD = /[\p{L}\p{N}_$]+/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[_$]+|./gu;
// In scripts without letters for sounds, other characters are other words.
const EXCHANGED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}_]{2}$/u;
const LETTERS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+$/u;
const SMALL_PAIR = /^\p{Ll}{2}$/u;
const ACRONYM = /^\p{Lu}{1,4}$/u;

/** True when `word` stands in `text` on its own. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!cutsWord(text, at, at + word.length)) return true;
  }
  return false;
}

/** True when a line that the edit adds contains `word`: a slip in it would be written into the file. */
export function addsWord(oldLines: readonly string[], newLines: readonly string[], word: string): boolean {
  return diffLines(oldLines, newLines).some(({ bStart, bEnd }) =>
    newLines.slice(bStart, bEnd).some((line) => hasWord(line, word)),
  );
}
