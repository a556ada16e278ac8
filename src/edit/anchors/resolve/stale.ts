// Anchors that lead nowhere: why, as far as is known, and the lines that may have been meant.

import { linesBetween } from "../../../core/counted.ts";
import { Refusal } from "../../../core/failure.ts";
import { already } from "../../ladder/refuse.ts";
import { numbersOf, sequenceOccurrences } from "../../text/occurrences.ts";
import { lineDigest } from "../lines/hash.ts";
import type { AnchorIndex } from "../lines/line-index.ts";
import { preview } from "../lines/preview.ts";
import { type Anchor, type ParsedOperation, withoutPosition } from "../operations.ts";
import type { Unresolved } from "./ambiguous.ts";
import type { Snapshot } from "./resolve.ts";

export const READ_AGAIN = "Read the file again with hashes and use the new anchors.";
const NOTHING_LEFT =
  "If that is this change, nothing is left to do; else read the file again with hashes and use the new anchors.";
const ENOUGH_TO_COMPARE = 6;
const MOST_NEAR = 3;

/** `alone`: the batch has one operation. */
export function staleAnchors(unresolved: readonly Unresolved[], file: Snapshot, alone: boolean): Refusal {
  const { current, seen } = file;
  const done = alone ? appliedAt(unresolved[0]!.operation, current) : undefined;
  if (done?.whole)
    return already(
      { startLine: done.first, endLine: done.last },
      "The whole file already is the new text, and no line of it has this hash.",
    );
  const near = nearLines(unresolved, file);
  return new Refusal("anchor_stale", `${reasonsOf(unresolved, file)}.${nearWords(near)}${doneWords(done)}`, {
    next: done !== undefined ? NOTHING_LEFT : (unresolved[0]!.resolution.next ?? nextAction(near, unresolved, current)),
    details: {
      suggested_action: "re-read_file",
      error_family: "anchor_stale",
      missingHashes: [...new Set(unresolved.map(({ anchor }) => anchor.given))],
      file_version: current.fileVersion,
      ...(near.length > 0 && { nearest: near }),
      ...(done && { new_text_at: [done.first, done.last] }),
      ...(seen && { seen_file_version: seen.index.fileVersion, changed: changedLines(unresolved, file) }),
    },
  });
}

function reasonsOf(unresolved: readonly Unresolved[], file: Snapshot): string {
  const unknown = unresolved.filter(({ resolution }) => resolution.why === undefined).map(({ anchor }) => anchor.given);
  const missing = `no line of the current file has the hash ${[...new Set(unknown)].join(" or ")}`;
  const others = unresolved.flatMap(({ resolution: { why, seenLine } }) => why && why + nowWords(seenLine, file));
  const reasons = [...(unknown.length > 0 ? [missing] : []), ...others.filter((why) => why !== undefined)].join("; ");
  if (unresolved.every(({ resolution }) => resolution.unshown))
    return `These anchors may be of another version of the file: ${reasons}`;
  if (file.seen || file.crossVersion) return `The file has changed since these anchors were read: ${reasons}`;
  const because = file.known.shown
    ? "the file is as you last read or edited it, so the anchor is mistyped or of an older version"
    : "you have not read the file in this session, so it may have changed since";
  return `${reasons.charAt(0).toUpperCase()}${reasons.slice(1)}; ${because}`;
}

/** What stands now where a line has changed, with its anchor. */
function nowWords(seenLine: number | undefined, { seen, current }: Snapshot): string {
  const now = seenLine === undefined ? undefined : seen?.placeOf(seenLine);
  return now === undefined || now.from > now.to
    ? ""
    : ` and is now ${current.anchor(now.from)}: "${preview(current.line(now.from).text)}"`;
}

interface NearLine {
  readonly field: Anchor["field"];
  readonly hash: string;
  readonly line: number;
  readonly anchor: string;
  readonly preview: string;
}

/** The line whose number was given, and lines with this hash, or one typo away: those that their hash alone can name. */
function nearLines(unresolved: readonly Unresolved[], { current }: Snapshot): NearLine[] {
  const near = unresolved.flatMap(({ anchor: { field, given, prefix, line }, resolution }) => {
    const { why, candidates, unshown, seenLine } = resolution;
    if (unshown || seenLine !== undefined || (why !== undefined && candidates.length !== 1)) return [];
    const typos = prefix.length < ENOUGH_TO_COMPARE ? [] : current.lines.filter(({ digest }) => isTypo(prefix, digest));
    const hinted = current.lineAt(line ?? 0) ?? [];
    const meant = candidates.length > 0 ? candidates.map((at) => current.line(at)) : [...typos, ...[hinted].flat()];
    const usable = [...new Set(meant)].filter(({ quality, occurrences }) => quality !== "low" && occurrences === 1);
    return usable.slice(0, MOST_NEAR).map(({ number, text }) => {
      return { field, hash: given, line: number, anchor: current.anchor(number), preview: preview(text) };
    });
  });
  return near.slice(0, MOST_NEAR);
}

/** One character wrong, left out or too many, or two that changed places. */
function isTypo(given: string, digest: string): boolean {
  const { length } = given;
  let at = 0;
  while (at < length && given[at] === digest[at]) at++;
  const [rest, after] = [given.slice(at), given.slice(at + 1)];
  const swapped = `${given[at + 1] ?? ""}${given[at] ?? ""}${given.slice(at + 2)}`;
  return (
    after === digest.slice(at + 1, length) ||
    rest === digest.slice(at + 1, length + 1) ||
    after === digest.slice(at, length - 1) ||
    swapped === digest.slice(at, length)
  );
}

function nearWords(near: readonly NearLine[]): string {
  const lines = near.map(({ line, anchor, preview }) => `line ${line} is ${anchor}: "${preview}"`);
  return lines.length === 0 ? "" : ` Nearest: ${lines.join("; ")}.`;
}

function doneWords(done: AppliedAt | undefined): string {
  return done === undefined ? "" : ` The new text is already there, at ${linesBetween(done.first, done.last)}.`;
}

/** Of each end of a range the nearest line. */
function nextAction(near: readonly NearLine[], unresolved: readonly Unresolved[], current: AnchorIndex): string {
  if (current.count === 0) return "The file is empty: use insert_after with the hash d41d8c to add its first lines.";
  const first = near.filter(
    ({ hash, field }, n) => near.findIndex((one) => one.hash === hash && one.field === field) === n,
  );
  const sends = first.map(({ field, line, anchor }) => {
    const sent = unresolved.find((each) => each.anchor.field === field)!.anchor;
    return `If line ${line} is meant, send ${field === "hash" ? "" : `"${field}": `}"${anchor}"${withoutPosition(sent)}; `;
  });
  return sends.length === 0
    ? READ_AGAIN
    : `${sends.join("").replaceAll("; If", "; if")}else read the file again with hashes.`;
}

function changedLines(unresolved: readonly Unresolved[], { seen, current }: Snapshot) {
  return unresolved.flatMap(({ anchor, resolution: { seenLine } }) => {
    if (seen === undefined || seenLine === undefined) return [];
    const now = seen.placeOf(seenLine);
    return {
      hash: anchor.given,
      line: seenLine,
      was: preview(seen.index.line(seenLine).text),
      ...(now.from <= now.to && { now_lines: [now.from, now.to], now: preview(current.line(now.from).text) }),
    };
  });
}

interface AppliedAt {
  readonly first: number;
  readonly last: number;
  /** The file has no other line. */
  readonly whole: boolean;
}

// Less than this may well stand somewhere by chance.
const LEAST_WEIGHT = 12;

/** An operation that was made before: its new text stands in the file, and nowhere twice. */
function appliedAt({ lines }: ParsedOperation, index: AnchorIndex): AppliedAt | undefined {
  const total = index.count;
  if (lines.length === 0 || lines.length > total) return undefined;
  const whole = lines.length === total && lines.every((line, at) => line === index.line(at + 1).text);
  if (whole) return { first: 1, last: total, whole };
  if (lines.join("").replace(/[\s{}()[\],;'"`]/g, "").length < LEAST_WEIGHT) return undefined;
  const ids = new Map<string, number>();
  const wanted = numbersOf(lines.map(lineDigest), ids);
  const have = Int32Array.from(index.lines, ({ digest }) => ids.get(digest) ?? -1);
  const [at, another] = sequenceOccurrences(have, wanted);
  return at === undefined || another !== undefined ? undefined : { first: at + 1, last: at + lines.length, whole };
}
