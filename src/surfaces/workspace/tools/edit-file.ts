// edit_file: exact-string edits, all matched on the file as it was, all or nothing.
import * as z from "zod";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import type { AppliedEdit, ExactEdit } from "../../../edit/replace/replace.ts";
import type { Current } from "../../../kernel/change/plan.ts";
import { plural } from "../../../words/plural.ts";
import { changeFile, replacedIn } from "../../shared/change.ts";
import { defineTool } from "../../tool.ts";
import {
  changedFields,
  changedShape,
  onStaleField,
  PATH_ALIASES,
  pathField,
  pathIn,
  SHA_ALIASES,
  shaField,
} from "../fields.ts";

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
  async run(context, { path, edits, expectedSha256, onStale }) {
    const { session, call } = context;
    let applied: readonly AppliedEdit[] = [];
    const target = { path: pathIn(session, path), proof: proofOf(expectedSha256), action: "edit" } as const;
    const edit = async (now: Current) => {
      const unchanged = { splices: [], applied: [] };
      const found = await replacedIn(session, now, edits as readonly ExactEdit[], call).catch((error: unknown) => {
        if (error instanceof Refusal && error.kind === "no_change") return unchanged;
        throw error;
      });
      applied = found.applied;
      return { next: { splices: found.splices } };
    };
    const file = await changeFile(context, target, edit, onStale && { onStale });
    return {
      ...changedFields(file),
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
