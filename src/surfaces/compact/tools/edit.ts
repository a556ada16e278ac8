// Edit: replaces one piece of text where it was meant to be, or inserts before a line. Files over 500 bytes must be read first.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import type { Landed } from "../../../edit/ladder/index.ts";
import { splitLines } from "../../../edit/text/lines.ts";
import type { Current } from "../../../kernel/change/plan.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import { changeFile, tellingChanges } from "../../shared/change.ts";
import { legible, shownDiff } from "../../shared/legible.ts";
import { defineTool } from "../../tool.ts";
import { howFound, inexactNote, placed, refuseMixedModes } from "../edit-place.ts";
import { type Linter, lintField, lintSchema, lintText } from "../lint.ts";
import { absolutePath, nativePath } from "../paths.ts";

/** Files up to this many bytes may be edited without having been read. */
export const FREE_BYTES = 500;

const input = z.object({
  file_path: z.string().describe(`File to edit; over ${FREE_BYTES} bytes it must be read first`),
  // Required in the schema that models see, but absent in insert mode.
  old_string: z.preprocess((given: string | undefined) => given ?? "", z.string()).describe("Exact text to replace"),
  new_string: z.string().describe("Replacement text"),
  replace_all: z.boolean().default(false).describe("Replace every occurrence"),
  insert_at_line: z.int().min(1).optional().describe("Insert new_string before this line (1-based) instead"),
  fuzzy_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.85)
    .describe("Least similarity of a fuzzy match; 1 = exact text only"),
  max_suggestions: z.int().min(0).max(20).default(3).describe("Closest places named when nothing matches"),
  encoding: z.string().optional().describe("Encoding of the file, when it must not be detected"),
});
export type EditInput = z.output<typeof input>;

const output = z.object({
  metadata: z.object({
    path: z.string(),
    size: z.number(),
    lines: z.number(),
    diff: z.string(),
    insertions: z.number(),
    deletions: z.number(),
    operation: z.enum(["replace", "insert"]),
    occurrences: z.number().optional(),
    strategy: z.string().optional(),
    similarity: z.number().optional(),
    matched_text: z.string().optional(),
  }),
  lint: lintSchema.optional(),
});

export const editTool = (linter?: Linter) =>
  defineTool({
    name: "Edit",
    title: "Edit a file",
    description:
      "Replace old_string by new_string. old_string must be unique in the file; small slips in blanks and indentation are forgiven, and reported.",
    effect: "write",
    actions: ["edit"],
    input,
    hidden: ["replace_all", "insert_at_line", "fuzzy_threshold", "max_suggestions", "encoding"],
    aliases: {
      path: "file_path",
      filePath: "file_path",
      old_str: "old_string",
      oldString: "old_string",
      old_text: "old_string",
      new_str: "new_string",
      newString: "new_string",
      new_text: "new_string",
    },
    output,
    refused: "Edit rejected, file unchanged.",
    async run(context, request) {
      const { session, call } = context;
      const deadline = deadlineOf(session, call);
      refuseMixedModes(request);
      let landed: Landed | undefined;
      const target = {
        path: nativePath(request.file_path),
        proof: { by: "session", freeBelow: FREE_BYTES, changed: "warn" },
        action: "edit",
        ...(request.encoding !== undefined && { encoding: request.encoding }),
      } as const;
      const edit = async (now: Current) => {
        const found = await tellingChanges(session, now, call, () => placed(session, now, request, call));
        landed = found.landed;
        const notes = [...(landed?.warnings ?? []), ...inexactNote(landed)].map((each) => legible(each, now.raw));
        return { next: { splices: found.splices }, notes };
      };
      const file = await changeFile(context, target, edit, { linted: linter !== undefined });
      const { insertions, deletions } = file.diff;
      return {
        metadata: {
          path: absolutePath(session, file.path),
          size: file.size,
          lines: splitLines(file.afterText ?? "").length,
          diff: shownDiff(file),
          insertions,
          deletions,
          ...howFound(landed),
        },
        ...(await lintField(linter, file, context, deadline)),
      };
    },
    text({ metadata: { path, insertions, deletions, diff }, lint }) {
      return `Edited ${printable(path)} (+${insertions} -${deletions}).\n${diff.replace(/\n$/, "")}${lintText(lint)}`;
    },
  });
