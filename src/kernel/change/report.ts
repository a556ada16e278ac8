// What a change did, told per file: versions, sizes, diff.
import type { Path, Sha, Version } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { spliceDiff } from "../../edit/diff/splice-diff.ts";
import { unifiedDiff } from "../../edit/diff/unified.ts";
import type { Splice } from "../../edit/text/splice.ts";
import { apart, isLarge } from "../apart/apart.ts";
import type { Jobs } from "../apart/jobs.ts";
import { decode } from "../text/text.ts";
import type { Planned } from "./plan.ts";

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
  /** As `beforeText`, of the new version. */
  readonly afterText: string | null | undefined;
  /** What was replaced, if the edit was given as splices. */
  readonly splices?: readonly Splice[];
  /** Unified diff, made on first use. */
  readonly diff: {
    readonly text: string;
    readonly insertions: number;
    readonly deletions: number;
    /** The text was cut off, or left out because of its size; the counts of a text that was cut off are whole. */
    readonly truncated: boolean;
  };
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
  const report = new Report(planned, maxBytes, rebased);
  if (isLarge(Math.max(planned.current.version?.size ?? 0, planned.after?.size ?? 0))) await report.makeDiff(deadline);
  return report;
}

/** Its getters are shared by all: a literal would make three functions for each report, which outlive it by a while. */
class Report implements ChangedFile {
  readonly path: Path;
  readonly raw: string;
  readonly before: Sha | null;
  readonly after: Sha | null;
  readonly size: number;
  readonly splices?: readonly Splice[];
  readonly movedFrom?: Path;
  readonly rebased?: NonNullable<ChangedFile["rebased"]>;
  declare readonly beforeText: string | null | undefined;
  declare readonly afterText: string | null | undefined;
  declare readonly diff: ChangedFile["diff"];
  readonly #planned: Planned;
  readonly #maxBytes: number;
  /** Null: not yet asked for. */
  #beforeText: { readonly text: string | null | undefined } | null = null;
  #afterText: { readonly text: string | null | undefined } | null = null;
  #diff: ChangedFile["diff"] | null = null;

  constructor(planned: Planned, maxBytes: number, rebased: ChangedFile["rebased"]) {
    const { current, after, splices, movedFrom } = planned;
    this.path = current.path;
    this.raw = current.raw;
    this.before = current.version?.sha ?? null;
    this.after = after?.sha ?? null;
    this.size = after?.size ?? 0;
    if (splices !== undefined) this.splices = splices;
    if (movedFrom !== undefined) this.movedFrom = movedFrom;
    if (rebased !== undefined) this.rebased = rebased;
    this.#planned = planned;
    this.#maxBytes = maxBytes;
    // Its own, as all of it is: a report may be copied, or written as JSON.
    Object.defineProperties(this, Report.#LAZY);
  }

  async makeDiff(deadline: Deadline): Promise<void> {
    this.#diff = await made(this.#job(), deadline);
  }

  static readonly #LAZY = {
    beforeText: {
      enumerable: true,
      get(this: Report) {
        const { current } = this.#planned;
        this.#beforeText ??= { text: current.version === null ? null : ifText(() => current.text.body) };
        return this.#beforeText.text;
      },
    },
    afterText: {
      enumerable: true,
      get(this: Report) {
        const { body, after } = this.#planned;
        this.#afterText ??= { text: body ?? textOf(after, this.raw) };
        return this.#afterText.text;
      },
    },
    diff: {
      enumerable: true,
      get(this: Report) {
        this.#diff ??= madeHere(this.#job());
        return this.#diff;
      },
    },
  };

  #job(): DiffJob | ChangedFile["diff"] {
    const { path, beforeText: from, splices } = this;
    const maxBytes = this.#maxBytes;
    if (splices !== undefined && typeof from === "string")
      return { job: "spliceDiff", given: [from, splices, { path, maxBytes }] };
    const { current, after } = this.#planned;
    if (Math.max(current.version?.size ?? 0, after?.size ?? 0) > LIMITS.sliceBytes) return LEFT_OUT;
    const to = this.afterText;
    if (from === undefined || to === undefined) return BINARY;
    const missing = { ...(from === null && { fromPath: null }), ...(to === null && { toPath: null }) };
    return { job: "unifiedDiff", given: [from ?? "", to ?? "", { path, ...missing, maxBytes }] };
  }
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
const LEFT_OUT = { text: "Diff left out: the file is too large.\n", insertions: 0, deletions: 0, truncated: true };
const BINARY = { text: "Binary files differ\n", insertions: 0, deletions: 0, truncated: false };

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
