// The file's lines as numbers: lines that are equal but for blanks and look-alikes get the same one.
import { numbersOf, sequenceOccurrences } from "../../text/occurrences.ts";
import type { Source } from "../../text/source.ts";
import { normal, type Tolerance } from "./normal.ts";

/** What no level tells apart. */
export const LOOSEST: Tolerance = { leading: true, trailing: true, unicode: true, runs: true };

/** Made once for all levels; what is not equal here is equal nowhere. */
export interface Lookup {
  readonly source: Source;
  /** The lines without their terminators, and as the loosest level compares them. */
  readonly lines: readonly string[];
  readonly keys: readonly string[];
  readonly ids: Int32Array;
  /** Numbers of other lines; those the file lacks have negative ones. */
  readonly idsOf: (lines: readonly string[]) => Int32Array;
}

export function lookupOf(source: Source): Lookup {
  const known = new Map<string, number>();
  const lines = source.lines.map((line) => line.text);
  const keys = lines.map((line) => normal(line, LOOSEST));
  const ids = numbersOf(keys, known);
  const idsOf = (others: readonly string[]) =>
    Int32Array.from(others, (line) => known.get(normal(line, LOOSEST)) ?? UNKNOWN);
  return { source, lines, keys, ids, idsOf };
}

const UNKNOWN = -2;

/** Line indices at which `block` stands, compared under `tolerance`. */
export function findLines(lookup: Lookup, block: readonly string[], tolerance: Tolerance): number[] {
  const wanted = block.map((line) => normal(line, tolerance));
  return sequenceOccurrences(lookup.ids, lookup.idsOf(block)).filter((first) =>
    wanted.every((key, at) => normal(lookup.lines[first + at]!, tolerance) === key),
  );
}
