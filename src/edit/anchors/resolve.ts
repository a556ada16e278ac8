// Resolves the anchors of a batch to lines, by hash, context hash, occurrence and line number. Never guesses.
import type { AnchorFault } from "../../words/anchors.ts";
import { refuse } from "../../words/index.ts";
import { type AnchorIndex, EMPTY_DIGEST, isNumbered, isShown, type Known } from "./lines.ts";
import type { Anchor, ParsedOperation } from "./operations.ts";
import { ambiguousAnchors, type LowEntropyRule, refuseLowEntropy, staleAnchors, type Unresolved } from "./refuse.ts";
import { isInsertion, type Target, targetOf } from "./targets.ts";

/** A correction made without asking. */
export interface AutoCorrection {
  readonly type: "range_order_swapped" | "overlap_merged" | "line_followed_from_seen_version";
  readonly detail: string;
}

interface Found {
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
  /** `line` and `occurrence` name different lines. */
  readonly contradicts?: true;
  /** The cause, if not just "no line" or "several lines". */
  readonly fault?: AnchorFault | undefined;
  /** Lines that must be read first: the anchor may be of another version. */
  readonly unread?: readonly number[] | undefined;
}

type Resolution = Found | NotFound;

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

interface Resolved {
  readonly operation: ParsedOperation;
  /** A single anchor, or both of a range. */
  readonly ends: readonly Lead[];
}

/** Refuses in this order: a range of one line, all stale anchors, low-entropy lines, ambiguous anchors. */
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

/** Resolves one anchor. In an empty file, the hash of an empty line names the place of the first line. */
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
    // All lines of a range are read together.
    const unread = resolution.unread?.flatMap((line) => [line, otherEnd + Math.sign(line - otherEnd)]);
    return { operation, anchor, resolution: { ...resolution, unread }, otherEnd };
  });
}

/** Finds unshown lines inside a range, which others may have added. */
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
  return [{ operation, anchor, resolution: stale([], fault, [unshown, to - 1]) }];
}

function foundIn(ends: readonly Lead[]): Found[] {
  return ends.flatMap(({ resolution }) => (resolution.found ? [resolution] : []));
}

// With fewer characters, the only shown match may be a coincidence.
const MIN_SURE = 6;
// Maximum chance that a shorter prefix matches some line by coincidence: 4 characters suffice up to 65 lines.
const MAX_CHANCE = 1 / 1000;

/** Resolves an anchor. A position counts only if the caller has it from this version of the text. */
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
  // The caller's own edits may have changed the occurrences of this hash.
  const isDoubted = prefix.length <= MIN_SURE && isDoubtful(digest, known);
  if (at !== undefined && (another !== undefined || isDoubted)) {
    // A read of some lines does not tell how many equal ones are above.
    const counted = number === undefined ? candidates.slice(0, occurrence) : [at];
    const uncounted = isDoubted && number === undefined ? at : counted.find((line) => !isNumbered(line, known));
    return uncounted === undefined ? found(at, candidates) : unnumbered(anchor, uncounted, candidates, known);
  }
  if (another === undefined) {
    // The hash decides, unless the number may be from another version: then the intended line may be gone.
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
      : otherLine(anchor, candidates, candidates);
  const [one, two] = known.shown === undefined ? [] : candidates.filter((line) => isShown(line, known.shown));
  const isSure = two === undefined && !known.older && !isDoubted && prefix.length >= MIN_SURE;
  return one !== undefined && isSure ? found(one, candidates) : ambiguous(candidates);
}

/** True when the caller's own edits added or removed lines with this hash. */
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

function stale(candidates: readonly number[], fault: AnchorFault, unread?: readonly number[]): NotFound {
  return { found: false, reason: "stale", candidates, fault, unread };
}

function otherLine({ line, prefix }: Anchor, candidates: readonly number[], unread?: readonly number[]): NotFound {
  return stale(candidates, { fault: "other_line", given: prefix, line }, unread);
}

function unnumbered({ given }: Anchor, line: number, candidates: readonly number[], { shown, parts }: Known): NotFound {
  if (shown === undefined) return ambiguous(candidates, { fault: "file_unread", given });
  if (isShown(line, shown)) return stale(candidates, { fault: "uncounted", given, line }, candidates);
  const fault = parts?.some((part) => part.line === line) ? "partly_shown" : "not_shown";
  return stale(candidates, { fault, given, line }, [line]);
}
