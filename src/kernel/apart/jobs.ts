// The work that may run apart from everything else: pure functions over texts, each of which takes and gives plain data.

import { anchorIndex, editByAnchors } from "../../edit/anchors/index.ts";
import { anchoredDiff } from "../../edit/anchors/lines/diff.ts";
import { type AnchorView, type ReadWindow, renderAnchors } from "../../edit/anchors/lines/render.ts";
import { freshAnchors } from "../../edit/anchors/resolve/fresh.ts";
import { changedPart } from "../../edit/diff/changed-part.ts";
import { merge3 } from "../../edit/diff/merge.ts";
import { spliceDiff } from "../../edit/diff/splice-diff.ts";
import { unifiedDiff } from "../../edit/diff/unified.ts";
import { ladder } from "../../edit/ladder/index.ts";
import { type ExactEdit, type ReplaceResult, replaceEdits } from "../../edit/replace/replace.ts";
import { replaceFirst } from "../../edit/replace/replace-first.ts";
import { occurrences } from "../../edit/text/occurrences.ts";
import { outlinePatch, planOutlined } from "./patch-jobs.ts";

const MOST_RANGES = 100;

export const JOBS = {
  anchoredDiff,
  editByAnchors,
  freshAnchors,
  ladder,
  merge3,
  outlinePatch,
  planOutlined,
  readAnchors: (text: string, window: ReadWindow): AnchorView => renderAnchors(anchorIndex(text), window),
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

/** What of it is to be weighed: of two versions of one text, the second is work only where it differs from the first. */
export function worked(job: keyof Jobs, given: readonly unknown[]): readonly unknown[] {
  if (job !== "anchoredDiff" && job !== "unifiedDiff") return given;
  const [before, after, ...rest] = given as Parameters<Jobs["unifiedDiff"]>;
  if (before.length + after.length > MOST_COMPARED) return given;
  const changed = changedPart(before, after, 0, 0);
  return [before, changed.before, changed.after, ...rest];
}

/** Characters: more are not looked at only to know how many are equal. */
const MOST_COMPARED = 512 * 1024;

/**
 * Whether a job may take long although its texts are short: the ladder compares lines of one with lines of the other. What
 * is there to the letter, once, it finds at a glance.
 */
export function isSteep(job: keyof Jobs, given: readonly unknown[]): boolean {
  if (job !== "ladder") return false;
  const [text, oldText, newText] = given as Parameters<Jobs["ladder"]>;
  if (linesIn(text) * (linesIn(oldText) + linesIn(newText)) <= MOST_PAIRS) return false;
  return /^\s/.test(oldText) || occurrences(text, oldText, 2).length !== 1;
}

/** A tenth of a second at worst. A page of old text in a file of two thousand lines has fewer. */
const MOST_PAIRS = 250_000;

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
