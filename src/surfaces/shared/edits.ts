// Edits of one file, one after the other: each on what the one before it left, and all or none.
import { Refusal, reworded } from "../../core/failure.ts";
import { applySplices, type Splice } from "../../edit/text/splice.ts";
import type { Current } from "../../kernel/change/plan.ts";
import { deadlineOf } from "../../kernel/progress.ts";
import { runInWorker } from "../../kernel/run-in-worker.ts";
import { refuse } from "../../words/index.ts";
import { linesBetween } from "../../words/plural.ts";
import type { ToolContext } from "../tool.ts";
import { legible } from "./legible.ts";

interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
}

export async function editedInTurn(context: ToolContext, now: Current, edits: readonly TextEdit[]) {
  if (now.version === null) throw refuse("file_missing", { path: now.raw, action: "edit" });
  const { body } = now.text;
  const notes: string[] = [];
  let text = body;
  for (const [n, edit] of edits.entries()) {
    const number = edits.length > 1 ? `Edit ${n + 1}: ` : "";
    const { splices, warnings, strategy, startLine, endLine } = await placed(context, text, edit).catch((error) => {
      if (!(error instanceof Refusal) || number === "") throw error;
      const left = n > 0 ? " Lines are counted after the edits before it." : "";
      throw reworded(error, { message: `${number}${error.failure.message.trimEnd()}${left}`, path: now.raw });
    });
    text = applySplices(text, splices);
    notes.push(...warnings.map((each) => legible(number + each, now.raw)));
    if (strategy === "exact" || strategy === "line_endings") continue;
    const found = `it was found at ${linesBetween(startLine, endLine)} by ${strategy}`;
    notes.push(`${number}The old text is not there to the letter; ${found}. Check the diff.`);
  }
  return { next: { splices: text === body ? [] : [difference(body, text)] }, notes };
}

/** Text that one place has to the letter is replaced to the letter; only for what is not there are blanks overlooked. */
async function placed({ session, call }: ToolContext, text: string, { oldText, newText }: TextEdit) {
  const deadline = deadlineOf(session, call);
  const options = { fuzzyThreshold: 1, maxSuggestions: 0 };
  return runInWorker("ladder", [text, oldText, newText, options], deadline).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.kind !== "old_text_not_found") throw error;
    return runInWorker("ladder", [text, oldText, newText], deadline);
  });
}

/** All that differs, as one splice of `before`. */
function difference(before: string, after: string): Splice {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}
