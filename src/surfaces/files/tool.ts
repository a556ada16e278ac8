// The one tool of this surface: five commands on files.
import type { z } from "zod";
import type { Action } from "../../kernel/policy.ts";
import { defineTool, type Tool } from "../tool.ts";
import { type Data, plainOutput, textOf, typedOutput } from "./outcome.ts";
import { ALIASES, filesInput, paramsOf } from "./params.ts";
import { runCommand } from "./run.ts";
import type { Settings } from "./settings.ts";

export type FilesTool = Tool<"files", typeof filesInput, Data>;

export function filesTool(settings: Settings): FilesTool {
  const { mode, typed } = settings;
  const where = mode === "store" ? "files of an in-memory store" : "files of the workspace directory";
  return defineTool({
    name: "files",
    title: "File operations",
    description: `${whatItDoes(settings)} ${where}, for example {"params": {"command": "read", "file_path": "docs/README.md", "offset": 0, "limit": 200}}.`,
    effect: effectOf(settings),
    actions: actionsOf(settings),
    // A store keeps a journal of its own: nothing of the workspace is attempted.
    reads: ({ params, command }) => mode === "store" || READING.has(params?.command ?? command),
    deadlineMs: settings.timeoutMs,
    input: filesInput,
    hidden: Object.keys(filesInput.shape).filter((name) => name !== "params"),
    // The flat form, which is taken too, has none.
    required: ["params"],
    aliases: ALIASES,
    output: (typed ? typedOutput : plainOutput) as z.ZodType<Data>,
    refused: "Nothing was changed.",
    run: async (context, input) => runCommand(context, settings, paramsOf(input)),
    text: textOf,
  });
}

function whatItDoes({ mode, readOnly }: Settings): string {
  if (mode === "store") return "Lists, reads, writes, edits and deletes";
  return readOnly ? "Lists and reads" : "Lists, reads, writes and edits";
}

const READING: ReadonlySet<string | undefined> = new Set(["ls", "read"]);

/** Offered while one of its commands is allowed: a read-only workspace can still be listed and read. */
function actionsOf({ mode, readOnly }: Settings): readonly Action[] {
  if (mode === "store") return ["list", "read", "write", "edit", "delete"];
  return readOnly ? ["list", "read"] : ["list", "read", "write", "edit"];
}

export function effectOf({ mode, readOnly }: Settings): "read" | "write" | "destroy" {
  if (mode === "store") return "destroy";
  return readOnly ? "read" : "write";
}
