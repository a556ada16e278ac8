// The request of a grep to an engine, and the answer of every engine.
import type { Path } from "../core/backend.ts";
import type { GrepHit } from "./grep.ts";
import type { Pattern } from "./pattern.ts";

export interface Wanted {
  readonly pattern: Pattern;
  readonly mode: "lines" | "files" | "count";
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
  readonly tooLarge?: readonly Path[];
}

/** The line number and what separates it. */
const LINE_MARKS = 8;

/** The first item, and as many more as have at most `maxBytes` together. */
export function withinBytes<T extends { readonly path: Path } & Partial<GrepHit>>(
  maxBytes: number,
  items: readonly T[],
): readonly T[] {
  let bytes = 0;
  const end = items.findIndex(({ path, text: found = "", before = [], after = [] }) => {
    for (const { text } of [...before, { text: found }, ...after])
      bytes += Buffer.byteLength(path) + Buffer.byteLength(text) + LINE_MARKS;
    return bytes > maxBytes;
  });
  return end === -1 ? items : items.slice(0, Math.max(1, end));
}

/** Of a named file only: in a tree, binary files are passed over silently. */
export function binaryNote(path: string): string {
  return `${path} has NUL characters: it is taken for binary, and binary files are not searched.`;
}
