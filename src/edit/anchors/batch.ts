// A batch on one snapshot: every anchor of every operation is resolved first, and one that fails refuses them all.

import type { LineRange } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { EMPTY_DIGEST } from "./lines/hash.ts";
import type { Anchor, ParsedOperation } from "./operations.ts";
import { ambiguousAnchors, type Unresolved } from "./resolve/ambiguous.ts";
import { type Lead, type LowEntropyRule, refuseLowEntropy } from "./resolve/low-entropy.ts";
import {
  type AutoCorrection,
  type Found,
  type NotFound,
  type Resolution,
  resolveAnchor,
  type Snapshot,
} from "./resolve/resolve.ts";
import { changedInside, respacedInside } from "./resolve/seen.ts";
import { staleAnchors } from "./resolve/stale.ts";
import { isInsertion, type Target, targetOf } from "./targets.ts";

export interface ResolvedBatch {
  readonly targets: readonly Target[];
  readonly corrections: readonly AutoCorrection[];
  readonly warnings: readonly string[];
}

interface Resolved {
  readonly operation: ParsedOperation;
  /** One, or the two of a range. */
  readonly ends: readonly Lead[];
}

/** The order of the refusals: a range of one line, stale anchors (all of them), low-entropy lines, ambiguity. */
export function resolveBatch(
  operations: readonly ParsedOperation[],
  file: Snapshot,
  rule: LowEntropyRule,
): ResolvedBatch {
  const resolved = operations.map((operation) => ({
    operation,
    ends: operation.anchors.map((anchor) => ({ anchor, resolution: resolveEnd(operation, anchor, file) })),
  }));
  for (const one of resolved) refuseOneLineRange(one);
  const unresolved = resolved.flatMap((one) => [
    ...unresolvedEnds(one),
    ...changedRange(one, file),
    ...unshownRange(one, file),
  ]);
  const stale = unresolved.filter(({ resolution }) => resolution.reason === "stale");
  if (stale.length > 0) throw staleAnchors(stale, file, operations.length === 1);
  const single = resolved.flatMap(({ ends }) => (ends.length === 1 ? ends : []));
  refuseLowEntropy(single, file, rule);
  if (unresolved.length > 0) throw ambiguousAnchors(unresolved, file.current);

  const settled = resolved.map(({ operation, ends }) => ({
    operation,
    found: ends.flatMap((end) => foundIn(end.resolution)),
  }));
  return {
    targets: settled.map(({ operation, found }) => {
      const lines = found.map(({ line }) => line);
      return targetOf(operation, Math.min(...lines), Math.max(...lines));
    }),
    corrections: settled.flatMap(({ found }) => [...found.flatMap((end) => end.corrections), ...swapOf(found)]),
    warnings: settled.flatMap(({ operation, found }) => respacing(operation, found, file)),
  };
}

/** An empty file has no line to name; the hash of nothing stands for the place where its first line goes. */
function resolveEnd(operation: ParsedOperation, anchor: Anchor, file: Snapshot): Resolution {
  const namesEmptyFile =
    file.current.count === 0 &&
    !file.crossVersion &&
    isInsertion(operation.op) &&
    EMPTY_DIGEST.startsWith(anchor.prefix) &&
    (anchor.line ?? 1) === 1 &&
    (anchor.occurrence ?? 1) === 1;
  return namesEmptyFile
    ? { found: true, line: 0, by: "hash", candidates: [], corrections: [] }
    : resolveAnchor(anchor, file);
}

function refuseOneLineRange({ operation, ends }: Resolved): void {
  const [start, end] = ends.flatMap(({ resolution }) => foundIn(resolution));
  if (end === undefined || start?.line !== end.line) return;
  const single = operation.op === "replace_range" ? "replace_line" : "delete_line";
  throw new Refusal(
    "invalid_range_order",
    `Operation ${operation.number} (${operation.op}): start_hash and end_hash are both line ${end.line}, so the range is a no-op (start equals end).`,
    {
      next: `Use ${single} with "hash": "${operation.anchors[0].given}" for a single line.`,
      details: {
        suggested_action: "re-read_file",
        error_family: "invalid_range_order",
        operation: operation.number,
        start_line: end.line,
        end_line: end.line,
      },
    },
  );
}

function unresolvedEnds({ operation, ends }: Resolved): Unresolved[] {
  return ends.flatMap(({ anchor, resolution }) => {
    if (resolution.found) return [];
    const otherEnd = ends.flatMap((end) => foundIn(end.resolution))[0]?.line;
    return { operation, anchor, resolution, ...(otherEnd !== undefined && { otherEnd }) };
  });
}

/** Both ends are still there, but a line between them is not what the caller read: replacing it would lose another's work. */
function changedRange({ operation, ends }: Resolved, file: Snapshot): Unresolved[] {
  const [first, last] = inOrder(ends.flatMap(({ resolution }) => foundIn(resolution)));
  if (!file.seen || !file.crossVersion || first?.seenLine === undefined || last?.seenLine === undefined) return [];
  const changed = changedInside(file.seen.index, first.seenLine, last.seenLine, file.current, first.line, last.line);
  if (changed === undefined) return [];
  const resolution: NotFound = {
    found: false,
    reason: "stale",
    candidates: [],
    seenLine: changed,
    why: `line ${changed}, inside the range of operation ${operation.number}, has changed since you read it`,
  };
  return [{ operation, anchor: operation.anchors[0], resolution }];
}

/** What stands between the ends was not shown: others may have put it there. */
function unshownRange({ operation, ends }: Resolved, { known, seen, crossVersion }: Snapshot): Unresolved[] {
  const [first, last] = inOrder(ends.flatMap(({ resolution }) => foundIn(resolution)));
  const { shown } = (crossVersion && seen?.known) || known;
  if (shown === undefined || first === undefined || last === undefined) return [];
  const [from, to] = crossVersion && seen ? [first.seenLine, last.seenLine] : [first.line, last.line];
  const unshown = from === undefined || to === undefined ? undefined : firstUnshown(from + 1, to - 1, shown);
  if (unshown === undefined) return [];
  const next = `Read it with read_file, offset ${unshown - 1}, limit ${(to ?? unshown) - unshown}.`;
  const why = `line ${unshown}, inside the range of operation ${operation.number}, has not been shown to you in this version`;
  const resolution: NotFound = { found: false, reason: "stale", candidates: [], unshown: true, why, next };
  return [{ operation, anchor: operation.anchors[0], resolution }];
}

function firstUnshown(first: number, last: number, shown: readonly LineRange[]): number | undefined {
  let next = first;
  for (const { from, to } of shown) if (from <= next) next = Math.max(next, to + 1);
  return next <= last ? next : undefined;
}

function swapOf(found: readonly Found[]): AutoCorrection[] {
  const [start, end] = found;
  if (start === undefined || end === undefined || start.line < end.line) return [];
  const detail = `start_line (${start.line}) was after end_line (${end.line}). Swapped automatically.`;
  return [{ type: "range_order_swapped", detail }];
}

function respacing(operation: ParsedOperation, found: readonly Found[], file: Snapshot): string[] {
  const ordered = inOrder(found);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (
    !file.seen ||
    !file.crossVersion ||
    isInsertion(operation.op) ||
    first?.seenLine === undefined ||
    last?.seenLine === undefined
  )
    return [];
  const line = respacedInside(file.seen.index, first.seenLine, file.current, first.line, last.line);
  if (line === undefined) return [];
  return [`Line ${line} has other leading or trailing whitespace than when you read it.`];
}

function inOrder(found: readonly Found[]): Found[] {
  return [...found].sort((a, b) => a.line - b.line);
}

function foundIn(resolution: Resolution): Found[] {
  return resolution.found ? [resolution] : [];
}
