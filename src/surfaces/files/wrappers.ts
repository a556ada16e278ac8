// The five older tools, one per command, for prompts and configurations that still use them.
import { z } from "zod";
import type { Action } from "../../kernel/policy.ts";
import { type AnyTool, defineTool } from "../tool.ts";
import { type Data, plainOutput, textOf, typedOutput } from "./outcome.ts";
import { ALIASES, type Command, type Params, UNION } from "./params.ts";
import { runCommand } from "./run.ts";
import type { Settings } from "./settings.ts";
import { effectOf } from "./tool.ts";

const WRAPPERS: readonly (readonly [name: string, command: Command, action: Action, title: string])[] = [
  ["read_file", "read", "read", "Read a file"],
  ["write_file", "write", "write", "Write a file"],
  ["edit_file", "edit", "edit", "Edit a file"],
  ["ls", "ls", "list", "List files"],
  ["delete_file", "delete", "delete", "Delete a file"],
];

export function wrapperTools(settings: Settings): readonly AnyTool[] {
  return WRAPPERS.map(([name, command, action, title]) => {
    const { command: _command, ...fields } = UNION[command].shape;
    const changes = command !== "ls" && command !== "read";
    return defineTool({
      name,
      title,
      description: `Older name of files with command ${command}; prefer files.`,
      effect: changes ? effectOf(settings) : "read",
      actions: [action],
      input: z.object(fields),
      reads: () => settings.mode === "store" || !changes,
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
