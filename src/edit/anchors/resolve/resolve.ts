// From an anchor to its one line: the ladder of hash, context hash, occurrence and line number. It never guesses.

import { counted } from "../../../core/counted.ts";
import type { AnchorIndex } from "../lines/line-index.ts";
import type { Anchor } from "../operations.ts";
import type { SeenVersion } from "./seen.ts";

/** What was put right without asking, told to the caller. */
export interface AutoCorrection {
  readonly type: "range_order_swapped" | "overlap_merged" | "line_hint_corrected" | "line_followed_from_seen_version";
  readonly detail: string;
}

export interface Found {
  readonly found: true;
  readonly line: number;
  /** The rung that decided. */
  readonly by: "hash" | "occurrence" | "line" | "shown";
  /** All current lines the hash alone would match. */
  readonly candidates: readonly number[];
  /** The same line in the version the caller read, when that is known. */
  readonly seenLine?: number;
  readonly corrections: readonly AutoCorrection[];
}

export interface NotFound {
  readonly found: false;
  readonly reason: "stale" | "ambiguous";
  readonly candidates: readonly number[];
  /** Only one line fits, but so few characters of a hash would fit some line of this file by chance. */
  readonly tooShort?: true;
  /** `line` and `occurrence` name different lines. */
  readonly contradicted?: true;
  /** It may have been read from another version: its line was not shown to the caller in this one. */
  readonly unshown?: true;
  /** What exactly is wrong, where there is more to say than "no line" or "several lines". */
  readonly why?: string;
  /** The line the anchor named in the version the caller read, when it is gone. */
  readonly seenLine?: number;
}

export type Resolution = Found | NotFound;

/** The text to edit, and what is known of the text the caller based its anchors on. */
export interface Snapshot {
  readonly current: AnchorIndex;
  readonly seen: SeenVersion | undefined;
  /** The caller named another version than the current one. */
  readonly crossVersion: boolean;
  /** The text is known to be the version that the caller read, or named. */
  readonly asRead: boolean;
  /** The lines that the caller was shown of the text its anchors are settled in, in order; undefined when not known. */
  readonly shown: readonly ShownLines[] | undefined;
  /** Of the same text: undefined where every number means the line that has it. */
  readonly numbered: readonly NumberedLines[] | undefined;
}

/** 1-based and inclusive. */
export interface ShownLines {
  readonly from: number;
  readonly to: number;
}

/** Lines that were shown under other numbers: those less `moved`. */
export interface NumberedLines extends ShownLines {
  readonly moved: number;
}

// Fewer characters match a line by chance too easily to follow the hash away from the line it was given for.
const ENOUGH_TO_FOLLOW = 6;
// Fewer than those count on their own only while some line fits them by chance less often than this: 4 in up to 65 lines.
const MOST_CHANCE = 1 / 1000;

export function resolveAnchor(anchor: Anchor, file: Snapshot): Resolution {
  const { current, seen, crossVersion, shown, numbered } = file;
  if (seen) return throughSeenVersion(anchor, seen, file);
  const now = climb(anchor, current, numbered);
  if (crossVersion) return withoutPosition(anchor, now, "the file is not the version you named");
  return fromShownLines(anchor, now, shown);
}

/**
 * The number or occurrence of a line that was not shown in this version is that of another version, if of any. Of
 * several lines with a hash, the caller means the only one that it was shown.
 */
function fromShownLines(anchor: Anchor, found: Resolution, shown: Snapshot["shown"]): Resolution {
  if (shown === undefined) return found;
  if (!found.found) {
    const [line, another] = found.candidates.filter((each) => isShown(each, shown));
    const isPlain = anchor.line === undefined && anchor.occurrence === undefined && !found.tooShort;
    if (!isPlain || line === undefined || another !== undefined || anchor.prefix.length < ENOUGH_TO_FOLLOW)
      return found;
    return { found: true, line, by: "shown", candidates: found.candidates, corrections: [] };
  }
  if (isShown(found.line, shown)) return found;
  const doubted = withoutPosition(anchor, found, `line ${found.line} has not been shown to you in this version`);
  return doubted.found ? doubted : { ...doubted, unshown: true };
}

export function isShown(line: number, shown: readonly ShownLines[]): boolean {
  return shown.some(({ from, to }) => from <= line && line <= to);
}

/** Only what the hash alone says, where line numbers and occurrences may have been read from another text. */
function withoutPosition(anchor: Anchor, found: Resolution, because: string): Resolution {
  if (!found.found) return found.contradicted ? stale(found.candidates, `${found.why}, and ${because}`) : found;
  if (anchor.line !== undefined && anchor.line !== found.line) {
    return stale(
      found.candidates,
      `line ${anchor.line} does not have the hash ${anchor.prefix}, and ${because}: whether line ${found.line} is the one you mean cannot be told`,
    );
  }
  if (found.by === "hash" || found.candidates.length === 1) return found;
  return stale(
    found.candidates,
    `${anchor.given} matches ${counted(found.candidates.length, "line")}, and ${because}: which of them line or occurrence means cannot be told`,
  );
}

/** Settles what the caller meant in the text it read, then follows that very line into the current text. */
function throughSeenVersion(anchor: Anchor, seen: SeenVersion, { current, shown, numbered }: Snapshot): Resolution {
  const then = fromShownLines(anchor, climb(anchor, seen.index, numbered), shown);
  const now = climb(anchor, current, undefined);
  if (then.candidates.length === 0) return withoutPosition(anchor, now, "no line of the version you read has it");
  if (!then.found) {
    if (then.unshown) return then;
    if (!now.found) return now;
    if (then.tooShort) return { ...then, candidates: now.candidates };
    return stale(
      now.candidates,
      `${anchor.given} matched ${counted(then.candidates.length, "line")} of the version you read, and the file has changed since: which of them is left cannot be told`,
    );
  }
  const line = seen.follow(then.line);
  if (line === undefined) {
    return {
      ...stale(now.candidates, `line ${then.line} (${anchor.given}) has changed since you read it`),
      seenLine: then.line,
    };
  }
  const corrections = then.line === line ? then.corrections : [...then.corrections, followed(anchor, then.line, line)];
  const candidates = now.candidates.includes(line) ? now.candidates : [line];
  return { found: true, line, by: then.by, candidates, seenLine: then.line, corrections };
}

/** A number counts where its line stands now; one that may mean two lines, or was not shown, is never taken for a current one. */
function climb(anchor: Anchor, index: AnchorIndex, numbered: Snapshot["numbered"]): Resolution {
  const candidates = index.find(anchor.prefix);
  const number = anchor.line ?? 0;
  const meant = linesNumbered(number, numbered).filter((line) => candidates.includes(line));
  const [line, another] = meant;
  if (another !== undefined || (line === undefined && candidates.length > 1 && candidates.includes(number))) {
    return { ...stale(candidates, numberInDoubt(anchor, meant)), unshown: true };
  }
  const [only, ...others] = candidates;
  if (line === undefined && number !== only && others.length === 0) {
    // Where the only line left was shown under other numbers, the one that was meant is gone.
    const numbers = (numbered ?? []).flatMap((lines) => (isShown(only ?? 0, [lines]) ? only! - lines.moved : []));
    if (number > 0 && numbers.length > 0)
      return stale(
        candidates,
        `line ${only}, which has this hash, was shown to you as ${numbers.join(" and ")}, not as ${number}`,
      );
  }
  if (line === undefined || line === number) return settled(anchor, candidates, index.count);
  const found = settled({ ...anchor, line }, candidates, index.count);
  return found.found ? { ...found, corrections: [followed(anchor, number, line)] } : found;
}

/** Where the lines stand that the caller was shown under this number. */
export function linesNumbered(number: number, numbered: Snapshot["numbered"] = EVERYWHERE): number[] {
  const all = numbered.map((lines) => (isShown(number + lines.moved, [lines]) ? number + lines.moved : 0));
  return [...new Set(all)];
}

const EVERYWHERE = [{ from: 1, to: Number.MAX_SAFE_INTEGER, moved: 0 }];

function numberInDoubt({ given, line }: Anchor, meant: readonly number[]): string {
  return meant.length === 0
    ? `your edits moved lines and line ${line} was not shown since, so ${given} may have an old number`
    : `your edits moved lines: lines ${meant.join(" and ")} were both shown as line ${line}, so ${given} may mean either`;
}

function settled(anchor: Anchor, candidates: readonly number[], lines: number): Resolution {
  const only = candidates[0];
  if (only === undefined) return { found: false, reason: "stale", candidates };
  if (anchor.occurrence !== undefined) return byOccurrence(anchor, anchor.occurrence, candidates);
  if (candidates.length === 1) return byHash(anchor, only, candidates, lines);
  if (anchor.line !== undefined && candidates.includes(anchor.line)) {
    return { found: true, line: anchor.line, by: "line", candidates, corrections: [] };
  }
  const why = anchor.line === undefined ? undefined : `line ${anchor.line} is none of them`;
  return { found: false, reason: "ambiguous", candidates, ...(why !== undefined && { why }) };
}

function byOccurrence(anchor: Anchor, occurrence: number, candidates: readonly number[]): Resolution {
  const line = candidates[occurrence - 1];
  if (line === undefined) {
    return { found: false, reason: "ambiguous", candidates, why: `there is no occurrence ${occurrence}` };
  }
  if (anchor.line !== undefined && anchor.line !== line) {
    const why = `occurrence ${occurrence} is line ${line}, not line ${anchor.line}`;
    return { found: false, reason: "ambiguous", candidates, contradicted: true, why };
  }
  return { found: true, line, by: "occurrence", candidates, corrections: [] };
}

function byHash(anchor: Anchor, line: number, candidates: readonly number[], lines: number): Resolution {
  const { length } = anchor.prefix;
  if (anchor.line === undefined && length < ENOUGH_TO_FOLLOW && lines / 16 ** length > MOST_CHANCE) {
    const why = `${length} characters are too few to name a line among ${lines}`;
    return { found: false, reason: "ambiguous", candidates, tooShort: true, why };
  }
  if (anchor.line === undefined || anchor.line === line)
    return { found: true, line, by: "hash", candidates, corrections: [] };
  if (length < ENOUGH_TO_FOLLOW) {
    return stale(
      candidates,
      `line ${anchor.line} does not have the hash ${anchor.prefix}, and ${length} characters are too few to look elsewhere`,
    );
  }
  return { found: true, line, by: "hash", candidates, corrections: [correctedHint(anchor, anchor.line, line)] };
}

function stale(candidates: readonly number[], why: string): NotFound {
  return { found: false, reason: "stale", candidates, why };
}

function correctedHint(anchor: Anchor, hint: number, line: number): AutoCorrection {
  return {
    type: "line_hint_corrected",
    detail: `${anchor.prefix} was given for line ${hint}, which has another hash. Its only match, line ${line}, was used.`,
  };
}

function followed(anchor: Anchor, from: number, to: number): AutoCorrection {
  return {
    type: "line_followed_from_seen_version",
    detail: `${anchor.prefix} was line ${from} of the version you read and is line ${to} now.`,
  };
}
