// Nearest places: similar text that a refusal shows instead of a bare "not found".
import type { Refusal } from "../../core/failure.ts";
import type { Candidate, LineSpan } from "../../core/refusal-details.ts";
import { lineDifference } from "../../words/edit.ts";
import { refuse } from "../../words/index.ts";
import { diffLines } from "../diff/diff.ts";
import { lineTexts } from "../text/lines.ts";
import { contains, occurrences } from "../text/occurrences.ts";
import { similarity } from "../text/similarity.ts";
import { sourceOf, toLf } from "../text/source.ts";

export type { Candidate };

/** Finds up to `max` places that are more than half alike, best first. Places that differ only in accents come first. */
export function nearestPlaces(text: string, oldText: string, max = 3): Candidate[] {
  const [fileLines, block] = [lineTexts(text), lineTexts(oldText)];
  const forms = ["NFC", "NFD"].map((name) => oldText.normalize(name)).filter((each) => each !== oldText);
  const form = forms.find((each) => contains(text, each));
  const isOpen = oldText.endsWith("\n") && !text.endsWith("\n");
  const windows = form === undefined ? nearestWindows(fileLines, block, max, MIN_SIMILARITY) : placesOf(form);
  return windows.map(({ first, last, similarity: alike }) => {
    const lines = fileLines.slice(first, last + 1);
    const differing = differences(block, form === undefined ? lines : lineTexts(form), first);
    if (isOpen && last === fileLines.length - 1) differing.push("the file has no newline at its end");
    return {
      startLine: first + 1,
      endLine: last + 1,
      similarity: Math.round(alike * 1000) / 1000,
      text: lines.join("\n"),
      differences: differing,
    };
  });

  function placesOf(written: string): Window[] {
    const { lineAt } = sourceOf(text);
    const alike = similarity(oldText, written);
    const place = (at: number) => ({ first: lineAt(at), last: lineAt(at + written.length - 1), similarity: alike });
    return occurrences(text, written, max).map(place);
  }
}

const MIN_SIMILARITY = 0.5;
const MAX_DIFFERENCES = 3;

function differences(block: readonly string[], lines: readonly string[], first: number): string[] {
  const found: string[] = [];
  let more = 0;
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(block, lines)) {
    const [wrote, file] = [block.slice(aStart, aEnd), lines.slice(bStart, bEnd)];
    for (let n = 0; n < Math.max(wrote.length, file.length); n++) {
      if (found.length === MAX_DIFFERENCES) more++;
      else found.push(lineDifference(wrote[n], file[n], first + bStart + n + 1));
    }
  }
  return more > 0 ? [...found, `${more} more ${more === 1 ? "line differs" : "lines differ"}`] : found;
}

interface Missing {
  /** Maximum number of places to name; 3 by default. */
  readonly maxSuggestions?: number | undefined;
  /** Lines that equal new text. Only the caller can tell whether that is this edit, already applied. */
  readonly newTextAt?: LineSpan | undefined;
  /** The index of the edit in a batch of `edits`. */
  readonly editIndex?: number;
  readonly edits?: number;
}

/** Makes the refusal of missing old text, with the nearest places. */
export function missing(text: string, oldText: string, { maxSuggestions = 3, ...facts }: Missing): Refusal {
  if (text === "") return refuse("old_text_of_empty_file", {});
  const candidates = maxSuggestions === 0 ? [] : nearestPlaces(text, oldText, maxSuggestions);
  const [nearest] = candidates;
  const isUnique = nearest !== undefined && occurrences(toLf(text), nearest.text, 2).length === 1;
  const lookedForSimilar = maxSuggestions === 0 ? false : undefined;
  return refuse("old_text_missing", { ...facts, candidates, isUnique, lookedForSimilar });
}

/** Lines `first..last` (0-based, inclusive) and their similarity to the block. */
interface Window {
  readonly first: number;
  readonly last: number;
  readonly similarity: number;
}

/**
 * Finds up to `max` windows without overlap, best first, each more similar than `min`. Only the windows that share
 * most trigrams are compared by edit distance.
 */
function nearestWindows(fileLines: readonly string[], block: readonly string[], max: number, min: number): Window[] {
  if (max <= 0 || fileLines.length === 0 || block.every((line) => line.trim() === "")) return [];
  const scores = sharedGroups(fileLines, block);
  const budget = { cells: MAX_CELLS };
  const wanted = block.join("\n");
  const compare = (first: number, last: number): Window => {
    const text = fileLines.slice(first, last + 1).join("\n");
    const cells = wanted.length * text.length;
    if (cells > budget.cells) return { first, last, similarity: scores[first] ?? 0 };
    budget.cells -= cells;
    return { first, last, similarity: alikeness(wanted, text, block.length === 1 && first === last) };
  };
  const height = Math.min(block.length, fileLines.length);
  const rough = peaks(scores, Math.ceil(block.length / 4))
    .map((first) => compare(first, first + height - 1))
    .sort(byLikeness);
  const fine = rough.slice(0, max).map((window) => sharpened(window, fileLines.length, compare));
  const chosen: Window[] = [];
  for (const window of [...fine, ...rough].sort(byLikeness)) {
    if (chosen.length === max || window.similarity <= min) break;
    if (chosen.every((other) => window.last < other.first || window.first > other.last)) chosen.push(window);
  }
  return chosen;
}

function byLikeness(a: Window, b: Window): number {
  return b.similarity - a.similarity || a.first - b.first;
}

const GROUPS = 1 << 16;

/** Returns for every window of as many lines the Dice coefficient of its trigrams. */
function sharedGroups(fileLines: readonly string[], block: readonly string[]): Float64Array {
  const wanted = new Int32Array(GROUPS);
  let blockTotal = 0;
  for (const line of block) blockTotal += eachGroup(line, (group) => wanted[group]!++);
  const size = Math.min(block.length, fileLines.length);
  const scores = new Float64Array(fileLines.length - size + 1);
  const inWindow = new Int32Array(GROUPS);
  let [shared, total] = [0, 0];
  fileLines.forEach((line, at) => {
    total += eachGroup(line, (group) => {
      if (inWindow[group]!++ < wanted[group]!) shared++;
    });
    const first = at - size + 1;
    if (first < 0) return;
    scores[first] = (2 * shared) / Math.max(1, blockTotal + total);
    total -= eachGroup(fileLines[first]!, (group) => {
      if (--inWindow[group]! < wanted[group]!) shared--;
    });
  });
  return scores;
}

/** Calls `use` with each trigram of the trimmed line; returns how many there are. */
function eachGroup(line: string, use: (group: number) => void): number {
  const text = line.trim();
  if (text === "") return 0;
  let [before, middle] = [10, text.charCodeAt(0)];
  for (let at = 1; at <= text.length; at++) {
    const code = at === text.length ? 10 : text.charCodeAt(at);
    use(Math.imul(before * 961 + middle * 31 + code, 0x9e3779b1) >>> 16);
    [before, middle] = [middle, code];
  }
  return text.length;
}

/** Finds the best-scoring windows, at least `distance` lines from each other. */
function peaks(scores: Float64Array, distance: number): number[] {
  const left = Float64Array.from(scores);
  const found: number[] = [];
  for (let n = 0; n < MAX_PEAKS; n++) {
    let best = -1;
    for (let at = 0; at < left.length; at++) if (left[at]! > (best === -1 ? 0.1 : left[best]!)) best = at;
    if (best === -1) break;
    found.push(best);
    left.fill(0, Math.max(0, best - distance + 1), best + distance);
  }
  return found;
}

/** Moves one end of the window by a line if that makes it more similar. */
function sharpened(window: Window, lines: number, compare: (first: number, last: number) => Window): Window {
  if (window.similarity > CLEAR) return window;
  const others = NEIGHBOURS.map(([dFirst, dLast]) => [window.first + dFirst, window.last + dLast] as const)
    .filter(([first, last]) => first >= 0 && last < lines && first <= last)
    .map(([first, last]) => compare(first, last));
  return [window, ...others].sort(byLikeness)[0]!;
}

/** Compares a single line also with parts of a longer one. */
function alikeness(wanted: string, text: string, oneLine: boolean): number {
  const whole = similarity(wanted, text);
  if (!oneLine || text.length <= wanted.length) return whole;
  return Math.max(whole, partSimilarity(wanted.trim(), text) - PART_OF_LINE);
}

// Several, because trigrams ignore the order of lines: the same lines in another order must not hide the right window.
const MAX_PEAKS = 12;
// About 30 ms of comparing; further windows are ranked by trigrams.
const MAX_CELLS = 100_000_000;
// So similar that moving an end cannot help.
const CLEAR = 0.95;
// A part of a line counts a little less than a whole line.
const PART_OF_LINE = 0.05;
const NEIGHBOURS: readonly (readonly [number, number])[] = [
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
];

/** Returns the similarity of `part` to the best part of `whole`: one minus the edits over the length of `part`. */
function partSimilarity(part: string, whole: string): number {
  if (contains(whole, part)) return 1;
  if (part.length * whole.length > MAX_PART_CELLS) return 0;
  let above = new Uint32Array(whole.length + 1);
  let row = new Uint32Array(whole.length + 1);
  for (let i = 1; i <= part.length; i++) {
    row[0] = i;
    const code = part.charCodeAt(i - 1);
    for (let j = 1; j <= whole.length; j++) {
      const change = above[j - 1]! + (whole.charCodeAt(j - 1) === code ? 0 : 1);
      row[j] = Math.min(change, above[j]! + 1, row[j - 1]! + 1);
    }
    [above, row] = [row, above];
  }
  return 1 - above.reduce((min, cost) => Math.min(min, cost), part.length) / part.length;
}

// About 10 ms.
const MAX_PART_CELLS = 1_000_000;
