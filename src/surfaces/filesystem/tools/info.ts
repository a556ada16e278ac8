// get_file_info and list_allowed_directories: what can be known without reading a file.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { refuse } from "../../../words/index.ts";
import { defineTool } from "../../tool.ts";
import { ALIASES, looking, pathField } from "../fixed.ts";

export const get_file_info = defineTool({
  name: "get_file_info",
  title: "Get file info",
  description: "Size, time of the last change, and kind of a file or directory.",
  ...looking,
  input: z.object({ path: pathField }),
  aliases: ALIASES,
  refused: "Nothing was looked up.",
  async run({ session, call }, { path }) {
    const { kind, size, mtimeMs } = await session.resolve(path, "list", call);
    if (kind === "absent") throw refuse("file_missing", { path, action: "read" });
    const isDirectory = kind === "directory";
    const facts = { size, modified: new Date(mtimeMs), isDirectory, isFile: kind === "file" };
    return {
      content: Object.entries(facts)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n"),
    };
  },
});

export const list_allowed_directories = defineTool({
  name: "list_allowed_directories",
  title: "List allowed directories",
  description: "The directories that these tools reach, with all that lies in them.",
  ...looking,
  input: z.object({}),
  anywhere: true,
  refused: "Nothing was listed.",
  async run({ session: { workspace }, roots }) {
    const own = [workspace, ...workspace.further].map(({ backend }) => backend.directory ?? "/");
    return { content: ["Allowed directories:", ...(roots ?? own).map(printable)].join("\n") };
  },
});
