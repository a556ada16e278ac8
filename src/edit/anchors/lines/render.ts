// A file as the caller reads it with anchors: one line of text a line, then what the anchors are valid for.

import { counted } from "../../../core/counted.ts";
import { ANCHOR_FORMAT_VERSION, EMPTY_DIGEST, shown } from "./hash.ts";
import type { AnchorIndex, AnchorLine } from "./line-index.ts";

const DEFAULT_LIMIT = 200;
const MOST_RECOMMENDED = 20;

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
  /** Up to 20 distinctive lines of those shown, as "12#a1b2c3", evenly spread. */
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
  const footer = `\n[file_version: ${index.fileVersion}]\n(${extent(index.count, from, to)})`;
  return {
    text: [...lines, ...recommendation(recommended), footer].join("\n"),
    lines,
    footer,
    total: index.count,
    from,
    to,
    fileVersion: index.fileVersion,
    anchorFormatVersion: ANCHOR_FORMAT_VERSION,
    recommendedAnchors: recommended.map((line) => index.anchor(line.number)),
  };
}

/** `12#a1b2c3 [high]|content`; a repeated line also tells how often it occurs and the context hash that singles it out. */
export function renderLine(index: AnchorIndex, line: AnchorLine, text = line.text): string {
  const { number, hash, quality, occurrences } = line;
  if (occurrences === 1) return `${number}#${hash} [${quality}]|${text}`;
  const warning = quality === "low" ? " WARNING:ambiguous_anchor" : "";
  return `${number}#${hash} [${quality}] occurrences=${occurrences}${warning} ctx=${index.contextHash(number)}|${text}`;
}

function extent(total: number, from: number, to: number): string {
  if (total === 0)
    return `the file is empty: 0 lines, anchors enabled; insert_after ${shown(EMPTY_DIGEST)} adds the first`;
  const showing = from === 0 ? "none" : `${from}-${to}`;
  return `${counted(total, "line")} total, showing ${showing}, anchors enabled`;
}

function recommend(visible: readonly AnchorLine[]): AnchorLine[] {
  const unique = visible.filter((line) => line.occurrences === 1 && line.quality === "high");
  const worthy = unique.length > 0 ? unique : visible.filter((line) => line.quality === "high");
  if (worthy.length <= MOST_RECOMMENDED) return worthy;
  const step = (worthy.length - 1) / (MOST_RECOMMENDED - 1);
  return Array.from({ length: MOST_RECOMMENDED }, (_, n) => worthy[Math.round(n * step)]!);
}

function recommendation(lines: readonly AnchorLine[]): string[] {
  if (lines.length === 0) return [];
  return [
    "",
    "--- RECOMMENDED ANCHORS (use these for edit operations) ---",
    ...lines.map(
      ({ number, hash, quality, occurrences }) =>
        `line ${String(number).padStart(3)}   hash  ${hash}  quality  [${quality}]   ${occurrences - 1} repeats`,
    ),
    "--- END RECOMMENDED ANCHORS ---",
  ];
}
