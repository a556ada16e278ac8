// What an edit changed, as the caller may go on from it: a local diff whose kept and new lines carry their new anchors.

import { counted } from "../../../core/counted.ts";
import { LIMITS } from "../../../core/limits.ts";
import { diffLines, type Region } from "../../diff/diff.ts";
import { CappedLines } from "../../diff/unified.ts";
import { applySplices, type Splice } from "../../text/splice.ts";
import { type AnchorIndex, anchorIndex } from "./line-index.ts";
import { renderLine } from "./render.ts";

const CONTEXT = 3;

export interface AnchoredDiffOptions {
  /** What the two header lines call the file. */
  readonly name?: string;
  /** The version whose lines the caller has anchors of, where that is not the one before: what was repeated there needs its context hash. */
  readonly read?: string | undefined;
  /** Unchanged lines around each change. */
  readonly context?: number;
  /** Longest diff in UTF-8 bytes; long lines are cut, and what is left out is counted. */
  readonly maxBytes?: number;
}

/** A diff whose new lines have their hashes. */
export interface AnchoredDiff {
  /** All of it. */
  readonly text: string;
  /** The same, line by line. */
  readonly lines: readonly string[];
  /** The new lines as "12#a1b2c3". */
  readonly newAnchors: readonly string[];
  /** Numbers of the lines of the new text that stand in the diff, or are new. */
  readonly shown: readonly number[];
}

/** Empty when the texts have the same lines. Line ends do not count. `after`: the text, or what makes it of the one before. */
export function anchoredDiff(
  before: string | AnchorIndex,
  after: string | AnchorIndex | readonly Splice[],
  options: AnchoredDiffOptions = {},
): AnchoredDiff {
  const old = typeof before === "string" ? anchorIndex(before) : before;
  const made = Array.isArray(after) ? applySplices(old.text, after) : (after as string | AnchorIndex);
  const now = typeof made === "string" ? anchorIndex(made) : made;
  const regions = regionsOf(old, now);
  if (regions.length === 0) return { text: "", lines: [], newAnchors: [], shown: [] };

  const read = options.read === undefined ? old : anchorIndex(options.read);
  const body = bodyOf(regions, { old, now, read }, Math.max(0, options.context ?? CONTEXT));
  const out = new CappedLines(options.maxBytes ?? LIMITS.staleDiffBytes);
  const whole = body.filter(({ text }) => out.add(`${text}\n`));
  const cut = body.length - whole.length;
  const more =
    cut === 0 ? "" : `... (${counted(cut, "line")} of this diff cut; read the file for its lines as they are now)\n`;
  const name = options.name ?? "file";
  const lines = `--- ${name}\n+++ ${name}\n${out.text}${more}`.slice(0, -1).split("\n");
  const added = regions.flatMap(({ bStart, bEnd }) => now.slice(bStart, bEnd).map(({ number }) => number));
  return {
    text: lines.join("\n"),
    lines,
    newAnchors: added.map((number) => now.anchor(number)),
    shown: [...added, ...whole.flatMap(({ line }) => line ?? [])],
  };
}

/** Of what is equal behind the last change a part is looked at; all of it, where the change could stand further down. */
function regionsOf(old: AnchorIndex, now: AnchorIndex, around = AROUND): readonly Region[] {
  const { first, last } = now.sameEnds(old);
  const tail = Math.min(last, around);
  const a = texts(old, first, old.count - last + tail);
  const regions = diffLines(a, texts(now, first, now.count - last + tail));
  if (tail < last && regions.at(-1)?.aEnd === a.length) return regionsOf(old, now, Number.POSITIVE_INFINITY);
  return regions.map(({ aStart, aEnd, bStart, bEnd }) => ({
    aStart: aStart + first,
    aEnd: aEnd + first,
    bStart: bStart + first,
    bEnd: bEnd + first,
  }));
}

const AROUND = 16;

interface Entry {
  readonly text: string;
  /** In the new text. */
  readonly line?: number;
}

interface Versions {
  readonly old: AnchorIndex;
  readonly now: AnchorIndex;
  readonly read: AnchorIndex;
}

function bodyOf(regions: readonly Region[], { old, now, read }: Versions, context: number): Entry[] {
  const body: Entry[] = [];
  const standing = (sign: string, at: number): Entry => {
    const line = now.line(at + 1);
    return { text: sign + renderLine(now, line, line.text, read.find(line.hash).length > 1), line: at + 1 };
  };
  let shown = 0;
  regions.forEach((region, n) => {
    const from = Math.max(shown, region.bStart - context);
    if (n > 0 && from > shown) body.push({ text: `... (${counted(from - shown, "unchanged line")})` });
    const next = regions[n + 1]?.bStart ?? now.count;
    const to = Math.min(next, region.bEnd + context);
    for (let at = from; at < region.bStart; at++) body.push(standing(" ", at));
    for (let at = region.aStart; at < region.aEnd; at++) body.push({ text: `-${renderLine(old, old.line(at + 1))}` });
    for (let at = region.bStart; at < region.bEnd; at++) body.push(standing("+", at));
    for (let at = region.bEnd; at < to; at++) body.push(standing(" ", at));
    shown = to;
  });
  const rest = now.count - shown;
  return rest > 0 ? [...body, { text: `... (${counted(rest, "more line")} after)` }] : body;
}

function texts(index: AnchorIndex, from: number, to: number): string[] {
  return index.slice(from, to).map((line) => line.text);
}
