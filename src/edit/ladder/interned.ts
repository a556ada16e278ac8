// Lines as numbers: equal lines get the same number, so that long blocks are compared quickly.

import { normal, type Tolerance } from "./normal.ts";

export interface Interned {
  readonly file: Int32Array;
  readonly old: Int32Array;
}

/** Numbers of the file's lines and of old text under `tolerance`. */
export function intern(fileLines: readonly string[], oldLines: readonly string[], tolerance: Tolerance): Interned {
  const ids = new Map<string, number>();
  const old = Int32Array.from(oldLines, (line) => {
    const key = normal(line, tolerance);
    const known = ids.get(key);
    if (known !== undefined) return known;
    ids.set(key, ids.size);
    return ids.size - 1;
  });
  // What old text does not contain need not be told apart.
  const file = Int32Array.from(fileLines, (line) => ids.get(normal(line, tolerance)) ?? -1);
  return { file, old };
}
