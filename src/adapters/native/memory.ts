// Claude's memory (`memory_20250818`) as a surface of one tool: /memories is the root of the workspace.
import { z } from "zod";
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import { defineTool, type Surface, type ToolContext } from "../../surfaces/tool.ts";
import { deleteTree, moveTree } from "../directories.ts";
import { plainFailure } from "../words.ts";
import { create, insert, missing, type Place, range, replace, view } from "./commands.ts";

const input = z.object({
  command: z.enum(["view", "create", "str_replace", "insert", "delete", "rename"]),
  path: z.string().optional(),
  view_range: range.optional(),
  file_text: z.string().optional(),
  old_str: z.string().optional(),
  new_str: z.string().optional(),
  insert_line: z.int().min(0).optional(),
  insert_text: z.string().optional(),
  old_path: z.string().optional(),
  new_path: z.string().optional(),
});
type Input = z.output<typeof input>;

const memory = defineTool({
  name: "memory",
  title: "Memory",
  description: "Views, creates, edits, renames and deletes files in /memories.",
  effect: "destroy",
  actions: ["read", "write", "edit", "delete", "move"],
  reads: ({ command }) => command === "view",
  input,
  output: z.object({ command: z.string(), said: z.string() }),
  refused: "The memory is unchanged.",
  async run(context, given) {
    return { command: given.command, said: await done(context, given) };
  },
  text: ({ said }) => said,
});

async function done(context: ToolContext, input: Input): Promise<string> {
  const { command, view_range, file_text, old_str, new_str, insert_line, insert_text } = input;
  switch (command) {
    case "view":
      return view(context, placeIn(input), view_range);
    case "create":
      if (file_text === undefined) throw missing(command, ["file_text"]);
      return create(context, placeIn(input), file_text);
    case "str_replace":
      if (old_str === undefined) throw missing(command, ["old_str"]);
      return replace(context, placeIn(input), old_str, new_str ?? "");
    case "insert":
      if (insert_line === undefined || insert_text === undefined)
        throw missing(command, ["insert_line", "insert_text"]);
      return insert(context, placeIn(input), insert_line, insert_text);
    case "delete":
      await deleteTree(context.session, placeIn(input).at, context.call);
      return `Successfully deleted ${input.path}`;
    case "rename":
      return rename(context, input);
  }
}

async function rename({ session, call }: ToolContext, { command, old_path, new_path }: Input): Promise<string> {
  if (old_path === undefined || new_path === undefined) throw missing(command, ["old_path", "new_path"]);
  await moveTree(session, inMemories(old_path), inMemories(new_path), call);
  return `Successfully renamed ${old_path} to ${new_path}`;
}

function placeIn({ command, path }: Input): Place {
  if (path === undefined) throw missing(command, ["path"]);
  return { path, at: inMemories(path) };
}

function inMemories(path: string): string {
  const [, rest] = /^\/memories(?:\/+(.*))?$/s.exec(path) ?? [];
  if (rest !== undefined && rest !== "") return rest;
  if (/^\/memories\/*$/.test(path)) return ".";
  throw new Refusal("outside_workspace", `${shown(path)} is not in /memories.`, {
    path,
    next: "Use a path that starts with /memories.",
  });
}

export const memorySurface: Surface = {
  name: "memory_20250818",
  title: "Memory",
  guidance: "",
  tools: [memory],
  failure: (failure) => plainFailure(failure, "View"),
};
