// The one tool of this surface, five commands on files as far as mode and policy leave them, and the five older tools.
import * as z from "zod";
import { Refusal, reworded } from "../../core/failure.ts";
import type { Policy } from "../../kernel/policy/policy.ts";
import type { ToolContext } from "../tool.ts";
import { type AnyTool, defineTool, type Tool } from "../tool.ts";
import { edit, remove, write } from "./change.ts";
import {
  ACTIONS,
  ALIASES,
  type Command,
  type Data,
  dataOf,
  filesInput,
  isReading,
  type Outcome,
  type Params,
  paramsOf,
  plainOutput,
  shownInput,
  textOf,
  typedOutput,
  UNION,
} from "./params.ts";
import { type Place, placeOf } from "./place.ts";
import { ls, read } from "./read.ts";
import type { Settings } from "./settings.ts";

export type FilesTool = Tool<"files", typeof filesInput, Data>;

export function filesTool(settings: Settings): FilesTool {
  const all = commandsOf(settings);
  const offeredFor = (policy: Pick<Policy, "permits">): FilesTool => {
    const permitted = all.filter((command) => policy.permits(ACTIONS[command]));
    return permitted.length === all.length ? tool : toolOf(settings, permitted, offeredFor);
  };
  const tool = toolOf(settings, all, offeredFor);
  return tool;
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

export async function runCommand(context: ToolContext, settings: Settings, params: Params): Promise<Data> {
  const place = placeOf(context, settings, params);
  try {
    return dataOf(await execute(place, params), settings.typed);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A store keeps a journal of its own: nothing of the workspace is attempted.
    if (settings.mode === "sandbox" && "file_path" in params && !isReading(params.command)) {
      const target = { path: params.file_path, action: ACTIONS[params.command] };
      await context.session.recordRefusal(error, [target], place.call);
    }
    throw reworded(error, { facts: { ...error.facts, at: { params, place } } });
  }
}

function execute(place: Place, params: Params): Promise<Outcome> {
  switch (params.command) {
    case "ls":
      return ls(place);
    case "read":
      return read(place, params);
    case "write":
      return write(place, params);
    case "edit":
      return edit(place, params);
    case "delete":
      return remove(place, params);
  }
}

const WRAPPERS: readonly (readonly [name: string, command: Command, title: string])[] = [
  ["read_file", "read", "Read a file"],
  ["write_file", "write", "Write a file"],
  ["edit_file", "edit", "Edit a file"],
  ["ls", "ls", "List files"],
  ["delete_file", "delete", "Delete a file"],
];

/** A read-only sandbox has none that change; one that can be written still has delete_file, to say what the mode disables. */
export function wrapperTools(settings: Settings): readonly AnyTool[] {
  const readOnly = settings.mode === "sandbox" && settings.readOnly;
  const offered = WRAPPERS.filter(([, command]) => !readOnly || isReading(command));
  return offered.map(([name, command, title]) => {
    const { command: _command, ...fields } = UNION[command].shape;
    return defineTool({
      name,
      title,
      description: `Older name of files with command ${command}; prefer files.`,
      effect: effectOf([command]),
      actions: [ACTIONS[command]],
      input: z.object(fields),
      reads: () => settings.mode === "store" || isReading(command),
      aliases: aliasesOf(fields),
      deadlineMs: settings.timeoutMs,
      output: (settings.typed ? typedOutput : plainOutput) as z.ZodType<Data>,
      refused: "Nothing was changed.",
      run: (context, input) => runCommand(context, settings, { ...input, command } as Params),
      text: textOf,
    });
  });
}

function aliasesOf(fields: object): Record<string, string> {
  return Object.fromEntries(Object.entries(ALIASES).filter(([, name]) => Object.hasOwn(fields, name)));
}
