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
  /** Those of its hits whose text is not UTF-8 and therefore shown in Latin-1. */
  readonly latin1?: ReadonlySet<GrepHit>;
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
