// The work that may run apart from everything else: pure functions over texts, each of which takes and gives plain data.

import { anchoredDiff } from "../edit/anchors/diff.ts";
import { editByAnchors } from "../edit/anchors.ts";
import { ladder } from "../edit/ladder.ts";
import { merge3 } from "../edit/merge.ts";
import { type ExactEdit, type ReplaceResult, replaceEdits } from "../edit/replace.ts";
import { replaceFirst } from "../edit/replace-first.ts";
import { unifiedDiff } from "../edit/unified.ts";
import { outlinePatch, planOutlined } from "./patch-jobs.ts";
import { spliceDiff } from "./splice-diff.ts";

const MOST_RANGES = 100;

export const JOBS = {
  anchoredDiff,
  editByAnchors,
  ladder,
  merge3,
  outlinePatch,
  planOutlined,
  /** With the first places of each edit only: no answer names more. */
  replaceEdits: (text: string, edits: readonly ExactEdit[]): ReplaceResult => {
    const { splices, applied } = replaceEdits(text, edits);
    return {
      splices,
      applied: applied.map(({ ranges, ...each }) => ({ ...each, ranges: ranges.slice(0, MOST_RANGES) })),
    };
  },
  replaceFirst,
  spliceDiff,
  unifiedDiff,
} as const;

export type Jobs = typeof JOBS;
