// Refuses anchors that lead nowhere, to several lines, or to a line that cannot serve as one.
import type { Refusal } from "../../core/failure.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import type { AmbiguousAnchor, ToRead } from "../../words/anchors.ts";
import { refuse } from "../../words/index.ts";
import { follow, type Lead, type NotFound, type Snapshot } from "./lead.ts";
import { type AnchorIndex, preview } from "./lines.ts";
import type { Anchor, OperationName, ParsedOperation } from "./operations.ts";

/** An anchor that leads nowhere or to several lines. */
export interface Unresolved {
  readonly operation: ParsedOperation;
  readonly anchor: Anchor;
  readonly resolution: NotFound;
  /** The line of the other end of the range, if known. */
  readonly otherEnd?: number | undefined;
}

const MAX_NAMED = 10;
const MAX_DETAILED = 100;

/** Makes the refusal of ambiguous anchors, with the hashes that lead to a single candidate. */
export function ambiguousAnchors(unresolved: readonly Unresolved[], file: Snapshot): Refusal {
  const { index } = file;
  const [first] = unresolved as [Unresolved];
  const { operation, resolution } = first;
  const anchors = unresolved.slice(0, MAX_NAMED).map((one) => describeAmbiguity(one, index));
  const shown = anchors[0]!.candidates.slice(0, MAX_NAMED).map(({ number, line, preview }) => {
    return { number, line, preview, own: ownHashes(first, line, file) };
  });
  return refuse("anchor_ambiguous", {
    operation: { number: operation.number, op: operation.op },
    fault: resolution.fault,
    isContext: isContextAmbiguous(first, index),
    shown,
    ends: unresolved.filter((one) => one.operation === operation).map((one) => waysOut(one, file)),
    anchors,
    others: unresolved.length - 1,
  });
}

/** Where these words would lead in place of what was sent. Advice must work when it is followed. */
function leadsTo(line: number, op: OperationName, words: Partial<Anchor>, file: Snapshot): boolean {
  const given = { field: "hash", given: "", prefix: "", line: undefined, occurrence: undefined, ...words } as const;
  const resolution = follow(op, given, file);
  return resolution.found && resolution.line === line;
}

/** Returns the longer hashes that lead to this line: of its text, and of its context. */
function ownHashes({ operation: { op }, anchor }: Unresolved, line: number, file: Snapshot): string[] {
  const { index } = file;
  // A bracket or a blank line needs an occurrence in any case.
  if (anchor.field === "hash" && index.line(line).quality === "low") return [];
  const hashes = { hash: index.line(line).digest.slice(0, 8), ctx: index.contextHash(line) };
  return Object.entries(hashes).flatMap(([name, prefix]) =>
    index.find(prefix).length === 1 && leadsTo(line, op, { prefix }, file) ? `${name}=${prefix}` : [],
  );
}

/** True when no hash can distinguish the candidates, or a range end takes no position. */
function isContextAmbiguous({ anchor, resolution: { candidates } }: Unresolved, index: AnchorIndex): boolean {
  const contexts = new Set(candidates.map((line) => index.contextHash(line)));
  return anchor.field !== "hash" || (contexts.size === 1 && candidates.length > 1 && anchor.occurrence === undefined);
}

function waysOut(unresolved: Unresolved, file: Snapshot): AmbiguousAnchor {
  const { operation, anchor, resolution, otherEnd } = unresolved;
  const [{ index }, { op }, { prefix }, { candidates }] = [file, operation, anchor, resolution];
  const isEnd = anchor.field !== "hash";
  const line = candidates.length === 1 ? candidates[0] : nearestInDirection(candidates, anchor.field, otherEnd);
  const near = line === undefined ? undefined : index.line(line);
  const placeOf = (each: number, at: number) => (isEnd ? { line: each } : { occurrence: at + 1 });
  const isLow = !isEnd && near?.quality === "low";
  const names = near === undefined ? [] : [near.hash, index.contextHash(near.number)];
  // A name of this line alone comes first.
  const own = isLow ? [prefix] : [...names.filter((name) => index.find(name).length === 1), ...names];
  const place = isLow ? { line: anchor.line, occurrence: 1 } : { line };
  const hash = own.find((name) => leadsTo(line!, op, { prefix: name, ...place }, file));
  return {
    ...anchor,
    near: near && hash ? { line: near.number, anchor: `${near.number}#${hash}`, isLow } : undefined,
    hasOwnHashes: !isEnd && candidates.slice(0, MAX_NAMED).some((each) => ownHashes(unresolved, each, file).length > 0),
    isCounted: candidates.every((each, at) => leadsTo(each, op, { prefix, ...placeOf(each, at) }, file)),
    read: toRead(candidates, file),
  };
}

const MAX_READ = 200;

function toRead(lines: readonly number[], { index }: Snapshot, max = MAX_READ): ToRead | undefined {
  const [startLine, ...others] = [...lines].sort((a, b) => a - b);
  if (startLine === undefined) return undefined;
  const endLine = others.at(-1) ?? startLine;
  const isTooLong = (line: number) => Buffer.byteLength(index.line(line).text) > CALL_LIMITS.anchoredPageBytes;
  return { startLine, endLine, tooLong: lines.find(isTooLong), isWide: endLine - startLine >= max };
}

function describeAmbiguity({ operation, anchor, resolution, otherEnd }: Unresolved, index: AnchorIndex) {
  const describe = (line: number) => ({
    number: resolution.candidates.indexOf(line) + 1,
    line,
    preview: preview(index.line(line).text),
    hash: index.line(line).digest.slice(0, 8),
    context_hash: index.contextHash(line),
  });
  const nearest = nearestInDirection(resolution.candidates, anchor.field, otherEnd);
  return {
    operation: operation.number,
    anchor: anchor.field,
    hash: anchor.given,
    candidates: resolution.candidates.slice(0, MAX_DETAILED).map(describe),
    matches: resolution.candidates.length,
    ...(nearest && { nearest_candidate: describe(nearest) }),
  };
}

/** Returns the candidate closest to the other end, on the right side of it. It is only proposed. */
function nearestInDirection(candidates: readonly number[], field: string, otherEnd?: number): number | undefined {
  if (otherEnd === undefined) return undefined;
  return field === "end_hash"
    ? candidates.find((line) => line > otherEnd)
    : candidates.findLast((line) => line < otherEnd);
}

/** Makes the refusal of stale anchors, with the lines to read. `all` includes the ambiguous anchors of the batch. */
export function staleAnchors(unresolved: readonly Unresolved[], file: Snapshot, all: readonly Unresolved[]): Refusal {
  const { index, known } = file;
  const meant = all.flatMap(({ anchor: { line = 0 }, resolution: { candidates, unread } }) => {
    return unread ?? [...candidates, ...(index.lineAt(line) ? [line] : [])];
  });
  // Lines that were not shown must be read, however many. Of equal lines only the intended ones.
  const isOne = all.every(({ resolution: { candidates, unread } }) => unread && candidates.length <= 1);
  const given = (some: readonly Unresolved[]) => [...new Set(some.map(({ anchor }) => anchor.given))];
  return refuse("anchors_stale", {
    unknown: given(unresolved.filter(({ resolution }) => resolution.fault === undefined)),
    faults: unresolved.flatMap(({ resolution }) => resolution.fault ?? []),
    missingHashes: given(unresolved),
    hasRead: known.shown !== undefined,
    isUnread: unresolved.every(({ resolution }) => resolution.unread !== undefined),
    isEmpty: index.count === 0,
    read: toRead(meant, file, isOne ? Number.POSITIVE_INFINITY : MAX_READ),
  });
}

/**
 * Whether a single-line operation may name a bracket or a blank line. `explicit`: only with an `occurrence`. `tolerant`:
 * also if only one line matches. `strict`: never.
 */
export type LowEntropyRule = "explicit" | "tolerant" | "strict";

const NEIGHBOUR_DISTANCE = 3;
const MAX_NEIGHBOURS = 6;
const MAX_CANDIDATES = 20;

export function refuseLowEntropy(all: readonly Lead[], file: Snapshot, rule: LowEntropyRule): void {
  const refused = all.filter((lead) => leadsToLowLine(lead, file.index) && !isAllowed(lead, rule));
  const lines = refused.flatMap((lead) => describeLow(lead, file.index));
  const [first] = lines;
  if (first === undefined) return;
  const isUsable = (line: number, occurrence?: number) =>
    leadsTo(line, "delete_line", { prefix: file.index.line(line).hash, line, occurrence }, file);
  const after = first.neighbor_anchors.findIndex((anchor) => Number.parseInt(anchor, 10) > first.line);
  const range = after > 0 ? first.neighbor_anchors.slice(after - 1, after + 1) : [];
  const [start = 1, end = 0] = range.map((anchor) => Number.parseInt(anchor, 10));
  const around = file.index.lines.slice(start - 1, end);
  throw refuse("anchor_low_entropy", {
    lines,
    occurrences: refused[0]?.resolution.candidates.length,
    near: [...new Set(lines.flatMap((entry) => entry.neighbor_anchors))].slice(0, MAX_NEIGHBOURS),
    // A range over lines that were not shown would be refused.
    range: around.length < MAX_READ && around.every(({ number }) => isUsable(number)) ? range : [],
    insist: rule !== "strict" && isUsable(first.line, first.occurrence) ? file.index.anchor(first.line) : undefined,
  });
}

function leadsToLowLine({ resolution }: Lead, index: AnchorIndex): boolean {
  const lines = resolution.found ? [resolution.line] : resolution.candidates;
  return lines.every((line) => index.lineAt(line)?.quality === "low");
}

function isAllowed({ anchor, resolution }: Lead, rule: LowEntropyRule): boolean {
  if (rule === "strict") return false;
  return anchor.occurrence !== undefined || (rule === "tolerant" && resolution.candidates.length === 1);
}

function describeLow({ anchor, resolution }: Lead, index: AnchorIndex) {
  const lines = resolution.found ? [resolution.line] : resolution.candidates.slice(0, MAX_CANDIDATES);
  return lines.map((line) => ({
    hash: anchor.given,
    line,
    content: preview(index.line(line).text),
    occurrence: resolution.candidates.indexOf(line) + 1,
    neighbor_anchors: neighbourAnchors(index, line),
  }));
}

/** Returns the high-quality lines within three lines, else the nearest on either side. */
function neighbourAnchors({ lines }: AnchorIndex, line: number): string[] {
  const high = lines.filter(({ quality }) => quality === "high");
  const near = high.filter(({ number }) => Math.abs(number - line) <= NEIGHBOUR_DISTANCE);
  const nearest = [high.findLast(({ number }) => number < line), high.find(({ number }) => number > line)];
  return (near.length > 0 ? near : nearest).flatMap((each) => (each ? `${each.number}#${each.hash}` : []));
}
