// Windows of the file that are the old text but for a line or two.

import type { Source } from "../source.ts";
import { UNINDENTED } from "./indentation.ts";
import { intern } from "./interned.ts";

export interface NearWindow {
  /** Index of its first line. */
  readonly first: number;
  /** Old lines that differ. */
  readonly differing: readonly number[];
}

/** Windows of as many lines with at most `most` differing ones; undefined when there is too much to look at. */
export function nearWindows(source: Source, oldLines: readonly string[], most: number): NearWindow[] | undefined {
  const ids = intern(
    source.lines.map((line) => line.text),
    oldLines,
    UNINDENTED,
  );
  const windows: NearWindow[] = [];
  let steps = MOST_STEPS;
  for (let first = 0; first + ids.old.length <= ids.file.length; first++) {
    const differing: number[] = [];
    let at = 0;
    for (; at < ids.old.length && differing.length <= most; at++) {
      if (ids.file[first + at] !== ids.old[at]) differing.push(at);
    }
    steps -= at;
    if (steps < 0) return undefined;
    if (differing.length <= most) windows.push({ first, differing });
  }
  return windows;
}

const MOST_STEPS = 20_000_000;
