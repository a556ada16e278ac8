// What a search asks of an engine, and what every engine answers.
import type { Path } from "../backends/backend.ts";
import type { GrepHit } from "./grep.ts";
import type { Pattern } from "./pattern.ts";

export interface Wanted {
  readonly pattern: Pattern;
  readonly mode: "lines" | "files" | "count";
  readonly firstPerLine: boolean;
  readonly before: number;
  readonly after: number;
  readonly maxFileBytes: number | undefined;
  /** As many hits (files, in the other modes) are enough, the first ones in order. */
  readonly enough: number;
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
}
