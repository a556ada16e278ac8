// The editor behind `applyPatchTool` of `@openai/agents`: each operation is a call of a tool of the surface `workspace`.
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Session } from "../../kernel/session.ts";
import type { Surface } from "../../surfaces/tool.ts";
import { workspace } from "../../surfaces/workspace/index.ts";
import { plainFailure } from "../parts/words.ts";
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
  const tools = toolsOf(session, plainWorkspace);
  const run = async (name: string, input: object): Promise<OpenaiEdited> => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) return failed("The policy of the workspace does not allow it.");
    const { ok, text } = await tool.run(input);
    return { status: ok ? "completed" : "failed", output: text };
  };
  /** Refused before a tool is called: written down as a tool would. */
  const refused = async (path: unknown, action: "create" | "edit", why: string): Promise<OpenaiEdited> => {
    const named = isText(path) ? [{ path: path.slice(0, LIMITS.pathBytes), action }] : [];
    await session.recordRefusal(new Refusal("invalid_input", why), named, { tool: "apply_patch" });
    return failed(why);
  };
  return {
    async createFile({ path, diff }) {
      if (!isText(path) || !isText(diff)) return refused(path, "create", NOT_WHOLE);
      const lines = diff === "" ? [] : diff.replace(/\n$/, "").split("\n");
      if (lines.some((line) => !line.startsWith("+")))
        return refused(path, "create", "Every line of a new file begins with +.");
      const content = lines.map((line) => `${line.slice(1)}\n`).join("");
      return run("create_file", { path, content, createParentDirectories: true });
    },
    async updateFile({ path, diff }) {
      if (!isText(path) || !isText(diff)) return refused(path, "edit", NOT_WHOLE);
      // The head of a patch has no way to write them.
      if (path !== path.trim())
        return refused(path, "edit", "The path begins or ends with white space. Name a file without it.");
      if (/[\r\n]/.test(path) || HEADER.test(diff))
        return refused(path, "edit", "A diff is about one file. Make a call for each file.");
      const lines = ["*** Begin Patch", `*** Update File: ${path}`, diff.replace(/\n$/, ""), "*** End Patch"];
      return run("apply_patch", { patch: `${lines.join("\n")}\n` });
    },
    async deleteFile({ path }) {
      const done = await run("delete_file", { path });
      return done.status === "failed" ? done : { ...done, output: `Deleted ${path}. It is kept in the trash.` };
    },
  };
}

/** The model has one tool: what others do is not named to it. */
const plainWorkspace: Surface = { ...workspace, failure: (failure) => plainFailure(failure, "Read") };

const NOT_WHOLE = "The operation needs a path and a diff, as text.";

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** What begins the part of another file, or ends the patch. */
const HEADER = /^\*\*\* (?!End of File\s*$)/m;

function failed(why: string): OpenaiEdited {
  return { status: "failed", output: `Nothing was changed. ${why}` };
}
