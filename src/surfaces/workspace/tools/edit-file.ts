// edit_file: exact-string edits, all matched on the file as it was, all or nothing.
import * as z from "zod";
import type { Deadline } from "../../../core/deadline.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import type { AppliedEdit, ExactEdit } from "../../../edit/replace/replace.ts";
import type { Splice } from "../../../edit/text/splice.ts";
import type { Current } from "../../../kernel/change/plan.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import { runInWorker } from "../../../kernel/run-in-worker.ts";
import { plural } from "../../../words/plural.ts";
import { damageIn } from "../../answer/damage.ts";
import { defineTool } from "../../tool.ts";
import {
  changedFields,
  changedShape,
  onStaleField,
  PATH_ALIASES,
  pathField,
  SHA_ALIASES,
  shaField,
} from "../fields.ts";
import { pathIn } from "../paths.ts";

const input = z.object({
  path: pathField,
  edits: z
    .array(
      z.strictObject({
        oldText: z.string().min(1).describe("Exact text in the file"),
        newText: z.string(),
        expectedOccurrences: z
          .int()
          .min(1)
          .optional()
          .describe("How often oldText is there and is replaced; default 1"),
        replaceAll: z.boolean().optional(),
      }),
    )
    .min(1),
  expectedSha256: shaField,
  onStale: onStaleField,
});

export const edit_file = defineTool({
  name: "edit_file",
  title: "Edit file",
  description: "Replace exact text in a file. All edits refer to the file as you read it; all apply or none.",
  effect: "write",
  actions: ["edit"],
  input,
  aliases: { ...PATH_ALIASES, ...SHA_ALIASES },
  output: z.object({
    ...changedShape,
    appliedEdits: z.array(z.object({ editIndex: z.int(), occurrences: z.int() })),
  }),
  refused: "Edit rejected, file unchanged.",
  async run({ session, call, warn }, { path, edits, expectedSha256, onStale }) {
    let applied: readonly AppliedEdit[] = [];
    const { files, warnings } = await session.change(
      [{ path: pathIn(session, path), proof: proofOf(expectedSha256), action: "edit" }],
      async ([file]) => {
        const result = await replaced(file!, edits as readonly ExactEdit[], deadlineOf(session, call));
        applied = result.applied;
        return [{ splices: result.splices }];
      },
      { ...call, ...(onStale !== undefined && { onStale }) },
    );
    warn(...warnings, ...(await damageIn(session, files)));
    const [file] = files;
    return {
      ...changedFields(file!),
      appliedEdits: applied.map(({ editIndex, occurrences }) => ({ editIndex, occurrences })),
    };
  },
  text({ path, beforeSha256, afterSha256, sizeBytes, appliedEdits, diff }) {
    if (beforeSha256 === afterSha256) return `No change: ${printable(path)} reads so already, sha256=${afterSha256}`;
    const places = appliedEdits.reduce((sum, { occurrences }) => sum + occurrences, 0);
    const count = plural(places, "replacement");
    return `Edited ${printable(path)} — ${count}, ${plural(sizeBytes, "byte")}, sha256=${afterSha256}\n${diff}`;
  },
});

/** The same tool for callers whose reads the session remembers: the sha256 may be left out. */
export const edit_file_by_session = defineTool({
  ...edit_file,
  input: input.partial({ expectedSha256: true }),
  run: (context, wanted) => edit_file.run(context, wanted as z.output<typeof input>),
});

function proofOf(sha256: string | undefined): { by: "session" } | { by: "sha256"; sha256: string } {
  return sha256 === undefined ? { by: "session" } : { by: "sha256", sha256 };
}

async function replaced(
  file: Current,
  edits: readonly ExactEdit[],
  deadline: Deadline,
): Promise<{ splices: readonly Splice[]; applied: readonly AppliedEdit[] }> {
  try {
    return await runInWorker("replaceEdits", [file.text.body, edits], deadline);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "no_change") return { splices: [], applied: [] };
    throw error;
  }
}
