// Claude's memory (`memory_20250818`) as a surface of one tool: /memories is the root of the workspace.
import { z } from "zod";
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import { defineTool, type Surface, type ToolContext } from "../../surfaces/tool.ts";
import { deleteTree, moveTree } from "../parts/directories.ts";
import { plainFailure } from "../parts/words.ts";
import { COMMANDS, doneBy, missing, PARAMETERS, type Place } from "./commands.ts";

const input = z.object({
  command: z.enum([...COMMANDS, "delete", "rename"]),
  path: z.string().optional(),
  ...PARAMETERS,
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
  switch (input.command) {
    case "delete":
      await deleteTree(context.session, placeIn(input).at, context.call);
      return `Successfully deleted ${input.path}`;
    case "rename":
      return rename(context, input);
    default:
      return doneBy(input.command, context, placeIn(input), input);
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
