// Places: where a level finds old text, and whether a span cuts words or characters.
import { CALL_LIMITS } from "../../core/limits.ts";
import { refuse } from "../../words/index.ts";
import type { Alignment, LineChange } from "./merge.ts";

/** The arguments of one edit, with LF endings. */
export interface Wanted {
  readonly oldText: string;
  readonly newText: string;
}

export interface Place {
  readonly alignment: Alignment;
  readonly change: LineChange;
  readonly similarity?: number;
  readonly warnings?: readonly string[];
}

/** The offsets in the file that a place covers. */
export function spanOf({ alignment }: Place): { readonly start: number; readonly end: number } {
  const last = alignment.segments.at(-1)!;
  return { start: alignment.segments[0]!.start, end: last.start + last.text.length };
}

/** Splits old and new text into lines; a final newline ends the last line and starts no other. */
export function wholeLines({ oldText, newText }: Wanted): { oldLines: string[]; newLines: string[] } {
  const oldLines = oldText.split("\n");
  const newLines = newText.split("\n");
  if (oldLines.length < 2 || oldLines.at(-1) !== "") return { oldLines, newLines };
  oldLines.pop();
  if (newLines.at(-1) === "") newLines.pop();
  return { oldLines, newLines };
}

/** Counts the characters that are not blank: the more there are, the surer a place is recognised. */
export function weightOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.replaceAll(/\s+/g, "").length, 0);
}

export const asWritten = (line: string): string => line;

/** Maximum number of places that a refusal lists. */
export const MAX_RANGES = 100;

export function refuseTooMany(places: number): void {
  const limit = CALL_LIMITS.replacements;
  if (places > limit) throw refuse("old_text_in_too_many_places", { limit });
}

/** Asked before the result is made: many places times a long text can exceed the longest string. */
export function refuseTooLong(length: number): void {
  if (length > MAX_TEXT) throw refuse("edit_result_too_long", { length, longest: MAX_TEXT });
}

const MAX_TEXT = 2 ** 28;

/** True when a span starts or ends inside a word. */
export function cutsWord(text: string, start: number, end: number): boolean {
  return insideWord(text, start) || insideWord(text, end);
}

/** Stricter than `cutsWord`, for several lines: `margin|-top`, `user|@host` and `1|.5` are cut, too. */
export function cutsToken(text: string, start: number, end: number): boolean {
  return [start, end].some((at) => insideWord(text, at) || insideJoined(text, at));
}

/** True when a span starts or ends between the two halves of a surrogate pair. */
export function cutsCharacter(text: string, start: number, end: number): boolean {
  return [start, end].some((at) => HIGH_HALF.test(text[at - 1] ?? "") && LOW_HALF.test(text[at] ?? ""));
}

function insideJoined(text: string, at: number): boolean {
  const around = text.slice(Math.max(0, at - 2), at + 2);
  if (at < 1 || around.length < 3) return false;
  return JOINED.test(text.slice(at - 1, at + 2)) || (at > 1 && JOINED.test(text.slice(at - 2, at + 1)));
}

export function insideWord(text: string, at: number): boolean {
  return ENDS_IN_WORD.test(text.slice(Math.max(0, at - 2), at)) && BEGINS_IN_WORD.test(text.slice(at, at + 2));
}

const JOINED = /^[\p{L}\p{N}_](?:[-$@][\p{L}\p{N}_]|\.\p{N})$/u;
const HIGH_HALF = /^[\ud800-\udbff]$/;
const LOW_HALF = /^[\udc00-\udfff]$/;
const ENDS_IN_WORD = /[\p{L}\p{M}\p{N}_]$/u;
const BEGINS_IN_WORD = /^[\p{L}\p{M}\p{N}_]/u;
