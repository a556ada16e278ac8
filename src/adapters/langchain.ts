// The tools for `createAgent({ tools })` of `langchain` and for models of `@langchain/core`, which is an optional peer.
import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool } from "@langchain/core/tools";
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { asksAlways, refuseApprove, refuseFunction, refuseUnknown } from "./parts/approvals.ts";
import { openSchema } from "./parts/schema-of.ts";
import { type Effect, type ToolRun, type ToolsOptions, toolsOf } from "./tools.ts";

/** One tool of LangChain: a `DynamicStructuredTool`. */
// biome-ignore lint/suspicious/noExplicitAny: their class, whose types come with another package
export type LangchainTool = any;

/** `createAgent({ model, tools: langchainTools(session, surface) })`. To ask first: `langchainApprovals`. */
export function langchainTools(
  session: Session,
  surface: Surface,
  options?: Pick<ToolsOptions, "only">,
): LangchainTool[] {
  refuseApprove(options, "Give it to langchainApprovals, for humanInTheLoopMiddleware.");
  return toolsOf(session, surface, options).map(
    (tool) =>
      new DynamicStructuredTool({
        name: tool.name,
        description: tool.description,
        // LangChain would say what is wrong with a call in words of its own; the tool says it in its words.
        schema: openSchema(tool.schema),
        func: async (input, _manager, config?: Config) => {
          const id = config?.toolCall?.id;
          const run = await tool.run(input, { id, signal: config?.signal });
          return id === undefined ? run.text : new ToolMessage(messageFields(tool.name, run, id));
        },
      }),
  );
}

/** `humanInTheLoopMiddleware({ interruptOn: langchainApprovals(session, surface, ["destroy"]) })`. */
export function langchainApprovals(
  session: Session,
  surface: Surface,
  approve: readonly Effect[],
): Record<string, boolean> {
  refuseFunction(approve);
  refuseUnknown({ approve }, surface);
  const tools = toolsOf(session, surface);
  return Object.fromEntries(tools.map((tool) => [tool.name, asksAlways(approve, tool) !== false]));
}

interface Config {
  readonly toolCall?: { readonly id?: string };
  readonly signal?: AbortSignal;
}

/** A refusal as an error, pictures as such, and the data for programs as the artifact. */
function messageFields(name: string, { ok, text, images, data: artifact }: ToolRun, id: string) {
  const pictures = images.map(({ base64, mimeType }) => {
    return { type: "image_url", image_url: { url: `data:${mimeType};base64,${base64}` } };
  });
  return {
    name,
    tool_call_id: id,
    status: ok ? ("success" as const) : ("error" as const),
    content: images.length === 0 ? text : [{ type: "text", text }, ...pictures],
    artifact,
  };
}
