// The tools for `new Agent({ tools })` of `@openai/agents`: plain objects; and an editor for its `applyPatchTool`.
import { validate, withOptions } from "../api/options.ts";
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { asksAlways } from "./parts/approvals.ts";
import { type OpenaiTool, outputOf, parametersOf } from "./parts/openai-forms.ts";
import { settled } from "./parts/openai-sdk.ts";
import { TOOLS_OPTIONS, type ToolsOptions, toolsOf } from "./tools.ts";

/** Options of the tools of `@openai/agents`. */
export interface OpenaiOptions extends ToolsOptions {
  /** False: the model may leave out parameters that are not required. Strict unless given. */
  readonly strict?: boolean | undefined;
}

const OPTIONS = withOptions(["strict"], TOOLS_OPTIONS);

/** `new Agent({ tools: openaiTools(session, surface), … })`. */
export function openaiTools(session: Session, surface: Surface, options: OpenaiOptions = {}): OpenaiTool[] {
  validate(options, OPTIONS);
  const { strict = true, ...wishes } = options;
  return toolsOf(session, surface, wishes).map((tool) => {
    const plain: OpenaiTool = {
      type: "function",
      name: tool.name,
      description: tool.description,
      strict,
      parameters: parametersOf(tool, strict),
      needsApproval: (_context, input) => tool.needsApproval(input),
      isEnabled: async () => true,
      invoke: async (_context, input, details) =>
        outputOf(await tool.run(input, { id: details?.toolCall?.callId, signal: details?.signal })),
    };
    return settled(plain, asksAlways(options.approve, tool));
  });
}

export { type OpenaiEdited, type OpenaiEditor, openaiEditor } from "./native/apply-patch-editor.ts";
export type { OpenaiOutput, OpenaiParameters, OpenaiTool } from "./parts/openai-forms.ts";
