// The first of several: for the one dialect that takes it, and must say how many more there are.

import { exactSplices, placesIn } from "../ladder/levels/exact.ts";
import { occurrencesApart } from "../text/occurrences.ts";
import { lfView, namingStrayBytes, sourceOf, toLf } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";
import { refuseHalfPairs, replaceEdits } from "./replace.ts";

export interface FirstReplaced {
  readonly splices: readonly Splice[];
  /** How often the old text is there, overlaps not counted. */
  readonly found: number;
}

/** As `replaceEdits` with one edit, but several occurrences are no reason to refuse. */
export function replaceFirst(
  text: string,
  given: { readonly oldText: string; readonly newText: string },
): FirstReplaced {
  const edit = namingStrayBytes(text, given);
  const view = lfView(text);
  const places = placesIn(text, view, edit, occurrencesApart);
  const [first] = places;
  if (first === undefined || places.length === 1 || edit.oldText === edit.newText) {
    return { splices: replaceEdits(text, [{ ...edit, replaceAll: true }]).splices, found: places.length };
  }
  refuseHalfPairs(view, places, toLf(edit.oldText).length, { index: 0, edits: [edit] });
  const span = { start: view.toOriginal(first), end: view.toOriginal(first + toLf(edit.oldText).length) };
  return { splices: exactSplices(sourceOf(text), span, edit), found: places.length };
}
