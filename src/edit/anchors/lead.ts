// Follows one anchor to its line, by hash, context hash, occurrence and line number. Never guesses.
import type { AnchorFault } from "../../words/anchors.ts";
import { type AnchorIndex, EMPTY_DIGEST, isNumbered, isShown, type Known } from "./lines.ts";
import type { Anchor, OperationName } from "./operations.ts";
import { isInsertion } from "./targets.ts";

/** A correction made without asking. */
export interface AutoCorrection {
  readonly type: "range_order_swapped" | "overlap_merged" | "line_followed_from_seen_version";
  readonly detail: string;
}

export interface Found {
  readonly found: true;
  readonly line: number;
  /** All lines that match the hash alone. */
  readonly candidates: readonly number[];
  readonly correction?: AutoCorrection;
}

export interface NotFound {
  readonly found: false;
  readonly reason: "stale" | "ambiguous";
  readonly candidates: readonly number[];
  /** The cause, if not just "no line" or "several lines". */
  readonly fault?: AnchorFault | undefined;
  /** Lines that must be read first: the anchor may be of another version. */
  readonly unread?: readonly number[] | undefined;
}

export type Resolution = Found | NotFound;

/** The text to edit, and the caller's knowledge of it. */
export interface Snapshot {
  readonly index: AnchorIndex;
  readonly known: Known;
}

/** An anchor and the line that it leads to. */
export interface Lead {
  readonly anchor: Anchor;
  readonly resolution: Resolution;
}

/** Resolves one anchor. In an empty file, the hash of an empty line names the place of the first line. */
export function follow(op: OperationName, anchor: Anchor, file: Snapshot): Resolution {
  const { prefix, line = 1, occurrence = 1 } = anchor;
  const namesNothing = EMPTY_DIGEST.startsWith(prefix) && line === 1 && occurrence === 1;
  if (file.index.count === 0 && !isDoubtful(EMPTY_DIGEST, file.known) && isInsertion(op) && namesNothing)
    return found(0, []);
  return settle(anchor, file);
}

// With fewer characters, the only shown match may be a coincidence.
const MIN_SURE = 6;
// Maximum chance that a shorter prefix matches some line by coincidence: 4 characters suffice up to 65 lines.
const MAX_CHANCE = 1 / 1000;

/**
 * All that the caller gives must lead to one line. A position decides between equal lines only if the caller has it from
 * this version of the text.
 */
function settle(anchor: Anchor, { index, known }: Snapshot): Resolution {
  const { line: number, occurrence, prefix, given } = anchor;
  const candidates = index.find(prefix);
  const [only, another] = candidates;
  if (only === undefined) return { found: false, reason: "stale", candidates };
  const isLong = prefix.length > MIN_SURE;
  const { digest, hash } = index.line(only);
  // Beside a longer hash, too, an occurrence counts all lines that are equal.
  const nth = occurrence === undefined ? undefined : (isLong ? index.find(hash) : candidates)[occurrence - 1];
  if (occurrence !== undefined && nth === undefined)
    return ambiguous(candidates, { fault: "no_occurrence", given, occurrence });
  if (nth !== undefined && (!candidates.includes(nth) || (number ?? nth) !== nth))
    return ambiguous(candidates, { fault: "other_occurrence", given, occurrence, line: nth, named: number ?? only });
  const at = nth ?? candidates.find((line) => line === number);
  // The caller's own edits, or others, may have changed what the name means.
  const isDoubted = isDoubtful(isLong ? index.contextHash(only) : digest, known);
  const isOld = number === undefined && occurrence !== undefined && known.older;
  if (at !== undefined && (another !== undefined || isDoubted || isOld)) {
    // A read of some lines does not tell how many equal ones are above.
    const counted = number === undefined ? candidates.slice(0, occurrence) : [at];
    const uncounted = isDoubted && number === undefined ? at : counted.find((line) => !isNumbered(line, known));
    return uncounted === undefined ? found(at, candidates) : unnumbered(anchor, uncounted, candidates, known);
  }
  if (another === undefined) {
    // The hash of a line decides, unless the number may be from another version: then the intended line may be gone.
    const isGiven = known.shown !== undefined && !known.older && isShown(only, known.shown) && !isDoubted;
    const isElsewhere = number !== undefined && number !== only;
    if (isElsewhere && (isLong || !isGiven)) return otherLine(anchor, candidates);
    const isTooShort = prefix.length < MIN_SURE && index.count / 16 ** prefix.length > MAX_CHANCE;
    if (at === undefined && isTooShort)
      return ambiguous(candidates, { fault: "too_short", given: prefix, count: index.count });
    return isShown(only, known.shown) && !isDoubted
      ? { ...found(only, candidates), ...(isElsewhere && followed(prefix, number, only)) }
      : unnumbered(anchor, only, candidates, known);
  }
  if (number !== undefined)
    return known.shown === undefined || isNumbered(number, known)
      ? ambiguous(candidates, { fault: "other_line", given: prefix, line: number })
      : otherLine(anchor, candidates, candidates);
  const [one, two] = known.shown === undefined ? [] : candidates.filter((line) => isShown(line, known.shown));
  const isSure = two === undefined && !known.older && !isDoubted && prefix.length >= MIN_SURE;
  return one !== undefined && isSure ? found(one, candidates) : ambiguous(candidates);
}

function isDoubtful(name: string, { repeated = [] }: Known): boolean {
  return repeated.some((doubted) => name.startsWith(doubted));
}

function followed(prefix: string, from: number, to: number): { readonly correction: AutoCorrection } {
  const detail = `${prefix} is line ${to} now, not line ${from}.`;
  return { correction: { type: "line_followed_from_seen_version", detail } };
}

function found(line: number, candidates: readonly number[]): Found {
  return { found: true, line, candidates };
}

function ambiguous(candidates: readonly number[], fault?: AnchorFault): NotFound {
  return { found: false, reason: "ambiguous", candidates, fault };
}

export function stale(candidates: readonly number[], fault: AnchorFault, unread?: readonly number[]): NotFound {
  return { found: false, reason: "stale", candidates, fault, unread };
}

function otherLine({ line, prefix }: Anchor, candidates: readonly number[], unread?: readonly number[]): NotFound {
  return stale(candidates, { fault: "other_line", given: prefix, line }, unread);
}

function unnumbered({ given }: Anchor, line: number, candidates: readonly number[], { shown }: Known): NotFound {
  if (shown === undefined) return ambiguous(candidates, { fault: "file_unread", given });
  if (isShown(line, shown)) return stale(candidates, { fault: "uncounted", given, line }, candidates);
  return stale(candidates, { fault: "not_shown", given, line }, [line]);
}
