// The spans of the operations of a batch: refuses overlaps, and makes the splices.
import { refuse } from "../../words/index.ts";
import { type Eol, eolNear } from "../text/lines.ts";
import type { Splice } from "../text/splice.ts";
import type { AutoCorrection } from "./lead.ts";
import type { AnchorIndex, AnchorLine } from "./lines.ts";
import type { OperationName, ParsedOperation } from "./operations.ts";

/** The operation's lines replace lines `from..to` (0-based, end-exclusive). An insertion has `from === to`. */
export interface Target {
  readonly operation: ParsedOperation;
  readonly from: number;
  readonly to: number;
  /** The 1-based line that the operation names, or the first of its range. */
  readonly line: number;
}

export function targetOf(operation: ParsedOperation, first: number, last: number): Target {
  if (operation.op === "insert_after") return { operation, from: first, to: first, line: first };
  const from = Math.max(first - 1, 0);
  if (operation.op === "insert_before") return { operation, from, to: from, line: first };
  return { operation, from, to: last, line: first };
}

/**
 * Sorts by place in the text. Lines inserted after one line precede lines inserted before the next, and insertions at the
 * same anchor keep the order of the batch.
 */
function inTextOrder(targets: readonly Target[]): Target[] {
  return [...targets].sort((a, b) => a.from - b.from || rank(a) - rank(b));
}

function rank({ operation: { op } }: Target): number {
  return op === "insert_after" ? 0 : op === "insert_before" ? 1 : 2;
}

export function isInsertion(op: OperationName): boolean {
  return op === "insert_after" || op === "insert_before";
}

/** Refuses spans that share a line, insertions inside a span, and insertions on both sides of a line. */
export function refuseOverlaps(targets: readonly Target[]): void {
  const conflicts: [ParsedOperation, ParsedOperation][] = [];
  let widest: Target | undefined;
  for (const target of inTextOrder(targets)) {
    if (widest && target.from < widest.to && (target.from !== target.to || target.from > widest.from)) {
      conflicts.push([widest.operation, target.operation]);
    }
    if (target.to > target.from && target.to > (widest?.to ?? 0)) widest = target;
  }
  const before = new Map(insertions(targets, "insert_before"));
  for (const [line, after] of insertions(targets, "insert_after")) {
    const rival = before.get(line);
    if (rival) conflicts.push([rival, after]);
  }
  const [first] = conflicts;
  if (first === undefined) return;
  const both = targets
    .filter(({ operation }) => first.includes(operation))
    .map(({ operation: { number, op }, from, to, line }) => {
      return { number, op, startLine: isInsertion(op) ? line : from + 1, endLine: to };
    });
  throw refuse("operations_overlap", {
    both,
    conflicts: conflicts.map((pair) => pair.map(({ number }) => number).sort((a, b) => a - b)),
  });
}

/** Reports operations that are merged: an insertion beside a replaced line. */
export function mergesOf(targets: readonly Target[]): AutoCorrection[] {
  const replaced = new Map(
    targets.filter(({ operation }) => operation.op === "replace_line").map((target) => [target.line, target.operation]),
  );
  return targets.flatMap(({ operation, line }) => {
    const replacement = isInsertion(operation.op) ? replaced.get(line) : undefined;
    if (replacement === undefined) return [];
    const [first, second] = [replacement, operation].sort((a, b) => a.number - b.number).map(nameOf);
    return [
      {
        type: "overlap_merged",
        detail: `Operations ${first} and ${second} address line ${line}. Merged into one replacement.`,
      },
    ];
  });
}

function insertions(targets: readonly Target[], op: OperationName): [number, ParsedOperation][] {
  return targets.filter((target) => target.operation.op === op).map((target) => [target.line, target.operation]);
}

function nameOf(operation: ParsedOperation): string {
  return `${operation.number} (${operation.op})`;
}

/**
 * Makes the splices. A replacement keeps the ending of its last line, an insertion takes the ending of its anchor's line,
 * and a deletion removes lines with their endings. A file without a final newline stays without one, even if lines are
 * appended.
 */
export function splicesOf(index: AnchorIndex, targets: readonly Target[]): Splice[] {
  const ordered = inTextOrder(targets);
  const atOpenEnd = (target: Target) => index.lines.at(-1)?.eol === "" && target.from === index.count;
  const tail = ordered.filter(atOpenEnd);
  const splices = ordered
    .filter((target) => !atOpenEnd(target))
    .map((target) => spliceOf(index, target, tail.length > 0));
  return tail.length > 0 ? [...splices, appendToOpenEnd(index, ordered, tail)] : splices;
}

function spliceOf(index: AnchorIndex, target: Target, tailFollows: boolean): Splice {
  const { operation, from, to } = target;
  const old = index.lines.slice(from, to);
  const first = old[0];
  const last = old.at(-1);
  if (first === undefined || last === undefined) {
    const at = index.lineAt(from + 1)?.start ?? index.text.length;
    const eol = eolNear(index.lines, target.line - 1);
    return { start: at, end: at, text: operation.lines.map((line) => line + eol).join("") };
  }
  const end = last.start + last.text.length;
  if (operation.lines.length === 0) return { start: first.start, end: end + last.eol.length, text: "" };
  const vanishes = last.eol === "" && operation.lines.at(-1) === "" && !tailFollows;
  return {
    start: first.start,
    end,
    text: replacement(index, old, operation.lines) + (vanishes ? eolNear(index.lines, to - 1) : ""),
  };
}

/** Appends lines to a last line without a newline: the newline goes before them, not behind. */
function appendToOpenEnd(index: AnchorIndex, all: readonly Target[], tail: readonly Target[]): Splice {
  const total = index.count;
  const eol = eolNear(index.lines, total - 1);
  const lines = tail.flatMap((target) => target.operation.lines);
  const lastIsDeleted = all.some(
    (target) => target.to === total && target.from < total && target.operation.lines.length === 0,
  );
  const text = (lastIsDeleted ? "" : eol) + lines.join(eol) + (lines.at(-1) === "" ? eol : "");
  return { start: index.text.length, end: index.text.length, text };
}

/** Gives new lines the endings of the lines that they replace, counted from the end if both end alike. */
function replacement(index: AnchorIndex, old: readonly AnchorLine[], lines: readonly string[]): string {
  let foot = 0;
  while (foot < Math.min(old.length, lines.length) && old.at(-1 - foot)!.text === lines.at(-1 - foot)) foot++;
  const eolAt = (at: number): Eol => {
    const fromEnd = lines.length - at;
    const twin = fromEnd <= foot ? old.length - fromEnd : Math.min(at, old.length - 1);
    return old[twin]!.eol || eolNear(index.lines, old[twin]!.number - 1);
  };
  return lines.map((line, at) => (at === lines.length - 1 ? line : line + eolAt(at))).join("");
}
