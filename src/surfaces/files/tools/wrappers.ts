// The five older tools, one per command, for prompts and configurations that still use them.
import * as z from "zod";
import { type AnyTool, defineTool } from "../../tool.ts";
import { type Data, plainOutput, textOf, typedOutput } from "../outcome.ts";
import { ACTIONS, ALIASES, type Command, isReading, type Params, UNION } from "../params.ts";
import { runCommand } from "../run.ts";
import type { Settings } from "../settings.ts";
import { effectOf } from "./files.ts";

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
