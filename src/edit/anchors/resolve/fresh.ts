// Where the lines that a batch names stand in the current text, with their anchors: for a caller whose anchors are of another version.

import { counted } from "../../../core/counted.ts";
import type { AnchorIndex } from "../lines/line-index.ts";
import { anchorIndex } from "../lines/line-index.ts";
import { renderLine } from "../lines/render.ts";
import { type AnchorOperation, parseOperations } from "../operations.ts";
import { type SeenVersion, seenVersion } from "./seen.ts";

export interface FreshAnchors {
  /** As `read_file` shows them; what is left out in between is counted. */
  readonly lines: readonly string[];
  /** Their numbers. */
  readonly shown: readonly number[];
}

const AROUND = 2;
const MOST_LINES = 40;
const MAX_PLACES = 5;

/** `seenText`: what the anchors were read from, where it is known. */
export function freshAnchors(
  text: string,
  operations: readonly AnchorOperation[],
  seenText: string | undefined,
): FreshAnchors {
  const current = anchorIndex(text);
  const seen = seenText === undefined ? undefined : seenVersion(anchorIndex(seenText), current);
  const shown = new Set<number>();
  for (const { anchors } of parseOperations(operations)) {
    const [first = [], last = []] = anchors.map(({ prefix, line }) => placesOf(prefix, line, current, seen));
    for (const line of [...first, ...last]) addAround(shown, line, current);
    // What a range replaces is shown with it.
    if (anchors.length === 2 && first.length === 1 && last.length === 1) {
      const [from, to] = [Math.min(first[0]!, last[0]!), Math.max(first[0]!, last[0]!)];
      for (let line = from; line <= to && shown.size < MOST_LINES; line++) shown.add(line);
    }
  }
  const sorted = [...shown].sort((a, b) => a - b);
  return { lines: withGaps(sorted, current), shown: sorted };
}

function placesOf(
  prefix: string,
  line: number | undefined,
  current: AnchorIndex,
  seen: SeenVersion | undefined,
): readonly number[] {
  const then = seen?.index.find(prefix) ?? [];
  const meant = line !== undefined && then.includes(line) ? [line] : then.slice(0, MAX_PLACES);
  if (seen === undefined || meant.length === 0) return current.find(prefix).slice(0, MAX_PLACES);
  return meant.map((at) => seen.follow(at) ?? Math.min(seen.placeOf(at).from, current.count)).filter((at) => at > 0);
}

function addAround(shown: Set<number>, line: number, { lines }: AnchorIndex): void {
  for (let at = Math.max(1, line - AROUND); at <= Math.min(lines.length, line + AROUND); at++) {
    if (shown.size < MOST_LINES) shown.add(at);
  }
}

function withGaps(numbers: readonly number[], index: AnchorIndex): string[] {
  return numbers.flatMap((number, n) => {
    const gap = n === 0 ? 0 : number - numbers[n - 1]! - 1;
    const line = renderLine(index, index.line(number));
    return gap === 0 ? [line] : [`... (${counted(gap, "line")})`, line];
  });
}
