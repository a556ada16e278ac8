// The tools for `client.beta.messages.toolRunner({ tools })` of `@anthropic-ai/sdk`: plain objects; and its own tool types.
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { type AnthropicRunnable, runnable } from "./parts/anthropic-runnable.ts";
import { refuseApprove } from "./parts/approvals.ts";
import { type ToolsOptions, toolsOf } from "./tools.ts";

/** One tool, as the runner takes it. */
export interface AnthropicTool extends AnthropicRunnable {
  /** A tool of the program's own. */
  type: "custom";
  /** What models call it. */
  name: string;
  /** For models. */
  description: string;
  /** The parameters. */
  input_schema: { type: "object"; [key: string]: unknown };
}

/** `client.beta.messages.toolRunner({ tools: anthropicTools(session, surface), … })`. */
export function anthropicTools(
  session: Session,
  surface: Surface,
  options?: Pick<ToolsOptions, "only">,
): AnthropicTool[] {
  refuseApprove(options, "Leave out with `only` what shall not be done unasked.");
  return toolsOf(session, surface, options).map((tool) => ({
    type: "custom",
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.schema, type: "object" },
    ...runnable(tool),
  }));
}

export {
  type AnthropicMemory,
  type AnthropicTextEditor,
  anthropicMemory,
  anthropicTextEditor,
} from "./native/claude-tools.ts";
export type { AnthropicContent, AnthropicRunnable } from "./parts/anthropic-runnable.ts";
