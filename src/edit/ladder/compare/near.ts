// Windows of the file that are the old text but for a line or two.

import type { Lookup } from "./lookup.ts";

export interface NearWindow {
  /** Index of its first line. */
  readonly first: number;
  /** Old lines that differ. */
  readonly differing: readonly number[];
}

/** Windows of as many lines with at most `most` differing ones; undefined when there is too much to look at. */
export function nearWindows(
  { ids, idsOf }: Lookup,
  oldLines: readonly string[],
  most: number,
): NearWindow[] | undefined {
  const old = idsOf(oldLines);
  const windows: NearWindow[] = [];
  let steps = MOST_STEPS;
  for (let first = 0; first + old.length <= ids.length; first++) {
    const differing: number[] = [];
    let at = 0;
    for (; at < old.length && differing.length <= most; at++) {
      if (ids[first + at] !== old[at]) differing.push(at);
    }
    steps -= at;
    if (steps < 0) return undefined;
    if (differing.length <= most) windows.push({ first, differing });
  }
  return windows;
}

const MOST_STEPS = 20_000_000;
