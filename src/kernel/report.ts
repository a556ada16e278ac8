// What a change did, told per file: versions, sizes, diff.
import type { Path, Sha, Version } from "../backends/backend.ts";
import type { Splice } from "../edit/splice.ts";
import { unifiedDiff } from "../edit/unified.ts";
import type { Planned } from "./change.ts";
import { Refusal } from "./failure.ts";
import { LIMITS } from "./limits.ts";
import { spliceDiff } from "./splice-diff.ts";
import { decode } from "./text.ts";

export interface ChangedFile {
  readonly path: Path;
  /** As the caller wrote it. */
  readonly raw: string;
  readonly before: Sha | null;
  readonly after: Sha | null;
  readonly size: number;
  readonly movedFrom?: Path;
  /** Texts before and after; null where there is no file, undefined where it is not text. Decoded on first use. */
  readonly beforeText: string | null | undefined;
  readonly afterText: string | null | undefined;
  readonly splices?: readonly Splice[];
  /** Unified diff, made on first use. */
  readonly diff: { readonly text: string; readonly insertions: number; readonly deletions: number };
  /** Set when the edit was replayed on a version newer than the one the caller named. */
  readonly rebased?: { readonly base: Sha; readonly theirDiff?: string };
}

export function fileReport(planned: Planned, maxDiffBytes: number, rebased?: ChangedFile["rebased"]): ChangedFile {
  const { current, after, splices, movedFrom } = planned;
  const beforeText = lazily(() => (current.version === null ? null : ifText(() => current.text.body)));
  const afterText = lazily(() => textOf(after, current.raw));
  const diff = lazily(() => {
    const from = beforeText();
    if (splices !== undefined && typeof from === "string")
      return spliceDiff(from, splices, { path: current.path, maxBytes: maxDiffBytes });
    if (Math.max(current.version?.size ?? 0, after?.size ?? 0) > LIMITS.sliceBytes) return LEFT_OUT;
    const to = afterText();
    if (from === undefined || to === undefined) return { text: "Binary files differ\n", insertions: 0, deletions: 0 };
    const missing = { ...(from === null && { fromPath: null }), ...(to === null && { toPath: null }) };
    return unifiedDiff(from ?? "", to ?? "", { path: current.path, ...missing, maxBytes: maxDiffBytes });
  });
  return {
    path: current.path,
    raw: current.raw,
    before: current.version?.sha ?? null,
    after: after?.sha ?? null,
    size: after?.size ?? 0,
    ...(splices !== undefined && { splices }),
    ...(movedFrom !== undefined && { movedFrom }),
    ...(rebased !== undefined && { rebased }),
    get beforeText() {
      return beforeText();
    },
    get afterText() {
      return afterText();
    },
    get diff() {
      return diff();
    },
  };
}

/** Comparing megabytes line by line would keep everything else waiting. */
const LEFT_OUT = { text: "Diff left out: the file is too large.\n", insertions: 0, deletions: 0 };

function textOf(version: Version | null, path: string): string | null | undefined {
  return version === null ? null : ifText(() => decode(version.parts, { path }).body);
}

function ifText(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
