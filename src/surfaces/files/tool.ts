// The one tool of this surface: five commands on files.
import type { z } from "zod";
import { defineTool, type Tool } from "../tool.ts";
import { type Data, plainOutput, textOf, typedOutput } from "./outcome.ts";
import { filesInput, paramsOf } from "./params.ts";
import { runCommand } from "./run.ts";
import type { Settings } from "./settings.ts";

export type FilesTool = Tool<"files", typeof filesInput, Data>;

export function filesTool(settings: Settings): FilesTool {
  const { mode, typed } = settings;
  const where = mode === "store" ? "files of an in-memory store" : "files of the workspace directory";
  return defineTool({
    name: "files",
    title: "File operations",
    description: `Lists, reads, writes, edits${mode === "store" ? " and deletes" : ""} ${where}, for example {"params": {"command": "read", "file_path": "docs/README.md", "offset": 0, "limit": 200}}.`,
    effect: effectOf(settings),
    actions: ["list", "read", "write", "edit", "delete"],
    input: filesInput,
    hidden: Object.keys(filesInput.shape).filter((name) => name !== "params"),
    aliases: { path: "file_path" },
    output: (typed ? typedOutput : plainOutput) as z.ZodType<Data>,
    refused: "Nothing was changed.",
    run: async (context, input) => runCommand(context, settings, paramsOf(input)),
    text: textOf,
  });
}

export function effectOf({ mode, readOnly }: Settings): "read" | "write" | "destroy" {
  if (mode === "store") return "destroy";
  return readOnly ? "read" : "write";
}
