// Indexes of closed segments: read where they fit the segment, made where they are missing. Without them all is answered too, slower.
import fs from "node:fs";
import type { LogFilter, Sha, Use } from "../../../core/backend.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { ENDING_BYTES, hashOfEnding } from "../../journal/entry.ts";
import { closeQuietly } from "../io.ts";
import { type Derived, readDerived, writeDerived } from "./derived-file.ts";
import { openToRead, paddedSeq, segmentPath } from "./segment.ts";
import {
  type Described,
  describes,
  type IndexParts,
  type LineAt,
  linesFor,
  summarised,
  usesIn,
} from "./segment-index.ts";

/** A segment after which another one was started: nothing is added to it any more. */
export interface ClosedSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly path: string;
}

export interface Indexes {
  /** Of entries that may fit. Null when the segment itself must be read through. */
  lines(segment: ClosedSegment, filter: LogFilter): readonly LineAt[] | null;
  uses(segment: ClosedSegment, shas: ReadonlySet<Sha>): Iterable<Use> | null;
  /** Does nothing where there is one. */
  make(firstSeq: number, lastSeq: number): void;
}

/** `key`: known to this state's record alone. An index with another mark is none. */
export function openIndexes(dir: string, key: string): Indexes {
  /** Where none can be written, making them for every question would cost more than they save. */
  let canWrite = true;

  const pathOf = ({ firstSeq }: ClosedSegment, part: keyof IndexParts): string =>
    `${dir}/${paddedSeq(firstSeq)}.${part}`;

  function found(segment: ClosedSegment, described: Described, part: keyof IndexParts): Derived | null {
    const derived = readDerived(pathOf(segment, part), key, JOURNAL_LIMITS.indexBytes);
    return derived !== null && describes(derived, described) ? derived : null;
  }

  function made(segment: ClosedSegment, described: Described, fd: number): IndexParts | null {
    if (!canWrite) return null;
    const parts = summarised(fd, described);
    try {
      for (const part of ["index", "uses"] as const)
        if (parts !== null) writeDerived(pathOf(segment, part), key, parts[part], JOURNAL_LIMITS.indexBytes);
    } catch {
      canWrite = false;
    }
    return parts;
  }

  /** Null also where anything is wrong: reading the segment itself tells what. */
  function withParts<T>(segment: ClosedSegment, wanted: readonly (keyof IndexParts)[], use: Using<T>): T | null {
    try {
      const file = openToRead(segment.path);
      if (file === null) return null;
      try {
        const described = describing(segment, file.fd, file.stat.size);
        if (described === null) return null;
        const known = wanted.map((part) => found(segment, described, part));
        if (known.every((part) => part !== null)) return use(known);
        const parts = made(segment, described, file.fd);
        return parts === null ? null : use(wanted.map((part) => parts[part]));
      } finally {
        closeQuietly(file.fd);
      }
    } catch {
      return null;
    }
  }

  return {
    lines: (segment, filter) => withParts(segment, ["index"], ([index]) => linesFor(index!, filter)),
    uses: (segment, shas) => withParts(segment, ["index", "uses"], ([index, uses]) => usesIn(index!, uses!, shas)),
    make(firstSeq, lastSeq) {
      withParts({ firstSeq, lastSeq, path: segmentPath(dir, firstSeq) }, ["index", "uses"], () => null);
    },
  };
}

type Using<T> = (parts: readonly Derived[]) => T;

function describing({ firstSeq, lastSeq }: ClosedSegment, fd: number, size: number): Described | null {
  const ending = Buffer.alloc(ENDING_BYTES);
  const read = size < ENDING_BYTES ? 0 : fs.readSync(fd, ending, 0, ENDING_BYTES, size - ENDING_BYTES);
  const lastHash = read === ENDING_BYTES ? hashOfEnding(ending) : null;
  return lastHash === null ? null : { firstSeq, lastSeq, size, lastHash: lastHash as Sha };
}
