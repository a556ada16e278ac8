// The editor behind `applyPatchTool` of `@openai/agents`: each operation is a call of a tool of the surface `workspace`.
import type { Session } from "../../kernel/session.ts";
import { workspace } from "../../surfaces/workspace/index.ts";
import { toolsOf } from "../tools.ts";

interface Operation {
  readonly path: string;
}

interface Patch extends Operation {
  readonly diff: string;
}

/** What an operation came to. */
export interface OpenaiEdited {
  /** Failed: it was refused, and nothing was changed. */
  status: "completed" | "failed";
  /** For the model. */
  output: string;
}

/** As `applyPatchTool({ editor })` takes it. */
export interface OpenaiEditor {
  /** From a diff of added lines. */
  createFile(operation: Patch): Promise<OpenaiEdited>;
  /** By a diff without its head. */
  updateFile(operation: Patch): Promise<OpenaiEdited>;
  /** Into the trash. */
  deleteFile(operation: Operation): Promise<OpenaiEdited>;
}

/**
 * `applyPatchTool({ editor: openaiEditor(session) })`, for models that know the tool by heart. Beside it, give the agent
 * a surface without `apply_patch`, or leave that out with `only`.
 */
export function openaiEditor(session: Session): OpenaiEditor {
  const tools = toolsOf(session, workspace);
  const run = async (name: string, input: object): Promise<OpenaiEdited> => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) return failed("The policy of the workspace does not allow it.");
    const { ok, text } = await tool.run(input);
    return { status: ok ? "completed" : "failed", output: text };
  };
  return {
    async createFile({ path, diff }) {
      if (!isText(path) || !isText(diff)) return failed(NOT_WHOLE);
      const lines = diff === "" ? [] : diff.replace(/\n$/, "").split("\n");
      if (lines.some((line) => !line.startsWith("+"))) return failed("Every line of a new file begins with +.");
      const content = lines.map((line) => `${line.slice(1)}\n`).join("");
      return run("create_file", { path, content, createParentDirectories: true });
    },
    async updateFile({ path, diff }) {
      if (!isText(path) || !isText(diff)) return failed(NOT_WHOLE);
      // The head of a patch has no way to write them.
      if (path !== path.trim()) return failed("The path begins or ends with white space. Name a file without it.");
      if (/[\r\n]/.test(path) || HEADER.test(diff))
        return failed("A diff is about one file. Make a call for each file.");
      const lines = ["*** Begin Patch", `*** Update File: ${path}`, diff.replace(/\n$/, ""), "*** End Patch"];
      return run("apply_patch", { patch: `${lines.join("\n")}\n` });
    },
    deleteFile: ({ path }) => run("delete_file", { path }),
  };
}

const NOT_WHOLE = "The operation needs a path and a diff, as text.";

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** What begins the part of another file, or ends the patch. */
const HEADER = /^\*\*\* (?!End of File\s*$)/m;

function failed(why: string): OpenaiEdited {
  return { status: "failed", output: `Nothing was changed. ${why}` };
}
