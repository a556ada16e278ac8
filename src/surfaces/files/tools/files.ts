// The one tool of this surface: five commands on files, as far as mode and policy leave them.
import type { z } from "zod";
import type { Policy } from "../../../kernel/policy/policy.ts";
import { defineTool, type Tool } from "../../tool.ts";
import { type Data, plainOutput, textOf, typedOutput } from "../outcome.ts";
import { ACTIONS, ALIASES, type Command, filesInput, isReading, paramsOf, shownInput } from "../params.ts";
import { runCommand } from "../run.ts";
import type { Settings } from "../settings.ts";

export type FilesTool = Tool<"files", typeof filesInput, Data>;

export function filesTool(settings: Settings): FilesTool {
  const all = commandsOf(settings);
  const made = new Map<string, FilesTool>();
  const withCommands = (commands: readonly Command[]): FilesTool => {
    const key = commands.join();
    const tool = made.get(key) ?? toolOf(settings, commands, offeredFor);
    made.set(key, tool);
    return tool;
  };
  const offeredFor = (policy: Pick<Policy, "permits">): FilesTool =>
    withCommands(all.filter((command) => policy.permits(ACTIONS[command])));
  return withCommands(all);
}

/** Those that are not always refused. */
function commandsOf({ mode, readOnly }: Settings): readonly Command[] {
  if (mode === "store") return ["ls", "read", "write", "edit", "delete"];
  return readOnly ? ["ls", "read"] : ["ls", "read", "write", "edit"];
}

/** Whatever is shown, every command is taken: one that may not be used is refused in its own words. */
function toolOf(
  settings: Settings,
  commands: readonly Command[],
  offeredFor: NonNullable<FilesTool["offeredFor"]>,
): FilesTool {
  const { mode, typed } = settings;
  const where = mode === "store" ? "files of an in-memory store" : "files of the workspace directory";
  return defineTool({
    name: "files",
    title: "File operations",
    description: `${whatItDoes(commands)} ${where}, for example {"params": ${exampleOf(commands)}}.`,
    effect: effectOf(commands),
    actions: commands.map((command) => ACTIONS[command]),
    offeredFor,
    // A store keeps a journal of its own: nothing of the workspace is attempted.
    reads: ({ params, command }) => mode === "store" || isReading(params?.command ?? command),
    deadlineMs: settings.timeoutMs,
    input: filesInput,
    shown: shownInput(commands),
    aliases: ALIASES,
    output: (typed ? typedOutput : plainOutput) as z.ZodType<Data>,
    refused: "Nothing was changed.",
    run: async (context, input) => runCommand(context, settings, paramsOf(input)),
    text: textOf,
  });
}

const VERBS = { ls: "lists", read: "reads", write: "writes", edit: "edits", delete: "deletes" } as const;

function whatItDoes(commands: readonly Command[]): string {
  const words = new Intl.ListFormat("en-GB").format(commands.map((command) => VERBS[command]));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function exampleOf(commands: readonly Command[]): string {
  if (commands.includes("read")) return '{"command": "read", "file_path": "docs/README.md", "offset": 0, "limit": 200}';
  const [command = "ls"] = commands;
  return command === "ls" ? '{"command": "ls"}' : `{"command": "${command}", "file_path": "docs/README.md", …}`;
}

export function effectOf(commands: readonly Command[]): "read" | "write" | "destroy" {
  if (commands.includes("delete")) return "destroy";
  return commands.every(isReading) ? "read" : "write";
}
