// Claude's text editor (`text_editor_20250728`) as a surface of one tool.
import { z } from "zod";
import { defineTool, type Surface } from "../../surfaces/tool.ts";
import { relativeIn } from "../rooted.ts";
import { plainFailure } from "../words.ts";
import { create, insert, missing, range, replace, view } from "./commands.ts";

const editor = defineTool({
  name: "str_replace_based_edit_tool",
  title: "Text editor",
  description: "Views, creates and edits files.",
  effect: "write",
  actions: ["read", "write", "edit"],
  reads: ({ command }) => command === "view",
  input: z.object({
    command: z.enum(["view", "create", "str_replace", "insert"]),
    path: z.string(),
    view_range: range.optional(),
    file_text: z.string().optional(),
    old_str: z.string().optional(),
    new_str: z.string().optional(),
    insert_line: z.int().min(0).optional(),
    insert_text: z.string().optional(),
  }),
  output: z.object({ command: z.string(), said: z.string() }),
  refused: "Nothing was changed.",
  async run(context, { command, path, view_range, file_text, old_str, new_str, insert_line, insert_text = new_str }) {
    const place = { path, at: relativeIn(context.session, path) };
    const said = async (): Promise<string> => {
      switch (command) {
        case "view":
          return view(context, place, view_range);
        case "create":
          if (file_text === undefined) throw missing(command, ["file_text"]);
          return create(context, place, file_text);
        case "str_replace":
          if (old_str === undefined) throw missing(command, ["old_str"]);
          return replace(context, place, old_str, new_str ?? "");
        case "insert":
          if (insert_line === undefined || insert_text === undefined)
            throw missing(command, ["insert_line", "insert_text"]);
          return insert(context, place, insert_line, insert_text);
      }
    };
    return { command, said: await said() };
  },
  text: ({ said }) => said,
});

export const textEditorSurface: Surface = {
  name: "text_editor_20250728",
  title: "Text editor",
  guidance: "",
  tools: [editor],
  failure: (failure) => plainFailure(failure, "View"),
};
