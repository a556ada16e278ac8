// A file as the caller reads it with anchors: one line of text a line, then what the anchors are valid for.

import { counted } from "../../../core/counted.ts";
import { ANCHOR_FORMAT_VERSION, EMPTY_DIGEST, shown } from "./hash.ts";
import type { AnchorIndex, AnchorLine, Quality } from "./line-index.ts";

const DEFAULT_LIMIT = 200;
const MAX_RECOMMENDED = 5;

export interface ReadWindow {
  /** Lines to skip. */
  readonly offset?: number;
  /** Lines to show; 200 unless given. */
  readonly limit?: number;
  /** What is shown of the first line, where that is not all of it. Its hash is that of the whole line. */
  readonly part?: string | undefined;
}

/** Lines with their hashes, as a model reads them. */
export interface AnchorView {
  /** Everything below, as one text for the reader. */
  readonly text: string;
  /** Each as it is shown. */
  readonly lines: readonly string[];
  /** What stands below them: which lines these are, and of which version. */
  readonly footer: string;
  /** How many lines the text has. */
  readonly total: number;
  /** First and last line shown, 1-based; both 0 when none is. */
  readonly from: number;
  /** As `from`, of the last line. */
  readonly to: number;
  /** Of the text, for an edit to name it. */
  readonly fileVersion: string;
  /** Changes when hashes are made in another way. */
  readonly anchorFormatVersion: typeof ANCHOR_FORMAT_VERSION;
  /** The most distinctive of the lines shown, at most 5, as "12#a1b2c3". */
  readonly recommendedAnchors: readonly string[];
}

/** The lines of a window, 200 unless told, each with its hash. */
export function renderAnchors(index: AnchorIndex, window: ReadWindow = {}): AnchorView {
  const offset = Math.max(0, window.offset ?? 0);
  const visible = index.slice(offset, offset + Math.max(0, window.limit ?? DEFAULT_LIMIT));
  const from = visible[0]?.number ?? 0;
  const to = visible.at(-1)?.number ?? 0;
  const lines = visible.map((line, n) => renderLine(index, line, n === 0 ? window.part : undefined));
  const recommended = recommend(visible);
  const recommendedAnchors = recommended.map((line) => index.anchor(line.number));
  const told = recommended.length > 0 ? [`Recommended anchors: ${recommendedAnchors.join(", ")}`] : [];
  const notes = [
    ...told,
    ...LEGEND.filter(([of]) => visible.some(({ quality }) => quality === of)).map(([, is]) => is),
  ];
  const footer = `\n[file_version: ${index.fileVersion}]\n(${extent(index.count, from, to)})`;
  return {
    text: [...lines, ...(notes.length > 0 ? ["", ...notes] : []), footer].join("\n"),
    lines,
    footer,
    total: index.count,
    from,
    to,
    fileVersion: index.fileVersion,
    anchorFormatVersion: ANCHOR_FORMAT_VERSION,
    recommendedAnchors,
  };
}

/** `12#a1b2c3 [high]|content`; a line that is repeated, or was in the version read, also has the context hash that singles it out. */
export function renderLine(index: AnchorIndex, line: AnchorLine, text = line.text, wasRepeated = false): string {
  const { number, hash, quality } = line;
  const context = quality === "med" || (quality === "high" && wasRepeated) ? ` ctx=${index.contextHash(number)}` : "";
  return `${number}#${hash} [${quality}]${context}|${text}`;
}

function extent(total: number, from: number, to: number): string {
  if (total === 0)
    return `the file is empty: 0 lines, anchors enabled; insert_after ${shown(EMPTY_DIGEST)} adds the first`;
  const showing = from === 0 ? "none" : `${from}-${to}`;
  return `${counted(total, "line")} total, showing ${showing}, anchors enabled`;
}

const LEGEND: readonly (readonly [Quality, string])[] = [
  ["med", "[med] is a repeated line: name it as N#hash, or by its ctx."],
  ["low", "[low] is a bracket or a blank line: use a neighbour."],
];

const WORD = /[\p{L}\p{N}_]{3,}/gu;
/** `display: flex;` is unique in one file and boilerplate all the same. */
const DECLARATION = /^\s*[\w-]+:\s*[\w-]+;?\s*$/;
const MAX_COMPARED = 1000;

/** The unique lines with the most text in words that no other line shown has. */
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
