// The spans that the operations of a batch act on: the rules for two that meet, and the splices they make.
import { refuse } from "../../words/index.ts";
import type { Eol } from "../text/lines.ts";
import type { Splice } from "../text/splice.ts";
import type { AnchorIndex, AnchorLine } from "./lines.ts";
import type { OperationName, ParsedOperation } from "./operations.ts";
import type { AutoCorrection } from "./resolve.ts";

/** Lines `from` to `to` (0-based, end-exclusive) become the operation's lines. An insertion has `from === to`. */
export interface Target {
  readonly operation: ParsedOperation;
  readonly from: number;
  readonly to: number;
  /** The line the operation names, 1-based; for a range its first. */
  readonly line: number;
}

export function targetOf(operation: ParsedOperation, first: number, last: number): Target {
  if (operation.op === "insert_after") return { operation, from: first, to: first, line: first };
  const from = Math.max(first - 1, 0);
  if (operation.op === "insert_before") return { operation, from, to: from, line: first };
  return { operation, from, to: last, line: first };
}

/**
 * In the order of the text: what is inserted after a line stands right behind it, what is inserted before a line right in
 * front of that, and insertions at the same anchor keep the order of the batch.
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

/** Spans that share a line, insertions inside a span, and insertions on both sides of one line. */
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

/** Replacing a line and inserting beside it is one replacement: allowed, and said. */
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
 * A replacement never touches the line end after its last line, an insertion takes the line end of the line it is
 * anchored to, a deletion takes its lines with their own ends and nothing else. A file whose last line has no newline
 * stays without one, also when lines are appended.
 */
export function splicesOf(index: AnchorIndex, targets: readonly Target[]): Splice[] {
  const ordered = inTextOrder(targets);
  const atOpenEnd = (target: Target) => index.isUnterminated && target.from === index.count;
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
    const eol = eolNear(index, target.line);
    return { start: at, end: at, text: operation.lines.map((line) => line + eol).join("") };
  }
  const end = last.start + last.text.length;
  if (operation.lines.length === 0) return { start: first.start, end: end + last.eol.length, text: "" };
  const vanishes = last.eol === "" && operation.lines.at(-1) === "" && !tailFollows;
  return {
    start: first.start,
    end,
    text: replacement(index, old, operation.lines) + (vanishes ? eolNear(index, to) : ""),
  };
}

/** Lines after a last line without newline: they bring the line end that is missing there, and leave it out at their own end. */
function appendToOpenEnd(index: AnchorIndex, all: readonly Target[], tail: readonly Target[]): Splice {
  const total = index.count;
  const eol = eolNear(index, total);
  const lines = tail.flatMap((target) => target.operation.lines);
  const lastIsDeleted = all.some(
    (target) => target.to === total && target.from < total && target.operation.lines.length === 0,
  );
  const text = (lastIsDeleted ? "" : eol) + lines.join(eol) + (lines.at(-1) === "" ? eol : "");
  return { start: index.text.length, end: index.text.length, text };
}

/** New lines take the line ends of the lines whose place they take, counted from the end where both texts end alike. */
function replacement(index: AnchorIndex, old: readonly AnchorLine[], lines: readonly string[]): string {
  let foot = 0;
  while (foot < Math.min(old.length, lines.length) && old.at(-1 - foot)!.text === lines.at(-1 - foot)) foot++;
  const eolAt = (at: number): Eol => {
    const fromEnd = lines.length - at;
    const twin = fromEnd <= foot ? old.length - fromEnd : Math.min(at, old.length - 1);
    return old[twin]!.eol || eolNear(index, old[twin]!.number);
  };
  return lines.map((line, at) => (at === lines.length - 1 ? line : line + eolAt(at))).join("");
}

/** The line end of a line, or of the line before it when it has none, or LF in a text without any. */
function eolNear(index: AnchorIndex, number: number): Exclude<Eol, ""> {
  return index.lineAt(number)?.eol || index.lineAt(number - 1)?.eol || "\n";
}
