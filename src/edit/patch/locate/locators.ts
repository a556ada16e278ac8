// Hunks of context only, and what they say about the hunk behind them.

import type { Hunk, HunkLine } from "../parse/sections.ts";
import type { FileLines } from "./file-lines.ts";
import { endOfBlock, indent, reachOfBlock } from "./headers.ts";

/** A hunk of context only: nothing changes, and the next one is looked for behind it. */
export function isLocator({ lines }: Hunk): boolean {
  return lines.every((line) => line.sign === " ");
}

/** A locator as the hunk behind it needs it. */
export interface Locator {
  /** Where it stands: one line, or all that it may mean. */
  readonly places: readonly number[];
  readonly old: readonly HunkLine[];
}

/** Of the places that were `found` behind the locator, the only one in what it opens. */
export function onlyInside(
  file: FileLines,
  { places, old }: Locator,
  found: readonly number[],
  count: number,
): number | undefined {
  if (places.length !== 1) return undefined;
  const { blockEnd, reach } = opened(file, places[0]!, old);
  const inside = found.filter((at) => at + count <= blockEnd);
  const under = inside.length === 1 ? inside : found.filter((at) => at < (reach ?? blockEnd));
  return under.length === 1 ? under[0] : undefined;
}

/** True where the locator is certain and opens something that ends before `at`. */
export function isOutside(file: FileLines, { places, old }: Locator, at: number): boolean {
  if (places.length !== 1) return false;
  const { reach } = opened(file, places[0]!, old);
  return reach !== undefined && at >= reach;
}

/** What a locator opens with its first line that is indented least. */
function opened(file: FileLines, at: number, old: readonly HunkLine[]) {
  const depths = old.map(({ text }) => (text.trim() === "" ? Number.POSITIVE_INFINITY : indent(text)));
  const head = at + depths.indexOf(Math.min(...depths));
  return { blockEnd: endOfBlock(file, head, file.lines.length), reach: reachOfBlock(file, head) };
}
