// What a change did, told per file: versions, sizes, diff.
import type { Path, Sha, Version } from "../backends/backend.ts";
import type { Splice } from "../edit/splice.ts";
import { unifiedDiff } from "../edit/unified.ts";
import { apart, isLarge } from "./apart.ts";
import type { Planned } from "./change.ts";
import type { Deadline } from "./deadline.ts";
import { Refusal } from "./failure.ts";
import type { Jobs } from "./jobs.ts";
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

/** The diff of a large file is made here, apart from everything else; that of a small one where it is asked for. */
export async function fileReport(
  planned: Planned,
  maxBytes: number,
  deadline: Deadline,
  rebased?: ChangedFile["rebased"],
): Promise<ChangedFile> {
  const { current, after, splices, movedFrom } = planned;
  const beforeText = lazily(() => (current.version === null ? null : ifText(() => current.text.body)));
  const afterText = lazily(() => textOf(after, current.raw));
  const job = (): DiffJob | ChangedFile["diff"] => {
    const from = beforeText();
    if (splices !== undefined && typeof from === "string")
      return { job: "spliceDiff", given: [from, splices, { path: current.path, maxBytes }] };
    if (Math.max(current.version?.size ?? 0, after?.size ?? 0) > LIMITS.sliceBytes) return LEFT_OUT;
    const to = afterText();
    if (from === undefined || to === undefined) return { text: "Binary files differ\n", insertions: 0, deletions: 0 };
    const missing = { ...(from === null && { fromPath: null }), ...(to === null && { toPath: null }) };
    return { job: "unifiedDiff", given: [from ?? "", to ?? "", { path: current.path, ...missing, maxBytes }] };
  };
  const size = Math.max(current.version?.size ?? 0, after?.size ?? 0);
  const diff = isLarge(size) ? always(await made(job(), deadline)) : lazily(() => madeHere(job()));
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

type DiffJob =
  | { readonly job: "spliceDiff"; readonly given: Parameters<Jobs["spliceDiff"]> }
  | { readonly job: "unifiedDiff"; readonly given: Parameters<Jobs["unifiedDiff"]> };

/** A change is not refused for want of its diff. */
async function made(diff: DiffJob | ChangedFile["diff"], deadline: Deadline): Promise<ChangedFile["diff"]> {
  if (!("job" in diff)) return diff;
  try {
    return diff.job === "spliceDiff"
      ? await apart(diff.job, diff.given, deadline)
      : await apart(diff.job, diff.given, deadline);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "file_too_large") return LEFT_OUT;
    throw error;
  }
}

function madeHere(diff: DiffJob | ChangedFile["diff"]): ChangedFile["diff"] {
  if (!("job" in diff)) return diff;
  return diff.job === "spliceDiff" ? spliceDiff(...diff.given) : unifiedDiff(...diff.given);
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

function always<T>(value: T): () => T {
  return () => value;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
