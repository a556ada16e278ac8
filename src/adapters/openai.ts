// The tools for `new Agent({ tools })` of `@openai/agents`, and an editor for its `applyPatchTool`: plain objects.
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { workspace } from "../surfaces/workspace/index.ts";
import { type AdaptedTool, type ToolRun, type ToolsOptions, toolsOf } from "./tools.ts";

/** A JSON Schema as `@openai/agents` types it. */
export interface OpenaiParameters<Additional extends boolean = boolean> {
  /** All tools take an object. */
  readonly type: "object";
  /** One for each parameter. */
  // biome-ignore lint/suspicious/noExplicitAny: their type of a schema
  readonly properties: Record<string, Record<string, any>>;
  /** In strict mode all of them. */
  readonly required: string[];
  /** In strict mode none are. */
  readonly additionalProperties: Additional;
}

/** What the model receives of a result: its words, or with pictures a list of parts. */
export type OpenaiOutput =
  | string
  | ({ type: "text"; text: string } | { type: "image"; image: { data: string; mediaType: string } })[];

interface Details {
  readonly toolCall?: { readonly callId?: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One tool, as `@openai/agents` takes it. */
export interface OpenaiTool {
  /** A tool that the program runs. */
  readonly type: "function";
  /** What models call it. */
  readonly name: string;
  /** For models. */
  readonly description: string;
  /** Whether the model must follow the schema. */
  readonly strict: boolean;
  /** What the model sees. */
  readonly parameters: OpenaiParameters<true> | OpenaiParameters<false>;
  /** Whether a person is asked first. */
  readonly needsApproval: (context: unknown, input: unknown) => Promise<boolean>;
  /** Always there: a policy takes tools away before. */
  readonly isEnabled: () => Promise<boolean>;
  /** Makes the call. A refusal is its answer, since the API has no mark for one. */
  readonly invoke: (context: unknown, input: string, details?: Details) => Promise<OpenaiOutput>;
}

/** What the tools of `@openai/agents` can be told. */
export interface OpenaiOptions extends ToolsOptions {
  /** False: the model may leave out parameters that are not required. Strict unless given. */
  readonly strict?: boolean | undefined;
}

/** `new Agent({ tools: openaiTools(session, surface), … })`. */
export function openaiTools(session: Session, surface: Surface, options: OpenaiOptions = {}): OpenaiTool[] {
  const { strict = true } = options;
  return toolsOf(session, surface, options).map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    strict,
    parameters: parametersOf(tool, strict),
    needsApproval: (_context, input) => tool.needsApproval(input),
    isEnabled: async () => true,
    invoke: async (_context, input, details) =>
      outputOf(await tool.run(input, { id: details?.toolCall?.callId, signal: details?.signal })),
  }));
}

function parametersOf(tool: AdaptedTool, strict: boolean): OpenaiParameters<true> | OpenaiParameters<false> {
  const { properties = {}, required = [] } = (strict ? tool.strict() : tool.schema) as Partial<OpenaiParameters>;
  return { type: "object", properties, required, additionalProperties: !strict } as OpenaiParameters<false>;
}

function outputOf({ text, images }: ToolRun): OpenaiOutput {
  if (images.length === 0) return text;
  const pictures = images.map(({ base64: data, mimeType: mediaType }) => {
    return { type: "image" as const, image: { data, mediaType } };
  });
  return [{ type: "text", text }, ...pictures];
}

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
      const lines = diff === "" ? [] : diff.replace(/\n$/, "").split("\n");
      if (lines.some((line) => !line.startsWith("+"))) return failed("Every line of a new file begins with +.");
      const content = lines.map((line) => `${line.slice(1)}\n`).join("");
      return run("create_file", { path, content, createParentDirectories: true });
    },
    async updateFile({ path, diff }) {
      if (/[\r\n]/.test(path) || HEADER.test(diff))
        return failed("A diff is about one file. Make a call for each file.");
      const lines = ["*** Begin Patch", `*** Update File: ${path}`, diff.replace(/\n$/, ""), "*** End Patch"];
      return run("apply_patch", { patch: `${lines.join("\n")}\n` });
    },
    deleteFile: ({ path }) => run("delete_file", { path }),
  };
}

/** What begins the part of another file, or ends the patch. */
const HEADER = /^\*\*\* (?!End of File\s*$)/m;

function failed(why: string): OpenaiEdited {
  return { status: "failed", output: `Nothing was changed. ${why}` };
}
