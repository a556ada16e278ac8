// The conflicts of a merge, as a refusal tells them: by what each text is, so that no reader has to guess whose it is.
import type { MergeConflict } from "../../core/refusal-details.ts";
import type { Merge } from "../../edit/diff/merge.ts";

/** Of a merge whose `ours` was the file as it is now, and whose `theirs` was what the change wanted. */
export function conflictsOf({ conflicts }: Extract<Merge, { readonly ok: false }>): readonly MergeConflict[] {
  return conflicts.map(({ oursStart, oursEnd, base, ours, theirs }) => ({
    startLine: oursStart + 1,
    endLine: oursEnd,
    inBase: base,
    inFile: ours,
    wanted: theirs,
  }));
}
