// Claude's own tools for the tool runner of `@anthropic-ai/sdk`: the model knows them without a schema.
import * as z from "zod";
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import type { Session } from "../../kernel/session.ts";
import { deleteTree, moveTree } from "../../surfaces/shared/directories.ts";
import { type AnyTool, defineTool, type Surface, type ToolContext } from "../../surfaces/tool.ts";
import { type AnthropicRunnable, runnable } from "../parts/anthropic-runnable.ts";
import { relativeIn } from "../parts/framework-paths.ts";
import { plainWords } from "../parts/words.ts";
import { type AdaptedTool, toolsOf } from "../tools.ts";
import { COMMANDS, doneBy, missing, PARAMETERS, type Place } from "./commands.ts";

/** The text editor that Claude knows without a schema. */
export interface AnthropicTextEditor extends AnthropicRunnable {
  /** Of the API. */
  type: "text_editor_20250728";
  /** Of the API. */
  name: "str_replace_based_edit_tool";
}

/** Claude's own text editor on a workspace: what it changes it must have viewed, and every version is kept. */
export function anthropicTextEditor(session: Session): AnthropicTextEditor {
  const name = "str_replace_based_edit_tool";
  return { type: "text_editor_20250728", name, ...runnable(onlyTool(session, textEditorSurface)) };
}

/** The memory that Claude knows without a schema. */
export interface AnthropicMemory extends AnthropicRunnable {
  /** Of the API. */
  type: "memory_20250818";
  /** Of the API. */
  name: "memory";
}

/** Claude's own memory tool; its `/memories` is the root of the session's workspace. */
export function anthropicMemory(session: Session): AnthropicMemory {
  return { type: "memory_20250818", name: "memory", ...runnable(onlyTool(session, memorySurface)) };
}

/** Also where a policy leaves nothing of it: then every call is refused, in words. */
function onlyTool(session: Session, surface: Surface): Pick<AdaptedTool, "run"> {
  const [tool] = toolsOf(session, surface);
  if (tool !== undefined) return tool;
  const text = "Nothing was done. The policy of the workspace allows nothing of what this tool does.";
  return { run: async () => ({ ok: false, text, images: [], warnings: [], data: undefined }) };
}

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

const memorySurface = surfaceOf("memory_20250818", memory);

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

const textEditorSurface = surfaceOf("text_editor_20250728", editor);

function surfaceOf(name: string, tool: AnyTool): Surface {
  return { name, title: tool.title, guidance: "", tools: [tool], words: plainWords("View") };
}
