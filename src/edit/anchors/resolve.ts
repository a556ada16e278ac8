// Resolves the anchors of a batch to the lines that each operation names.
import { refuse } from "../../words/index.ts";
import { type AutoCorrection, type Found, follow, type Lead, type Snapshot, stale } from "./lead.ts";
import type { ParsedOperation } from "./operations.ts";
import { ambiguousAnchors, type LowEntropyRule, refuseLowEntropy, staleAnchors, type Unresolved } from "./refuse.ts";
import { type Target, targetOf } from "./targets.ts";

interface Resolved {
  readonly operation: ParsedOperation;
  /** A single anchor, or both of a range. */
  readonly ends: readonly Lead[];
}

/** Refuses in this order: a range of one line, all stale anchors, low-entropy lines, ambiguous anchors. */
export function resolveBatch(operations: readonly ParsedOperation[], file: Snapshot, rule: LowEntropyRule) {
  const resolved = operations.map((operation) => ({
    operation,
    ends: operation.anchors.map((anchor) => ({ anchor, resolution: follow(operation.op, anchor, file) })),
  }));
  for (const one of resolved) refuseOneLineRange(one, file);
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

function refuseOneLineRange({ operation, ends }: Resolved, { index }: Snapshot): void {
  const [start, end] = foundIn(ends);
  if (end === undefined || start?.line !== end.line) return;
  const { number, op, anchors } = operation;
  const { quality, hash } = index.line(end.line);
  // A bracket or a blank line needs an occurrence.
  const low = { hash: index.anchor(end.line), occurrence: index.find(hash).indexOf(end.line) + 1 };
  const how = quality === "low" ? low : { hash: anchors[0].given, occurrence: undefined };
  throw refuse("range_of_one_line", { number, op, line: end.line, ...how });
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
