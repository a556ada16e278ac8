// The tools for `generateText`, `streamText` and agents of the AI SDK (`ai`): plain objects, nothing of theirs is imported.
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { type ModelOutput, modelOutput } from "./parts/model-output.ts";
import { type OpenSchema, openSchema } from "./parts/schema-of.ts";
import { type AdaptedTool, type ToolRun, type ToolsOptions, toolsOf } from "./tools.ts";

/** What the model receives of a result: a refusal as an error, pictures as files. */
export type AiOutput = ModelOutput<AiFile>;

interface AiFile {
  readonly type: "file";
  readonly mediaType: string;
  readonly data: { readonly type: "data"; readonly data: string };
}

/** One tool, as the AI SDK takes it. */
export interface AiTool {
  /** For people. */
  readonly title: string;
  /** For models. */
  readonly description: string;
  /** The parameters. What is wrong with a call is said by the tool. */
  readonly inputSchema: OpenSchema;
  /** Whether a person is asked first. */
  readonly needsApproval: (input: unknown) => Promise<boolean>;
  /** Makes the call. */
  readonly execute: (
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<ToolRun>;
  /** What the model receives of it. */
  readonly toModelOutput: (result: { readonly output: ToolRun }) => AiOutput;
}

/** `generateText({ model, tools: aiTools(session, surface), … })`. */
export function aiTools(session: Session, surface: Surface, options?: ToolsOptions): Record<string, AiTool> {
  return Object.fromEntries(toolsOf(session, surface, options).map((tool) => [tool.name, aiTool(tool)]));
}

function aiTool(tool: AdaptedTool): AiTool {
  return {
    title: tool.title,
    description: tool.description,
    inputSchema: openSchema(tool.schema),
    needsApproval: (input) => tool.needsApproval(input),
    execute: (input, { toolCallId, abortSignal }) => tool.run(input, { id: toolCallId, signal: abortSignal }),
    toModelOutput: ({ output }) => modelOutput(output, fileOf),
  };
}

function fileOf(data: string, mediaType: string): AiFile {
  return { type: "file", mediaType, data: { type: "data", data } };
}
