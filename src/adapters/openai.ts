// The tools for `new Agent({ tools })` of `@openai/agents`: plain objects; and an editor for its `applyPatchTool`.
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { type OpenaiOutput, type OpenaiParameters, outputOf, parametersOf } from "./parts/openai-forms.ts";
import { type ToolsOptions, toolsOf } from "./tools.ts";

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

export { type OpenaiEdited, type OpenaiEditor, openaiEditor } from "./native/apply-patch-editor.ts";
export type { OpenaiOutput, OpenaiParameters } from "./parts/openai-forms.ts";
