// From an anchor to its one line: the ladder of hash, context hash, occurrence and line number. It never guesses.

import type { LineRange } from "../../../core/backend.ts";
import { counted } from "../../../core/counted.ts";
import type { AnchorIndex } from "../lines/line-index.ts";
import type { Anchor } from "../operations.ts";
import type { SeenVersion } from "./seen.ts";

/** What was put right without asking, told to the caller. */
export interface AutoCorrection {
  readonly type: "range_order_swapped" | "overlap_merged" | "line_followed_from_seen_version";
  readonly detail: string;
}

export interface Found {
  readonly found: true;
  readonly line: number;
  /** The rung that decided. */
  readonly by: "hash" | "occurrence" | "line" | "shown";
  /** All current lines the hash alone would match. */
  readonly candidates: readonly number[];
  /** The same line in the version the caller read, when that is another one. */
  readonly seenLine?: number;
  readonly corrections: readonly AutoCorrection[];
}

export interface NotFound {
  readonly found: false;
  readonly reason: "stale" | "ambiguous";
  readonly candidates: readonly number[];
  /** `line` and `occurrence` name different lines. */
  readonly contradicted?: true;
  /** It may have been read from another version: its line was not shown to the caller in this one. */
  readonly unshown?: true;
  /** What exactly is wrong, where there is more to say than "no line" or "several lines". */
  readonly why?: string;
  /** What to do about it, where that is not to read the file again. */
  readonly next?: string;
  /** The line the anchor named in the version the caller read, when it is gone. */
  readonly seenLine?: number;
}

export type Resolution = Found | NotFound;

/** The text to edit, and what is known of the text the caller based its anchors on. */
export interface Snapshot {
  readonly current: AnchorIndex;
  /** What the caller knows of it. */
  readonly known: Known;
  /** The version that the caller read, where that is another one: anchors are settled there, and their lines followed. */
  readonly seen?: SeenVersion & { readonly known: Known };
  /** Others may have changed the text since the caller saw it. */
  readonly crossVersion: boolean;
}

/** Lines of a text; undefined: it is not known which, and all count. */
export interface Known {
  readonly shown?: readonly LineRange[] | undefined;
  /** Those whose numbers the caller was given by a read, and that nothing has moved since; all that were shown unless told. */
  readonly numbered?: readonly LineRange[] | undefined;
  /** Those that it has read since its own edits changed the text. */
  readonly again?: readonly LineRange[] | undefined;
  /** An older version was shown as well: it may have had other lines with the same hash. */
  readonly older?: boolean | undefined;
}

// Fewer characters match a line by chance too easily to mean the only line that was shown.
const MIN_SURE = 6;
// Fewer than those count on their own only while some line fits them by chance less often than this: 4 in up to 65 lines.
const MAX_CHANCE = 1 / 1000;

export function resolveAnchor(anchor: Anchor, file: Snapshot): Resolution {
  const { current, known, seen, crossVersion } = file;
  const now = settle(anchor, current, known);
  if (seen === undefined) return crossVersion ? orStale(now) : now;
  const then = settle(anchor, seen.index, seen.known);
  if (!crossVersion) return sinceRead(anchor, then, seen, now, known);
  // The caller says that its numbers are those of the current text.
  const isNew = then.candidates.length === 0 || (isPositioned(anchor) && !then.found && !then.unshown);
  return known.numbered === undefined && now.found && isNew ? now : acrossVersions(anchor, then, seen, now);
}

/** Others changed the text: what the anchor named in the version that was read counts. */
function acrossVersions(anchor: Anchor, then: Resolution, seen: SeenVersion, now: Resolution): Resolution {
  if (then.found) return follow(anchor, then, seen, now.candidates);
  if (then.candidates.length === 0 || now.candidates.length === 0) return orStale(now);
  if (then.unshown || isPositioned(anchor)) return orStale({ ...then, candidates: now.candidates });
  return then.candidates.length > 1 ? oneLeft(anchor, then, now) : { ...then, candidates: now.candidates };
}

/** Lines to choose from would be no help: a number or an occurrence counts in the version that was read. */
function orStale(resolution: Resolution): Resolution {
  return resolution.found ? resolution : { ...resolution, reason: "stale" };
}

/** The caller's own edits changed the text: the numbers in their answers and those that it read may differ. */
function sinceRead(anchor: Anchor, then: Resolution, seen: SeenVersion, now: Resolution, known: Known): Resolution {
  const { again = [] } = known;
  if (now.candidates.length > 0 && now.candidates.every((line) => isShown(line, again))) {
    const isOld = now.found && then.candidates.length > 1 && (anchor.line ?? now.line) !== now.line;
    return isOld ? otherLine(anchor, now.candidates) : now;
  }
  const isRepeated = then.candidates.length > 1 || now.candidates.length > 1;
  if (!isRepeated) return then.found ? follow(anchor, then, seen, now.candidates) : now;
  if (!isPositioned(anchor)) {
    const isSame = then.found && now.found && seen.follow(then.line) === now.line;
    return now.found && then.candidates.length > 1 && !isSame ? oneLeft(anchor, then, now) : now;
  }
  if ((anchor.occurrence ?? 0) > Math.max(then.candidates.length, now.candidates.length)) return now;
  // An edit that moves no line may still change which of its equals it is. Those above it are counted in one read.
  const asThen = then.found && !isShown(now.found ? now.line : 0, again) ? then.line : undefined;
  const isThatOne = now.found && now.line === (anchor.line ?? asThen);
  if (isThatOne && isNumbered(now.line, known)) return now;
  if (then.found && seen.follow(then.line) === undefined) return follow(anchor, then, seen, now.candidates);
  const why = `your edits have changed lines since you read them, so ${anchor.given} may have an old number`;
  return { ...stale(now.candidates, why), unshown: true };
}

/** The line that an anchor means in one text. A position counts only where the caller was given it for this text. */
function settle(anchor: Anchor, index: AnchorIndex, known: Known): Resolution {
  const { line: number, occurrence, prefix } = anchor;
  const candidates = index.find(prefix);
  const [only, another] = candidates;
  if (only === undefined) return { found: false, reason: "stale", candidates };
  const at = positionIn(anchor, candidates);
  if (occurrence !== undefined && at === undefined)
    return ambiguous(candidates, `there is no occurrence ${occurrence}`);
  if (occurrence !== undefined && number !== undefined && number !== at) {
    const why = `occurrence ${occurrence} is line ${at}, not line ${number}`;
    return { ...ambiguous(candidates, why), contradicted: true };
  }
  if (another !== undefined && at !== undefined) {
    const by = occurrence === undefined ? "line" : "occurrence";
    // A read of some lines does not tell how many are above them.
    const counted = number === undefined ? candidates.slice(0, occurrence) : [at];
    const uncounted = counted.find((line) => !isNumbered(line, known));
    return uncounted === undefined ? found(at, by, candidates) : unshown(anchor, uncounted, candidates, known);
  }
  if (another === undefined) {
    // The hash counts; but where the caller may have its number from another version, it may mean a line that is gone.
    const isGiven = known.shown !== undefined && !known.older && isNumbered(only, known);
    if (number !== undefined && number !== only && !isGiven) return otherLine(anchor, candidates);
    const isTooShort = prefix.length < MIN_SURE && index.count / 16 ** prefix.length > MAX_CHANCE;
    if (at === undefined && isTooShort)
      return ambiguous(candidates, `${prefix.length} characters are too few to name a line among ${index.count}`);
    return isShown(only, known.shown) ? found(only, "hash", candidates) : unshown(anchor, only, candidates, known);
  }
  if (number !== undefined) return ambiguous(candidates, `line ${number} does not have the hash ${prefix}`);
  const [one, two] = known.shown === undefined ? [] : candidates.filter((line) => isShown(line, known.shown));
  if (one === undefined || two !== undefined || known.older || prefix.length < MIN_SURE) return ambiguous(candidates);
  return found(one, "shown", candidates);
}

/** From the version that was read to the current one: to that very line, or nowhere. */
function follow(anchor: Anchor, then: Found, seen: SeenVersion, candidates: readonly number[]): Resolution {
  const line = seen.follow(then.line);
  if (line === undefined) {
    const { from, to } = seen.placeOf(then.line);
    const become = candidates.includes(from) ? "cannot be told from its equals" : from > to ? "is gone" : "has changed";
    const why = `line ${then.line} (${anchor.given}) ${become} since you read it`;
    return { ...stale(candidates, why), seenLine: then.line };
  }
  return {
    ...then,
    line,
    candidates: candidates.includes(line) ? candidates : [line],
    seenLine: then.line,
    corrections: then.line === line ? [] : [followed(anchor, then.line, line)],
  };
}

/** The candidate that a number or an occurrence names. */
function positionIn({ line, occurrence }: Anchor, candidates: readonly number[]): number | undefined {
  return occurrence === undefined ? candidates.find((each) => each === line) : candidates[occurrence - 1];
}

export function isShown(line: number, shown: readonly LineRange[] | undefined): boolean {
  return shown === undefined || shown.some(({ from, to }) => from <= line && line <= to);
}

export function isNumbered(line: number, { shown, numbered = shown }: Known): boolean {
  return isShown(line, numbered);
}

function isPositioned({ line, occurrence }: Anchor): boolean {
  return line !== undefined || occurrence !== undefined;
}

function found(line: number, by: Found["by"], candidates: readonly number[]): Found {
  return { found: true, line, by, candidates, corrections: [] };
}

function ambiguous(candidates: readonly number[], why?: string): NotFound {
  return { found: false, reason: "ambiguous", candidates, ...(why !== undefined && { why }) };
}

function stale(candidates: readonly number[], why: string): NotFound {
  return { found: false, reason: "stale", candidates, why };
}

function otherLine({ line, prefix }: Anchor, candidates: readonly number[]): NotFound {
  return stale(candidates, `line ${line} does not have the hash ${prefix}`);
}

function unshown({ given }: Anchor, line: number, candidates: readonly number[], { shown }: Known): NotFound {
  const why = isShown(line, shown)
    ? `line ${line} was not read since lines moved, so ${given} may have an old number`
    : `line ${line} has not been shown to you in this version`;
  return { ...stale(candidates, why), unshown: true };
}

function oneLeft({ given }: Anchor, then: Resolution, now: Resolution): NotFound {
  const matched = `${given} matched ${counted(then.candidates.length, "line")} of the version you read`;
  const why = `${matched}, and the file has changed since: which of them is left cannot be told`;
  return { ...stale(now.candidates, why), unshown: true };
}

function followed(anchor: Anchor, from: number, to: number): AutoCorrection {
  return {
    type: "line_followed_from_seen_version",
    detail: `${anchor.prefix} was line ${from} of the version you read and is line ${to} now.`,
  };
}
