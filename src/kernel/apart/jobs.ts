// The work that may run apart from everything else: pure functions over texts, each of which takes and gives plain data.

import { anchorIndex, editByAnchors } from "../../edit/anchors/index.ts";
import { anchoredDiff } from "../../edit/anchors/lines/diff.ts";
import { refuseManyLines } from "../../edit/anchors/lines/line-index.ts";
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
import { type Splice, sortSplices } from "../../edit/text/splice.ts";
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
  readAnchors: (text: string, window: ReadWindow): AnchorView => {
    refuseManyLines(text);
    return renderAnchors(anchorIndex(text), window);
  },
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

/**
 * What of it is to be weighed: of two versions of one text, the second is work only where it differs from the first. A
 * diff that is made from splices looks only at what lies between the first and the last of them.
 */
export function worked(job: keyof Jobs, given: readonly unknown[]): readonly unknown[] {
  if (job === "spliceDiff") {
    const [text, splices, ...rest] = given as Parameters<Jobs["spliceDiff"]>;
    return [spliced(text, splices), splices, ...rest];
  }
  if (job !== "anchoredDiff" && job !== "unifiedDiff") return given;
  const [before, after, ...rest] = given as [string, string | readonly Splice[]];
  if (typeof after !== "string") return [before, spliced(before, after), after, ...rest];
  if (before.length + after.length > MOST_COMPARED) return given;
  const changed = changedPart(before, after, 0, 0);
  return [before, changed.before, changed.after, ...rest];
}

/** Characters: more are not looked at only to know how many are equal. */
const MOST_COMPARED = 2 * 1024 * 1024;

function spliced(text: string, splices: readonly Splice[]): string {
  const sorted = sortSplices(splices);
  return text.slice(sorted[0]?.start ?? 0, sorted.at(-1)?.end ?? 0);
}

/**
 * Whether a job is soon done although its text is long: it takes some steps for every line, or finds what is there to the
 * letter, once. Sending the text to another process and back would take several times as long.
 */
export function isLight(job: keyof Jobs, given: readonly unknown[]): boolean {
  const [text, ...rest] = worked(job, given);
  if (typeof text !== "string" || text.length > MOST_LIGHT.characters) return false;
  if (job === "replaceEdits") {
    const edits = rest[0] as readonly ExactEdit[];
    return edits.length <= MOST_LIGHT.edits && edits.every(({ oldText }) => isThereOnce(text, oldText));
  }
  if (job === "ladder") return isThereOnce(text, rest[0] as string);
  return BY_LINES.has(job) && linesIn(text) <= MOST_LIGHT.lines;
}

/** Some ten milliseconds of work at most. */
const MOST_LIGHT = { characters: 1024 * 1024, lines: 20_000, edits: 16 };
const BY_LINES: ReadonlySet<keyof Jobs> = new Set(["anchoredDiff", "editByAnchors", "readAnchors"]);

function isThereOnce(text: string, oldText: string): boolean {
  return occurrences(text, oldText, 2).length === 1;
}

/**
 * Whether a job may take long although its texts are short: the ladder compares lines of one with lines of the other. What
 * is there to the letter, once, it finds at a glance.
 */
export function isSteep(job: keyof Jobs, given: readonly unknown[]): boolean {
  if (job !== "ladder") return false;
  const [text, oldText, newText] = given as Parameters<Jobs["ladder"]>;
  if (linesIn(text) * (linesIn(oldText) + linesIn(newText)) <= MOST_PAIRS) return false;
  return /^\s/.test(oldText) || !isThereOnce(text, oldText);
}

/** A tenth of a second at worst. A page of old text in a file of two thousand lines has fewer. */
const MOST_PAIRS = 250_000;

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
