// edit: the first occurrence or all of them in a store; in a sandbox the text must be there once, or all are meant.
import { replaceEdits } from "../../edit/replace.ts";
import { replaceFirst } from "../../edit/replace-first.ts";
import type { Splice } from "../../edit/splice.ts";
import { Refusal } from "../../kernel/failure.ts";
import { printable } from "../legible.ts";
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
      const { splices, ...counts } = counted(params, () => replacement(place, now.text.body, params));
      if (expected !== undefined && expected !== counts.replaced) throw wrongCount(path, expected, counts.replaced);
      done = counts;
      return { splices };
    },
    { dryRun },
  );
  const { replaced, left } = done;
  const name = printable(path);
  if (left > 0) {
    const first = dryRun ? "would be" : "was";
    place.warn(
      `old_string is in ${name} ${replaced + left} times; only the first ${first} replaced. Set replace_all to replace every one.`,
    );
  }
  const summary = dryRun
    ? `(dry_run) Would update file ${name} replacing ${replaced} occurrence(s)`
    : `Updated file ${name}`;
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

/** Where several are found and one is meant, the number that was expected is the better complaint. */
function counted(params: EditParams, replace: () => Replacement): Replacement {
  const { file_path: path, expected_count: expected } = params;
  try {
    return replace();
  } catch (error) {
    const found = error instanceof Refusal && error.kind === "multiple_matches" && error.failure.details?.matchCount;
    if (typeof found !== "number" || expected === undefined || expected === found) throw error;
    throw wrongCount(path, expected, found);
  }
}

function wrongCount(path: string, expected: number, actual: number): Refusal {
  return new Refusal("multiple_matches", `ExpectedCountMismatch: expected ${expected}, got ${actual}`, {
    path,
    details: { code: "ExpectedCountMismatch", expected, actual },
  });
}
