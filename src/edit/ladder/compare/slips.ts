// Slips of the pen: what a copyist gets wrong without meaning another thing. Names that differ are not slips.

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
export function isPlainlyTransposed({ wrote, file }: Slip): boolean {
  let at = 0;
  while (at < wrote.length && wrote[at] === file[at]) at++;
  return [wrote, file].every((word) => {
    for (const { 0: part, index } of word.matchAll(PART)) {
      if (index > at || at + 1 >= index + part.length) continue;
      return index < at && part.length >= SHORTEST_PART && SMALL_PAIR.test(word.slice(at, at + 2));
    }
    return false;
  });
}

function kindOfSlip(a: string, b: string): Slip["kind"] | undefined {
  if (isTransposed(a, b)) return "transposed";
  if (isDoubled(a, b)) return "doubled";
  return isLetterSlip(a, b) ? "letter" : undefined;
}

/** Two neighbouring characters exchanged, where that does not make another word. */
function isTransposed(a: string, b: string): boolean {
  if (a.length !== b.length || a.length < SHORTEST_WORD) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (at + 1 >= a.length || a[at] !== b[at + 1] || a[at + 1] !== b[at]) return false;
  if (a.slice(at + 2) !== b.slice(at + 2)) return false;
  if (!EXCHANGED.test(a.slice(at, at + 2)) || ACRONYM.test(a)) return false;
  return !areBothWords(partAround(a, at), partAround(b, at));
}

/** A double letter written once, or a single one twice, inside a word. */
function isDoubled(a: string, b: string): boolean {
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a];
  if (longer.length !== shorter.length + 1 || shorter.length < SHORTEST_WORD) return false;
  let at = 0;
  while (longer[at] === shorter[at]) at++;
  if (longer.slice(at + 1) !== shorter.slice(at) || longer[at] !== longer[at - 1]) return false;
  const part = partAround(longer, at);
  if (!LETTERS.test(part) || part.length <= SHORTEST_WORD || !insidePart(longer, at)) return false;
  return !areBothWords(part, partAround(shorter, at - 1));
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

function partAround(word: string, at: number): string {
  for (const { 0: part, index } of word.matchAll(PART)) {
    if (index <= at && at < index + part.length) return part.toLowerCase();
  }
  return word.toLowerCase();
}

/** A letter that is neither the first nor the last of its part: endings make other words. */
function insidePart(word: string, at: number): boolean {
  for (const { 0: part, index } of word.matchAll(PART)) {
    if (index <= at && at < index + part.length) return at > index && at < index + part.length - 1;
  }
  return false;
}

function areBothWords(a: string, b: string): boolean {
  if (BOTH_WORDS.has(a) && BOTH_WORDS.has(b)) return true;
  const ending = ENDINGS.find((end) => a.endsWith(end) && b.endsWith(end));
  if (ending === undefined) return false;
  const [stemA, stemB] = [a.slice(0, -ending.length), b.slice(0, -ending.length)];
  // `mating` is to `mate` what `eating` is to `eat`.
  return ["", "e"].some((mute) => BOTH_WORDS.has(stemA + mute) && BOTH_WORDS.has(stemB + mute));
}

const SHORTEST_WORD = 4;
const SHORTEST_PART = 5;
const WORD = /[\p{L}\p{N}_$]+/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[_$]+|./gu;
// In scripts without letters for sounds, other characters are other words.
const EXCHANGED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}_]{2}$/u;
const LETTERS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+$/u;
const SMALL_PAIR = /^\p{Ll}{2}$/u;
const ENDINGS = ["ings", "ing", "ers", "er", "ed", "es", "s", "ly"];
const ACRONYM = /^\p{Lu}{1,4}$/u;

// Words that turn into each other by exchanging two neighbours or by doubling a letter.
const BOTH_WORDS = new Set(
  (
    "form from trail trial field filed files flies begin being exist exits sign sing signed singed quiet quite angle " +
    "angel casual causal wrap warp split spilt sacred scared united untied unite untie tries tires tiers tried tired " +
    "does dose best bets lost lots post pots cost cots compliant complaint perfect prefect martial marital diary " +
    "dairy clam calm cold clod bolt blot board broad salt slat silver sliver grid gird bran barn trap tarp crap carp " +
    "carve crave fired fried lair liar lion loin burnt brunt unclear nuclear goal gaol tide tied star tsar " +
    "felt left part prat crop corp able bale least slate steal stale " +
    "chose choose lose loose later latter coma comma super supper planed planned taped tapped poled polled filing " +
    "filling hoping hopping center centre meter metre fiber fibre liter litre theater theatre caliber calibre desert dessert diner dinner canon cannon biter bitter holy holly rated ratted"
  ).split(" "),
);
