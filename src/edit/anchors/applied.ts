// An operation that was made before: its new text stands in the file, and nowhere twice.
import { numbersOf, sequenceOccurrences } from "../text/occurrences.ts";
import { lineDigest } from "./lines/hash.ts";
import type { AnchorIndex } from "./lines/line-index.ts";
import type { ParsedOperation } from "./operations.ts";

export interface AppliedAt {
  readonly first: number;
  readonly last: number;
  /** The file has no other line. */
  readonly whole: boolean;
}

// Less than this may well stand somewhere by chance.
const LEAST_WEIGHT = 12;

export function appliedAt({ lines }: ParsedOperation, index: AnchorIndex): AppliedAt | undefined {
  const total = index.count;
  if (lines.length === 0 || lines.length > total) return undefined;
  const whole = lines.length === total && lines.every((line, at) => line === index.line(at + 1).text);
  if (whole) return { first: 1, last: total, whole };
  if (lines.join("").replace(/[\s{}()[\],;'"`]/g, "").length < LEAST_WEIGHT) return undefined;
  const ids = new Map<string, number>();
  const wanted = numbersOf(lines.map(lineDigest), ids);
  const have = Int32Array.from(index.lines, ({ digest }) => ids.get(digest) ?? -1);
  const [at, another] = sequenceOccurrences(have, wanted);
  return at === undefined || another !== undefined ? undefined : { first: at + 1, last: at + lines.length, whole };
}
