// Glob: files by name, newest first.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { find, ofAll, searchBytes } from "../../shared/search.ts";
import { defineTool } from "../../tool.ts";

const FILES = 100;

export const glob = defineTool({
  name: "Glob",
  title: "Find files by name",
  description:
    "Lists files that match a glob (* ? [] **), newest first; .gitignore is respected. A pattern without / matches file names at any depth.",
  effect: "read",
  actions: ["glob"],
  input: z.object({
    pattern: z.string().describe("For example src/**/*.ts"),
    path: z.string().optional().describe("Directory to look in. Default: the workspace."),
    limit: z.int().optional().describe(`Most files to list. Default ${FILES}.`),
  }),
  output: z.object({
    files: z.array(z.string()),
    truncated: z.boolean(),
    total: z.int().optional().describe("How many match, where that is known."),
  }),
  refused: "Nothing was searched.",
  async run(context, { pattern, path = ".", limit = FILES }) {
    const most = limit > 0 ? limit : FILES;
    const request = {
      pattern,
      anyDepth: true,
      order: "newest",
      limit: most,
      maxBytes: searchBytes(most, FILES),
    } as const;
    const { files, truncated, total } = await find(context, path, request);
    if (truncated)
      context.warn(
        `Only the newest ${files.length}${ofAll(total)} files ${files.length === 1 ? "is" : "are"} listed; raise limit or narrow pattern.`,
      );
    return { files: files.map((file) => file.path), truncated, total };
  },
  text: ({ files }) => (files.length === 0 ? "No matches." : files.map(printable).join("\n")),
});
