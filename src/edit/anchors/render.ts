// Lines with their anchors as a caller sees them: in a read, in the diff of an edit, and after a refused batch.
import { LIMITS } from "../../core/limits.ts";
import { plural } from "../../words/plural.ts";
import { diffLines, type Region } from "../diff/diff.ts";
import { CappedLines } from "../diff/unified.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import { type AnchorIndex, type AnchorLine, anchorIndex, EMPTY_DIGEST, fileVersion, type Quality } from "./lines.ts";
import { type AnchorOperation, parseOperations } from "./operations.ts";

const DEFAULT_LIMIT = 200;
const MAX_RECOMMENDED = 5;

export interface ReadWindow {
  /** Lines to skip. */
  readonly offset?: number;
  /** Lines to show; 200 by default. */
  readonly limit?: number;
  /** The start of the first line, where no more of it is shown. Its hash is that of the whole line. */
  readonly start?: string | undefined;
}

/** Lines with their hashes, as a model reads them. */
export interface AnchorView {
  /** All of it as one text. */
  readonly text: string;
  /** The lines as shown. */
  readonly lines: readonly string[];
  /** Hashes all of whose lines are shown, and context hashes. */
  readonly settled: readonly string[];
  /** The version of the text, which an edit can name. */
  readonly fileVersion: string;
  /** Up to 5 distinctive lines, as "12#a1b2c3". */
  readonly recommendedAnchors: readonly string[];
}

/** Renders lines of a text with their hashes. */
export function renderAnchors(index: AnchorIndex, window: ReadWindow = {}): AnchorView {
  const offset = Math.max(0, window.offset ?? 0);
  const visible = index.lines.slice(offset, offset + Math.max(0, window.limit ?? DEFAULT_LIMIT));
  const version = fileVersion(index.text);
  const [from, to] = [visible[0]?.number ?? 0, visible.at(-1)?.number ?? 0];
  const lines = visible.map((line, n) => renderLine(index, line, n === 0 ? window.start : undefined));
  const recommendedAnchors = recommend(window.start === undefined ? visible : []).map(({ number }) =>
    index.anchor(number),
  );
  const notes = [
    ...(recommendedAnchors.length > 0 ? [`Recommended anchors: ${recommendedAnchors.join(", ")}`] : []),
    ...LEGEND.filter(([of]) => visible.some(({ quality }) => quality === of)).map(([, is]) => is),
  ];
  const footer = `\n[file_version: ${version}]\n(${extent(index.count, from, to)})`;
  const text = [...lines, ...(notes.length > 0 ? ["", ...notes] : []), footer].join("\n");
  const isAllShown = ({ hash }: AnchorLine) => index.find(hash).every((line) => from <= line && line <= to);
  const ownContext = ({ quality, number }: AnchorLine) =>
    quality === "med" && index.isOwnContext(number) ? index.contextHash(number) : [];
  const settled = [...visible.filter(isAllShown).map(({ hash }) => hash), ...visible.flatMap(ownContext)];
  return { text, lines, settled, fileVersion: version, recommendedAnchors };
}

/** Renders `12#a1b2c3 [high]|content`, with the context hash of a repeated line if that is unique. */
function renderLine(index: AnchorIndex, line: AnchorLine, text = line.text, repeated = NONE): string {
  const { number, hash } = line;
  const quality = line.quality === "high" && repeated.has(hash) ? "med" : line.quality;
  const context = quality === "med" && index.isOwnContext(number) ? index.contextHash(number) : undefined;
  return `${number}#${hash} [${quality}]${context === undefined || repeated.has(context) ? "" : ` ctx=${context}`}|${text}`;
}

const NONE: ReadonlySet<string> = new Set();

function extent(total: number, from: number, to: number): string {
  const first = EMPTY_DIGEST.slice(0, 6);
  if (total === 0) return `the file is empty: 0 lines, anchors enabled; insert_after ${first} adds the first`;
  const showing = from === 0 ? "none" : `${from}-${to}`;
  return `${plural(total, "line")} total, showing ${showing}, anchors enabled`;
}

const LEGEND: readonly (readonly [Quality, string])[] = [
  ["med", "[med] is a repeated line: name it as N#hash, or by its ctx."],
  ["low", "[low] is a bracket or a blank line: use a neighbour."],
];

const WORD = /[\p{L}\p{N}_]{3,}/gu;
// `display: flex;` may be unique, but is boilerplate.
const DECLARATION = /^\s*[\w-]+:\s*[\w-]+;?\s*$/;
const MAX_COMPARED = 1000;

/** Chooses the unique lines with the longest words that no other shown line has. */
function recommend(visible: readonly AnchorLine[]): AnchorLine[] {
  const words = visible.map(({ text }) => [...new Set(text.slice(0, MAX_COMPARED).match(WORD))]);
  const uses = new Map<string, number>();
  for (const word of words.flat()) uses.set(word, (uses.get(word) ?? 0) + 1);
  const own = words.map((each) => each.filter((word) => uses.get(word) === 1).join("").length);
  return visible
    .map((line, at) => ({ line, weight: own[at]!, words: words[at]!.length }))
    .filter(({ line, words }) => line.quality === "high" && words > 1 && !DECLARATION.test(line.text))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_RECOMMENDED)
    .map(({ line }) => line)
    .sort((a, b) => a.number - b.number);
}

const CONTEXT = 3;

export interface AnchoredDiffOptions {
  /** Name of the file in both header lines. */
  readonly name?: string;
  /** Hashes that need a context hash beside them, like those of repeated lines. */
  readonly repeated?: readonly string[] | undefined;
  /** Maximum UTF-8 bytes. Long lines are cut, and omitted lines are counted. */
  readonly maxBytes?: number;
}

/** A diff with hashes. */
export interface AnchoredDiff {
  /** All of it. */
  readonly text: string;
  /** The text by lines. */
  readonly lines: readonly string[];
  /** Anchors of the new lines: "12#a1b2c3". */
  readonly newAnchors: readonly string[];
  /** Line numbers of the new text that the diff shows or that are new. */
  readonly shown: readonly number[];
}

interface Entry {
  readonly text: string;
  /** Line number in the new text, if it is there. */
  readonly line?: number;
}

interface Versions {
  readonly old: AnchorIndex;
  readonly now: AnchorIndex;
  readonly repeated: ReadonlySet<string>;
}

/** Makes a diff; empty when only line endings differ. `after`: the text, or the splices that make it. */
export function anchoredDiff(
  before: string,
  after: string | readonly Splice[],
  options: AnchoredDiffOptions = {},
): AnchoredDiff {
  const old = anchorIndex(before);
  const now = anchorIndex(typeof after === "string" ? after : applySplices(before, after));
  const regions = diffLines(
    old.lines.map(({ text }) => text),
    now.lines.map(({ text }) => text),
  );
  if (regions.length === 0) return { text: "", lines: [], newAnchors: [], shown: [] };

  const body = bodyOf(regions, { old, now, repeated: new Set(options.repeated) });
  const out = new CappedLines(options.maxBytes ?? LIMITS.staleDiffBytes);
  const whole = body.filter(({ text }) => out.add(`${text}\n`));
  const cut = body.length - whole.length;
  const rest = `... (${plural(cut, "line")} of this diff cut; read the file for its lines as they are now)\n`;
  const name = options.name ?? "file";
  const text = `--- ${name}\n+++ ${name}\n${out.text}${cut === 0 ? "" : rest}`.slice(0, -1);
  const added = regions.flatMap(({ bStart, bEnd }) => now.lines.slice(bStart, bEnd).map(({ number }) => number));
  return {
    text,
    lines: text.split("\n"),
    newAnchors: added.map((line) => now.anchor(line)),
    shown: [...new Set([...whole.flatMap(({ line }) => line ?? []), ...added])],
  };
}

function bodyOf(regions: readonly Region[], { old, now, repeated }: Versions): Entry[] {
  const body: Entry[] = [];
  const add = (sign: string, from: number, to: number) => {
    for (const line of now.lines.slice(from, to)) {
      body.push({ text: sign + renderLine(now, line, line.text, repeated), line: line.number });
    }
  };
  let shown = 0;
  regions.forEach((region, n) => {
    const from = Math.max(shown, region.bStart - CONTEXT);
    if (n > 0 && from > shown) body.push({ text: `... (${plural(from - shown, "unchanged line")})` });
    add(" ", from, region.bStart);
    for (const line of old.lines.slice(region.aStart, region.aEnd)) body.push({ text: `-${renderLine(old, line)}` });
    add("+", region.bStart, region.bEnd);
    shown = Math.min(regions[n + 1]?.bStart ?? now.count, region.bEnd + CONTEXT);
    add(" ", region.bEnd, shown);
  });
  const rest = now.count - shown;
  return rest > 0 ? [...body, { text: `... (${plural(rest, "more line")} after)` }] : body;
}

export interface FreshAnchors {
  /** The lines as `read_file` shows them, with counts of the lines in between. */
  readonly lines: readonly string[];
  /** The line numbers. */
  readonly shown: readonly number[];
  /** Anchors that no line has now. */
  readonly missing: readonly string[];
}

const AROUND = 2;
const MAX_FRESH = 40;
const MAX_PLACES = 5;

/** Renders the current lines around those that a batch names. `seenText`: the text that its anchors are from, if known. */
export function freshAnchors(
  text: string,
  operations: readonly AnchorOperation[],
  { text: seenText, repeated = [] }: { readonly text: string | undefined; readonly repeated?: readonly string[] },
): FreshAnchors {
  const current = anchorIndex(text);
  const seen = anchorIndex(seenText ?? text);
  const linesOf = (index: AnchorIndex) => index.lines.map((line) => line.text.trim());
  const regions = diffLines(linesOf(seen), linesOf(current));
  const shown = new Set<number>();
  const show = (from: number, to: number) => {
    for (let at = Math.max(1, from); at <= Math.min(current.count, to); at++) if (shown.size < MAX_FRESH) shown.add(at);
  };
  const batch = parseOperations(operations);
  for (const { anchors } of batch) {
    const [first = [], last = []] = anchors.map(({ prefix, line }) => {
      const then = seen.find(prefix);
      const meant = line !== undefined && then.includes(line) ? [line] : then.slice(0, MAX_PLACES);
      if (meant.length === 0) return current.find(prefix).slice(0, MAX_PLACES);
      return meant.map((at) => Math.min(placeNow(regions, at), current.count));
    });
    for (const line of [...first, ...last]) show(line - AROUND, line + AROUND);
    // A range is shown whole.
    if (first.length === 1 && last.length === 1) show(Math.min(first[0]!, last[0]!), Math.max(first[0]!, last[0]!));
  }
  const sorted = [...shown].sort((a, b) => a - b);
  const missing = batch.flatMap(({ anchors }) => anchors).filter(({ prefix }) => current.find(prefix).length === 0);
  return {
    lines: withGaps(sorted, current, new Set(repeated)),
    shown: sorted,
    missing: missing.map(({ given }) => given),
  };
}

/** Returns the current number of a line, or that of the line in its place. */
function placeNow(regions: readonly Region[], line: number): number {
  const region = regions.findLast(({ aStart }) => aStart < line);
  if (region === undefined) return line;
  return line <= region.aEnd ? region.bStart + 1 : line + region.bEnd - region.aEnd;
}

function withGaps(numbers: readonly number[], index: AnchorIndex, repeated: ReadonlySet<string>): string[] {
  return numbers.flatMap((number, n) => {
    const gap = n === 0 ? 0 : number - numbers[n - 1]! - 1;
    const line = renderLine(index, index.line(number), undefined, repeated);
    return gap === 0 ? [line] : [`... (${plural(gap, "line")})`, line];
  });
}
