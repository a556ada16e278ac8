// Reports what a change did to one file: versions, sizes, diff.
import type { Path, Sha } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { ifRefused, Refusal } from "../../core/failure.ts";
import { LIMITS, type Limits } from "../../core/limits.ts";
import { aroundSplices, type UnifiedDiff as Diff, unifiedDiff } from "../../edit/diff/unified.ts";
import type { Splice } from "../../edit/text/splice.ts";
import { isLarge, runInWorker } from "../run-in-worker.ts";
import { decode } from "../text/text.ts";
import type { Step } from "./plan.ts";
import { diffOf } from "./stale.ts";

/** What a change did to one file. */
export interface ChangedFile {
  /** Where it is. */
  readonly path: Path;
  /** As the caller wrote it. */
  readonly raw: string;
  /** The version that was replaced; null for a new file. */
  readonly before: Sha | null;
  /** The version that is there now; null for a deleted file. */
  readonly after: Sha | null;
  /** Bytes now. */
  readonly size: number;
  /** Where the file came from, if it was moved. */
  readonly movedFrom?: Path;
  /** Texts before and after; null where there is no file, undefined where it is not text. Decoded on first use. */
  readonly beforeText: string | null | undefined;
  /** The text after the change, as `beforeText`. */
  readonly afterText: string | null | undefined;
  /** What was replaced, if the edit was given as splices. */
  readonly splices?: readonly Splice[];
  /** Unified diff, made on first use. */
  readonly diff: Diff;
  /** Set when the edit was merged into a version newer than the one the caller named. */
  readonly rebased?: { readonly base: Sha; readonly theirDiff?: string | undefined };
}

/** The diff of a large file is made in a worker; that of a small one on first use. */
export async function fileReport({ planned, base }: Step, limits: Limits, deadline: Deadline): Promise<ChangedFile> {
  const { current, after, splices, movedFrom } = planned;
  const { path, raw, version } = current;
  const rebased = base && { base: base.sha, theirDiff: (await diffOf(base, version!, raw, limits))?.text };
  const size = Math.max(version?.size ?? 0, after?.size ?? 0);
  const before = onFirstUse(() => (version === null ? null : ifText(() => current.text.body)));
  const now = onFirstUse(() => (after === null ? null : ifText(() => decode(after.parts, { path: raw }).body)));
  const sides = (): Parameters<typeof unifiedDiff> | Diff => {
    const options = { path, maxBytes: limits.diffBytes };
    const from = before();
    if (splices !== undefined && typeof from === "string") {
      const { linesBefore, ...part } = aroundSplices(from, splices);
      return [part.before, part.after, { ...options, linesBefore }];
    }
    if (size > LIMITS.sliceBytes) return LEFT_OUT;
    const to = now();
    if (from === undefined || to === undefined) return BINARY;
    return [
      from ?? "",
      to ?? "",
      { ...options, fromPath: from === null ? null : path, toPath: to === null ? null : path },
    ];
  };
  const made = isLarge(size) ? await largeDiff(sides(), deadline) : undefined;
  const diff = onFirstUse(() => {
    const compared = sides();
    return "text" in compared ? compared : unifiedDiff(...compared);
  });
  return {
    path,
    raw,
    before: version?.sha ?? null,
    after: after?.sha ?? null,
    size: after?.size ?? 0,
    splices,
    movedFrom,
    rebased,
    get beforeText() {
      return before();
    },
    get afterText() {
      return now();
    },
    get diff() {
      return made ?? diff();
    },
  };
}

/** A change is not refused for want of its diff. */
async function largeDiff(sides: Parameters<typeof unifiedDiff> | Diff, deadline: Deadline): Promise<Diff> {
  if ("text" in sides) return sides;
  try {
    return await runInWorker("unifiedDiff", sides, deadline);
  } catch (error) {
    if (error instanceof Refusal && error.reason === "out_of_memory") return LEFT_OUT;
    throw error;
  }
}

function onFirstUse<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Comparing many megabytes line by line would keep everything else waiting. */
const LEFT_OUT = { text: "Diff left out: the file is too large.\n", insertions: 0, deletions: 0, truncated: true };
const BINARY = { text: "Binary files differ\n", insertions: 0, deletions: 0, truncated: false };

function ifText(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    return ifRefused(undefined)(error);
  }
}
