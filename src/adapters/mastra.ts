// The tools for `new Agent({ tools })` of `@mastra/core`: plain objects, nothing of theirs is imported.
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { modelOutput } from "./parts/model-output.ts";
import { type OpenSchema, openSchema } from "./parts/schema-of.ts";
import { type AdaptedTool, type ToolRun, type ToolsOptions, toolsOf } from "./tools.ts";

/** One tool, as Mastra takes it. */
export interface MastraTool {
  /** What models call it. */
  readonly id: string;
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
    options?: { readonly toolCallId?: string | undefined; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<ToolRun>;
  /** What the model receives of it. */
  readonly toModelOutput: (output: unknown) => unknown;
}

/** `new Agent({ tools: mastraTools(session, surface), … })`. */
export function mastraTools(session: Session, surface: Surface, options?: ToolsOptions): Record<string, MastraTool> {
  return Object.fromEntries(toolsOf(session, surface, options).map((tool) => [tool.name, mastraTool(tool)]));
}

function mastraTool(tool: AdaptedTool): MastraTool {
  return {
    id: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: openSchema(tool.schema),
    needsApproval: (input) => tool.needsApproval(input),
    execute: (input, options) => tool.run(input, { id: options?.toolCallId, signal: options?.abortSignal }),
    toModelOutput: (output) =>
      modelOutput(output as ToolRun, (data, mediaType) => ({ type: "media", data, mediaType })),
  };
}
