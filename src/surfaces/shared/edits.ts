// Edits of one file in one call, one after the other, and what their caller is told of where they landed.
import { Refusal, reworded } from "../../core/failure.ts";
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

export async function editedInTurn({ session, call }: ToolContext, now: Current, edits: readonly TextEdit[]) {
  if (now.version === null) throw refuse("file_missing", { path: now.raw, action: "edit" });
  const number = (n: number): string => (edits.length > 1 ? `Edit ${n + 1}: ` : "");
  const job = runInWorker("editInTurn", [now.text.body, edits], deadlineOf(session, call));
  const { splices, landed } = await job.catch((error: unknown) => {
    const n = error instanceof Refusal ? error.failure.details?.editIndex : undefined;
    if (!(error instanceof Refusal) || typeof n !== "number" || edits.length === 1) throw error;
    const left = n > 0 ? " Lines are counted after the edits before it." : "";
    throw reworded(error, { message: `${number(n)}${error.failure.message.trimEnd()}${left}` });
  });
  const notes = landed.flatMap(({ warnings, strategy, startLine, endLine }, n) => {
    const found = `it was found at ${linesBetween(startLine, endLine)} by ${strategy}`;
    const isExact = strategy === "exact" || strategy === "line_endings";
    return [
      ...warnings.map((each) => legible(number(n) + each, now.raw)),
      ...(isExact ? [] : [`${number(n)}The old text is not there to the letter; ${found}. Check the diff.`]),
    ];
  });
  return { next: { splices }, notes };
}
