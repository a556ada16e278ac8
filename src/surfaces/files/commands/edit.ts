// edit: the first occurrence or all of them in a store; in a sandbox the text must be there once, or all are meant.
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import type { AppliedEdit } from "../../../edit/replace/replace.ts";
import type { Splice } from "../../../edit/text/splice.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import { runInWorker } from "../../../kernel/run-in-worker.ts";
import { lineList } from "../../../words/plural.ts";
import type { Outcome } from "../outcome.ts";
import type { EditParams } from "../params.ts";
import type { Place } from "../place.ts";
import { change } from "./change.ts";

export async function edit(place: Place, params: EditParams): Promise<Outcome> {
  const { file_path: path, expected_count: expected, dry_run: dryRun = false } = params;
  const size = { what: "Edit would result in file exceeding", advice: "Consider smaller edits" };
  let done = { replaced: 0, left: 0 };
  await change(
    place,
    { path, action: "edit", size },
    async (now) => {
      const { body } = now.text;
      const { splices, ...counts } = await counted(place, body, params);
      if (expected !== undefined && expected !== counts.replaced)
        throw wrongCount(params, await allOf(place, body, params), counts);
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

async function replacement(
  { mode, session, call }: Place,
  text: string,
  { old_string: oldText, new_string: newText, replace_all: replaceAll = false }: EditParams,
): Promise<Replacement> {
  if (mode === "store" && !replaceAll) {
    const edit = { oldText, newText };
    const { splices, found } = await runInWorker("replaceFirst", [text, edit], deadlineOf(session, call));
    return { splices, replaced: 1, left: found - 1 };
  }
  const edits = [{ oldText, newText, replaceAll }];
  const { splices, applied } = await runInWorker("replaceEdits", [text, edits], deadlineOf(session, call));
  return { splices, replaced: applied[0]!.occurrences, left: 0 };
}

/** Where several are found and one is meant, the number that was expected is the better complaint. */
async function counted(place: Place, text: string, params: EditParams): Promise<Replacement> {
  const { expected_count: expected } = params;
  try {
    return await replacement(place, text, params);
  } catch (error) {
    const found = error instanceof Refusal && error.kind === "multiple_matches" && error.failure.details?.matchCount;
    if (typeof found !== "number" || expected === undefined || expected === found) throw error;
    throw wrongCount(params, await allOf(place, text, params), { replaced: found, left: 0 });
  }
}

async function allOf(
  { session, call }: Place,
  text: string,
  { old_string: oldText, new_string: newText }: EditParams,
): Promise<AppliedEdit> {
  const edits = [{ oldText, newText, replaceAll: true }];
  return (await runInWorker("replaceEdits", [text, edits], deadlineOf(session, call))).applied[0]!;
}

function wrongCount(
  { file_path: path, expected_count: expected, replace_all: all = false }: EditParams,
  { ranges, occurrences: found }: AppliedEdit,
  { replaced, left }: Pick<Replacement, "replaced" | "left">,
): Refusal {
  const first = left > 0 ? "; without replace_all only the first is replaced" : "";
  const why = `old_string is at ${lineList(ranges, 8, found)}${first}.`;
  const every = `${all || found === 1 ? "" : "replace_all to true and "}expected_count to ${found}`;
  return new Refusal("multiple_matches", why, {
    path,
    next: `Set ${every} to replace ${found === 1 ? "it" : "all of them"}, or correct old_string.`,
    details: { code: "ExpectedCountMismatch", expected, actual: replaced, matchRanges: ranges },
  });
}
