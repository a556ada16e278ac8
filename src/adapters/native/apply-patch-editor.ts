// The editor behind `applyPatchTool` of `@openai/agents`: each operation is a call of a tool of the surface `workspace`.
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import type { Surface } from "../../surfaces/tool.ts";
import { workspace } from "../../surfaces/workspace/index.ts";
import { answerOf } from "../parts/answers.ts";
import { plainWords } from "../parts/words.ts";
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
  const run = async (name: keyof typeof ACTIONS, path: string, input: object): Promise<OpenaiEdited> => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined)
      return refused(path, ACTIONS[name], async (call) => {
        await session.resolve(path, ACTIONS[name], call);
        throw new Refusal("permission_denied", "The policy of the workspace does not allow it.");
      });
    const { ok, text } = await tool.run(input);
    return { status: ok ? "completed" : "failed", output: text };
  };
  /** Before a tool is called: written down as a tool would, in the words of the answer. */
  const refused = async (path: unknown, action: Action, why: Why): Promise<OpenaiEdited> => {
    const targets = isText(path) ? [{ path: path.slice(0, LIMITS.pathBytes), action }] : [];
    const work = typeof why === "function" ? why : () => Promise.reject(wrong(why));
    const answer = await answerOf(session, { tool: "apply_patch", refused: "Nothing was changed.", targets }, work);
    return { status: "failed", output: "text" in answer ? answer.text : "" };
  };
  return {
    async createFile({ path, diff }) {
      if (!isText(path) || !isText(diff)) return refused(path, "create", NOT_WHOLE);
      const lines = diff === "" ? [] : diff.replace(/\n$/, "").split("\n");
      if (lines.some((line) => !line.startsWith("+")))
        return refused(path, "create", ["Every line of a new file begins with +.", "Put it before each."]);
      const content = lines.map((line) => `${line.slice(1)}\n`).join("");
      return run("create_file", path, { path, content, createParentDirectories: true });
    },
    async updateFile({ path, diff }) {
      if (!isText(path) || !isText(diff)) return refused(path, "edit", NOT_WHOLE);
      // The head of a patch has no way to write them.
      if (path !== path.trim())
        return refused(path, "edit", ["The path begins or ends with white space.", "Name a file without it."]);
      if (/[\r\n]/.test(path) || HEADER.test(diff))
        return refused(path, "edit", ["A diff is about one file.", "Make a call for each file."]);
      const lines = ["*** Begin Patch", `*** Update File: ${path}`, diff.replace(/\n$/, ""), "*** End Patch"];
      return run("apply_patch", path, { patch: `${lines.join("\n")}\n` });
    },
    async deleteFile({ path }) {
      const done = await run("delete_file", path, { path });
      return done.status === "failed" ? done : { ...done, output: `Deleted ${path}. It is kept in the trash.` };
    },
  };
}

/** The model has one tool: what others do is not named to it. */
const plainWorkspace: Surface = { ...workspace, words: plainWords("Read") };

const ACTIONS = { create_file: "create", apply_patch: "edit", delete_file: "delete" } as const;
type Action = (typeof ACTIONS)[keyof typeof ACTIONS];

/** In words, with the next action; or what is refused when it is tried. */
type Why = readonly [why: string, next: string] | ((call: CallOptions) => Promise<never>);

function wrong([why, next]: readonly [string, string]): Refusal {
  return new Refusal("invalid_input", why, { next });
}

const NOT_WHOLE: Why = ["The operation needs a path and a diff, as text.", "Give both."];

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** What begins the part of another file, or ends the patch. */
const HEADER = /^\*\*\* (?!End of File\s*$)/m;
