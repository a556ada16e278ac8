// Targets to splices: which bytes change, and which line ends the new lines get.

import type { Eol } from "../text/lines.ts";
import type { Splice } from "../text/splice.ts";
import type { AnchorIndex, AnchorLine } from "./lines/line-index.ts";
import { inTextOrder, type Target } from "./targets.ts";

/**
 * A replacement never touches the line end after its last line, an insertion takes the line end of the line it is
 * anchored to, a deletion takes its lines with their own ends and nothing else. A file whose last line has no newline
 * stays without one, also when lines are appended.
 */
export function splicesOf(index: AnchorIndex, targets: readonly Target[]): Splice[] {
  const ordered = inTextOrder(targets);
  const atOpenEnd = (target: Target) => index.unterminated && target.from === index.count;
  const tail = ordered.filter(atOpenEnd);
  const splices = ordered
    .filter((target) => !atOpenEnd(target))
    .map((target) => spliceOf(index, target, tail.length > 0));
  return tail.length > 0 ? [...splices, appendToOpenEnd(index, ordered, tail)] : splices;
}

function spliceOf(index: AnchorIndex, target: Target, tailFollows: boolean): Splice {
  const { operation, from, to } = target;
  const old = index.slice(from, to);
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
