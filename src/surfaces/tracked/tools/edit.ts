// Edit: exact replacement in a file that this session has read.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { refuse } from "../../../words/index.ts";
import { changeFile, replacedIn, tellingChanges } from "../../shared/change.ts";
import { shownDiff } from "../../shared/legible.ts";
import { defineTool } from "../../tool.ts";
import { filePath, PATH_ALIASES } from "../words.ts";

export const edit = defineTool({
  name: "Edit",
  title: "Edit a file",
  description:
    "Replaces old_string by new_string in a file. It must have been read or written in this session. old_string must match exactly, and once unless replace_all is set.",
  effect: "write",
  actions: ["edit"],
  input: z.object({
    file_path: filePath,
    old_string: z.string().describe("Text to replace, without line numbers."),
    new_string: z.string().describe("New text; may be empty."),
    replace_all: z.boolean().optional().describe("Replace every occurrence."),
  }),
  aliases: { ...PATH_ALIASES, old_str: "old_string", new_str: "new_string" },
  output: z.object({ path: z.string(), replaced: z.int(), diff: z.string(), sha256: z.string() }),
  refused: "Edit rejected, file unchanged.",
  async run(context, { file_path: path, old_string: oldText, new_string: newText, replace_all: replaceAll = false }) {
    if (oldText === "") throw refuse("old_text_empty", {});
    const { session, call } = context;
    let replaced = 0;
    const target = { path, proof: { by: "session", changed: "warn" }, action: "edit" } as const;
    const edits = [{ oldText, newText, replaceAll }];
    const file = await changeFile(context, target, async (now) => {
      const found = await tellingChanges(session, now, call, () => replacedIn(session, now, edits, call));
      replaced = found.applied[0]!.occurrences;
      return { next: { splices: found.splices } };
    });
    return { path: file.path, replaced, diff: shownDiff(file), sha256: file.after! };
  },
  text: ({ replaced }, { file_path }) => `replaced ${replaced} occurrence(s) in ${printable(file_path)}`,
});
