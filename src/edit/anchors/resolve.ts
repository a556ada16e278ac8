// From the anchors of a batch to the lines they name: by hash, context hash, occurrence and line number. It never guesses.
import type { AnchorFault } from "../../words/anchors.ts";
import { refuse } from "../../words/index.ts";
import { type AnchorIndex, EMPTY_DIGEST, isNumbered, isShown, type Known } from "./lines.ts";
import type { Anchor, ParsedOperation } from "./operations.ts";
import { ambiguousAnchors, type LowEntropyRule, refuseLowEntropy, staleAnchors, type Unresolved } from "./refuse.ts";
import { isInsertion, type Target, targetOf } from "./targets.ts";

/** What was put right without asking. */
export interface AutoCorrection {
  readonly type: "range_order_swapped" | "overlap_merged" | "line_followed_from_seen_version";
  readonly detail: string;
}

interface Found {
  readonly found: true;
  readonly line: number;
  /** All current lines that the hash alone would match. */
  readonly candidates: readonly number[];
  readonly correction?: AutoCorrection;
}

export interface NotFound {
  readonly found: false;
  readonly reason: "stale" | "ambiguous";
  readonly candidates: readonly number[];
  /** `line` and `occurrence` name different lines. */
  readonly contradicts?: true;
  /** Where there is more to say than "no line" or "several lines". */
  readonly fault?: AnchorFault | undefined;
  /** It may be of another version: these lines have to be read first. */
  readonly unread?: readonly number[];
}

type Resolution = Found | NotFound;

/** The text to edit, and what the caller knows of it. */
export interface Snapshot {
  readonly index: AnchorIndex;
  readonly known: Known;
}

/** The anchor of an operation, and the line it leads to. */
export interface Lead {
  readonly anchor: Anchor;
  readonly resolution: Resolution;
}

interface Resolved {
  readonly operation: ParsedOperation;
  /** One, or the two of a range. */
  readonly ends: readonly Lead[];
}

/** The order of the refusals: a range of one line, stale anchors (all of them), low-entropy lines, ambiguity. */
export function resolveBatch(operations: readonly ParsedOperation[], file: Snapshot, rule: LowEntropyRule) {
  const resolved = operations.map((operation) => ({
    operation,
    ends: operation.anchors.map((anchor) => ({ anchor, resolution: resolveEnd(operation, anchor, file) })),
  }));
  for (const one of resolved) refuseOneLineRange(one);
  const unresolved = resolved.flatMap((one) => [...unresolvedEnds(one), ...unshownInside(one, file)]);
  const stale = unresolved.filter(({ resolution }) => resolution.reason === "stale");
  if (stale.length > 0) throw staleAnchors(stale, file, unresolved);
  refuseLowEntropy(
    resolved.flatMap(({ ends }) => (ends.length === 1 ? ends : [])),
    file,
    rule,
  );
  if (unresolved.length > 0) throw ambiguousAnchors(unresolved, file);

  const targets: Target[] = [];
  const corrections: AutoCorrection[] = [];
  for (const { operation, ends } of resolved) {
    const found = foundIn(ends);
    const lines = found.map(({ line }) => line);
    const [start = 0, end = start] = lines;
    corrections.push(...found.flatMap(({ correction }) => correction ?? []));
    const detail = `start_line (${start}) was after end_line (${end}). Swapped automatically.`;
    if (start > end) corrections.push({ type: "range_order_swapped", detail });
    targets.push(targetOf(operation, Math.min(...lines), Math.max(...lines)));
  }
  return { targets, corrections };
}

/** An empty file has no line to name; the hash of nothing stands for the place where its first line goes. */
function resolveEnd({ op }: ParsedOperation, anchor: Anchor, file: Snapshot): Resolution {
  const { prefix, line = 1, occurrence = 1 } = anchor;
  const namesNothing = EMPTY_DIGEST.startsWith(prefix) && line === 1 && occurrence === 1;
  if (file.index.count === 0 && !isDoubtful(EMPTY_DIGEST, file.known) && isInsertion(op) && namesNothing)
    return found(0, []);
  const { shown, parts = [] } = file.known;
  if (!isInsertion(op) || shown === undefined) return settle(anchor, file);
  const begun = parts.map((part) => ({ from: part.line, to: part.line }));
  return settle(anchor, { ...file, known: { ...file.known, shown: [...shown, ...begun] } });
}

function refuseOneLineRange({ operation, ends }: Resolved): void {
  const [start, end] = foundIn(ends);
  if (end === undefined || start?.line !== end.line) return;
  const { number, op, anchors } = operation;
  throw refuse("range_of_one_line", { number, op, line: end.line, hash: anchors[0].given });
}

function unresolvedEnds({ operation, ends }: Resolved): Unresolved[] {
  const otherEnd = foundIn(ends)[0]?.line;
  return ends.flatMap(({ anchor, resolution }) => {
    if (resolution.found) return [];
    if (otherEnd === undefined) return { operation, anchor, resolution };
    // The lines of a range are read at once.
    const unread = resolution.unread?.flatMap((line) => [line, otherEnd + Math.sign(line - otherEnd)]);
    return { operation, anchor, resolution: { ...resolution, unread }, otherEnd };
  });
}

/** A line between the ends of a range that was not shown: others may have put it there. */
function unshownInside({ operation, ends }: Resolved, { known: { shown } }: Snapshot): Unresolved[] {
  const [from, to] = foundIn(ends)
    .map(({ line }) => line)
    .sort((a, b) => a - b);
  if (shown === undefined || from === undefined || to === undefined) return [];
  let unshown = from + 1;
  for (const range of shown) if (range.from <= unshown) unshown = Math.max(unshown, range.to + 1);
  if (unshown >= to) return [];
  const [anchor] = operation.anchors;
  const fault = { fault: "not_shown_inside", given: anchor.given, line: unshown, operation: operation.number } as const;
  return [{ operation, anchor, resolution: { ...stale([], fault), unread: [unshown, to - 1] } }];
}

function foundIn(ends: readonly Lead[]): Found[] {
  return ends.flatMap(({ resolution }) => (resolution.found ? [resolution] : []));
}

// Fewer characters match a line by chance too easily to mean the only line that was shown.
const MIN_SURE = 6;
// Fewer than those count on their own only while some line fits them by chance less often than this: 4 in up to 65 lines.
const MAX_CHANCE = 1 / 1000;

/** The line that an anchor means. A position counts only where the caller was given it for this text. */
function settle(anchor: Anchor, { index, known }: Snapshot): Resolution {
  const { line: number, occurrence, prefix, given } = anchor;
  const candidates = index.find(prefix);
  const [only, another] = candidates;
  if (only === undefined) return { found: false, reason: "stale", candidates };
  const at = occurrence === undefined ? candidates.find((each) => each === number) : candidates[occurrence - 1];
  if (occurrence !== undefined && at === undefined)
    return ambiguous(candidates, { fault: "no_occurrence", given, occurrence });
  if (occurrence !== undefined && number !== undefined && number !== at) {
    const fault = { fault: "other_occurrence", given, occurrence, line: at, named: number } as const;
    return { ...ambiguous(candidates, fault), contradicts: true };
  }
  const { digest } = index.line(only);
  // Which of its equals an occurrence is, and which line is the only one with a hash, may be the work of the caller's edits.
  const isDoubted = prefix.length <= MIN_SURE && isDoubtful(digest, known);
  if (at !== undefined && (another !== undefined || isDoubted)) {
    // A read of some lines does not say how many are above them.
    const counted = number === undefined ? candidates.slice(0, occurrence) : [at];
    const uncounted = isDoubted && number === undefined ? at : counted.find((line) => !isNumbered(line, known));
    return uncounted === undefined ? found(at, candidates) : unnumbered(anchor, uncounted, candidates, known);
  }
  if (another === undefined) {
    // The hash counts; but where the caller may have its number from another version, it may mean a line that is gone.
    const isGiven = known.shown !== undefined && !known.older && isShown(only, known.shown) && !isDoubted;
    if (number !== undefined && number !== only && !isGiven) return otherLine(anchor, candidates);
    const isTooShort = prefix.length < MIN_SURE && index.count / 16 ** prefix.length > MAX_CHANCE;
    if (at === undefined && isTooShort)
      return ambiguous(candidates, { fault: "too_short", given: prefix, count: index.count });
    return isShown(only, known.shown) && !isDoubted
      ? { ...found(only, candidates), ...(number !== undefined && number !== only && followed(prefix, number, only)) }
      : unnumbered(anchor, only, candidates, known);
  }
  if (number !== undefined)
    return known.shown === undefined || isNumbered(number, known)
      ? ambiguous(candidates, { fault: "other_line", given: prefix, line: number })
      : { ...otherLine(anchor, candidates), unread: candidates };
  const [one, two] = known.shown === undefined ? [] : candidates.filter((line) => isShown(line, known.shown));
  const isSure = two === undefined && !known.older && !isDoubted && prefix.length >= MIN_SURE;
  return one !== undefined && isSure ? found(one, candidates) : ambiguous(candidates);
}

/** The caller's own edits have added lines with this hash beside others, or taken some from them. */
function isDoubtful(digest: string, { repeated = [] }: Known): boolean {
  return repeated.some((hash) => digest.startsWith(hash));
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

function stale(candidates: readonly number[], fault: AnchorFault): NotFound {
  return { found: false, reason: "stale", candidates, fault };
}

function otherLine({ line, prefix }: Anchor, candidates: readonly number[]): NotFound {
  return stale(candidates, { fault: "other_line", given: prefix, line });
}

function unnumbered({ given }: Anchor, line: number, candidates: readonly number[], { shown, parts }: Known): NotFound {
  if (shown === undefined) return ambiguous(candidates, { fault: "file_unread", given });
  if (isShown(line, shown)) return { ...stale(candidates, { fault: "uncounted", given, line }), unread: candidates };
  const fault = parts?.some((part) => part.line === line) ? "partly_shown" : "not_shown";
  return { ...stale(candidates, { fault, given, line }), unread: [line] };
}
