// What a search asks of an engine, and what every engine answers.
import type { Path } from "../core/backend.ts";
import type { GrepHit } from "./grep.ts";
import type { Pattern } from "./pattern.ts";
import type { Tally } from "./progress.ts";
import type { Searcher } from "./searches-at-once.ts";

export interface Wanted {
  readonly pattern: Pattern;
  readonly mode: "lines" | "files" | "count";
  readonly firstPerLine: boolean;
  readonly before: number;
  readonly after: number;
  readonly maxFileBytes: number | undefined;
  /** Only lines that end so. */
  readonly ends?: "lf" | "crlf";
  /** In order, and no further than this path. */
  readonly until?: Path;
  /** Only these files, which are in order. */
  readonly paths?: readonly Path[];
  /** As many hits (files, in the other modes) are enough, the first ones in order. */
  readonly enough: number;
}

/** What goes with one call through every step. */
export interface SearchCall extends Searcher {
  readonly tally: Tally;
}

export interface FileHits {
  readonly path: Path;
  readonly count: number;
  readonly hits: readonly GrepHit[];
}

export interface Found {
  /** In order. */
  readonly files: readonly FileHits[];
  /** There was enough before everything had been read. */
  readonly cut: boolean;
  readonly filesScanned?: number;
  /** What was not searched, in words. */
  readonly notes?: readonly string[];
}

interface Printed {
  readonly path: string;
  readonly line?: number;
  readonly text?: string;
  readonly before?: GrepHit["before"];
  readonly after?: GrepHit["after"];
}

/** The first of them, and as many more as have so many bytes together; a line that two of them show counts twice. */
export function within<T extends Printed>(maxBytes: number, items: readonly T[]): readonly T[] {
  let bytes = 0;
  const end = items.findIndex(({ path, text: found = "", before = [], after = [] }) => {
    for (const { text } of [...before, { text: found }, ...after])
      bytes += Buffer.byteLength(path) + Buffer.byteLength(text) + LINE_MARKS;
    return bytes > maxBytes;
  });
  return end === -1 ? items : items.slice(0, Math.max(1, end));
}

/** Its number, and what stands between. */
const LINE_MARKS = 8;
