// Claude's text editor (`text_editor_20250728`) as a surface of one tool.
import { z } from "zod";
import { defineTool, type Surface } from "../../surfaces/tool.ts";
import { relativeIn } from "../parts/framework-paths.ts";
import { plainFailure } from "../parts/words.ts";
import { COMMANDS, doneBy, PARAMETERS } from "./commands.ts";

const editor = defineTool({
  name: "str_replace_based_edit_tool",
  title: "Text editor",
  description: "Views, creates and edits files.",
  effect: "write",
  actions: ["read", "write", "edit"],
  reads: ({ command }) => command === "view",
  input: z.object({
    command: z.enum(COMMANDS),
    path: z.string(),
    ...PARAMETERS,
  }),
  output: z.object({ command: z.string(), said: z.string() }),
  refused: "Nothing was changed.",
  async run(context, { command, path, ...given }) {
    const place = { path, at: await relativeIn(context.session, path) };
    const insert_text = given.insert_text ?? given.new_str;
    return { command, said: await doneBy(command, context, place, { ...given, insert_text }) };
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
