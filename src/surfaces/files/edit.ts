// edit: the first occurrence or all of them in a store; in a sandbox the text must be there once, or all are meant.
import { replaceEdits } from "../../edit/replace.ts";
import { replaceFirst } from "../../edit/replace-first.ts";
import type { Splice } from "../../edit/splice.ts";
import { Refusal } from "../../kernel/failure.ts";
import { change } from "./change.ts";
import type { Outcome } from "./outcome.ts";
import type { EditParams } from "./params.ts";
import type { Place } from "./place.ts";

export async function edit(place: Place, params: EditParams): Promise<Outcome> {
  const { file_path: path, expected_count: expected, dry_run: dryRun = false } = params;
  const size = { what: "Edit would result in file exceeding", advice: "Consider smaller edits" };
  let done = { replaced: 0, left: 0 };
  await change(
    place,
    { path, action: "edit", size },
    (now) => {
      const { splices, ...counts } = replacement(place, now.text.body, params);
      if (expected !== undefined && expected !== counts.replaced) throw wrongCount(path, expected, counts.replaced);
      done = counts;
      return { splices };
    },
    { dryRun },
  );
  const { replaced, left } = done;
  if (left > 0)
    place.warn(
      `old_string is in ${path} ${replaced + left} times; only the first was replaced. Set replace_all to replace every one.`,
    );
  const summary = dryRun
    ? `(dry_run) Would update file ${path} replacing ${replaced} occurrence(s)`
    : `Updated file ${path}`;
  return { plain: summary, typed: { path, replaced, summary } };
}

interface Replacement {
  readonly splices: readonly Splice[];
  readonly replaced: number;
  readonly left: number;
}

function replacement(
  { mode }: Place,
  text: string,
  { old_string: oldText, new_string: newText, replace_all: replaceAll = false }: EditParams,
): Replacement {
  if (mode === "store" && !replaceAll) {
    const { splices, found } = replaceFirst(text, { oldText, newText });
    return { splices, replaced: 1, left: found - 1 };
  }
  const { splices, applied } = replaceEdits(text, [{ oldText, newText, replaceAll }]);
  return { splices, replaced: applied[0]!.occurrences, left: 0 };
}

function wrongCount(path: string, expected: number, actual: number): Refusal {
  return new Refusal("multiple_matches", `ExpectedCountMismatch: expected ${expected}, got ${actual}`, {
    path,
    details: { code: "ExpectedCountMismatch", expected, actual },
  });
}
