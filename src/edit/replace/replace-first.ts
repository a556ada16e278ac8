// The first of several: for the one dialect that takes it, and must say how many more there are.

import { exactSplices } from "../ladder/levels/exact.ts";
import { occurrencesApart } from "../text/occurrences.ts";
import { lfView, sourceOf, toLf } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";
import { replaceEdits } from "./replace.ts";

export interface FirstReplaced {
  readonly splices: readonly Splice[];
  /** How often the old text is there, overlaps not counted. */
  readonly found: number;
}

/** As `replaceEdits` with one edit, but several occurrences are no reason to refuse. */
export function replaceFirst(
  text: string,
  edit: { readonly oldText: string; readonly newText: string },
): FirstReplaced {
  const wanted = { oldText: toLf(edit.oldText), newText: toLf(edit.newText) };
  const view = lfView(text);
  const places = occurrencesApart(view.text, wanted.oldText);
  const [first] = places;
  if (first === undefined || places.length === 1 || wanted.oldText === wanted.newText) {
    return { splices: replaceEdits(text, [{ ...edit, replaceAll: true }]).splices, found: places.length };
  }
  const span = { start: view.toOriginal(first), end: view.toOriginal(first + wanted.oldText.length) };
  return { splices: exactSplices(sourceOf(text), span, wanted), found: places.length };
}
