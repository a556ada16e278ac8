// The tools for `query` of the Claude Agent SDK: an MCP server in the same process, and which of its tools need no question.
import { Server } from "@modelcontextprotocol/server";
import { validate, withOptions } from "../api/options.ts";
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { asksAlways, refuseFunction } from "./parts/approvals.ts";
import {
  type AdaptedTool,
  type Effect,
  instructionsOf,
  TOOLS_OPTIONS,
  type ToolRun,
  type ToolsOptions,
  toolsOf,
} from "./tools.ts";

/** Options of `claudeTools`. */
export interface ClaudeOptions extends Pick<ToolsOptions, "only"> {
  /** Effects of tools that the SDK shall ask about, by `canUseTool` or its permission mode. None, unless given. */
  readonly approve?: readonly Effect[] | undefined;
  /** What the server is called: the model sees `mcp__NAME__TOOL`. "stet" unless given. */
  readonly name?: string | undefined;
}

/** To be spread into the options of `query`. */
export interface ClaudeTools {
  /** The server, under its name. */
  readonly mcpServers: Record<string, ClaudeServer>;
  /** Tools that are used without a question. */
  readonly allowedTools: string[];
}

/** A server in this process, as the SDK takes it. */
export interface ClaudeServer {
  /** In this process. */
  readonly type: "sdk";
  /** As in `mcpServers`. */
  readonly name: string;
  /** Of `@modelcontextprotocol/server`. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK names a class of another package, of which it uses `connect` only
  readonly instance: any;
}

const OPTIONS = withOptions(["name"], TOOLS_OPTIONS);

/** `query({ prompt, options: { ...claudeTools(session, surface), tools: [] } })`: `tools: []` leaves out those of the SDK. */
export function claudeTools(session: Session, surface: Surface, options: ClaudeOptions = {}): ClaudeTools {
  validate(options, OPTIONS);
  const { name = "stet", ...wishes } = options;
  const { approve = [] } = wishes;
  refuseFunction(approve);
  const tools = toolsOf(session, surface, wishes);
  const instance = serverOf(name, tools, instructionsOf(session, surface));
  const allowed = tools.filter((tool) => asksAlways(approve, tool) === false);
  return {
    mcpServers: { [name]: { type: "sdk", name, instance } },
    allowedTools: allowed.map((tool) => `mcp__${name}__${tool.name}`),
  };
}

/** An MCP server in this process, as the Claude Agent SDK takes one. */
function serverOf(name: string, tools: readonly AdaptedTool[], instructions: string): Server {
  const server = new Server({ name, version: "1" }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(listed) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools.find((each) => each.name === params.name);
    if (tool === undefined) return resultOf({ ok: false, text: `There is no tool ${params.name}.`, images: [] });
    return resultOf(await tool.run(params.arguments, { id: callId(params._meta), signal: mcpReq.signal }));
  });
  return server;
}

/** Claude Code sends the id that the model's API gave the call. */
function callId(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const id = meta?.["claudecode/toolUseId"];
  return typeof id === "string" ? id : undefined;
}

function listed({ name, title, description, effect, schema }: AdaptedTool) {
  const annotations = { readOnlyHint: effect === "read", destructiveHint: effect === "destroy", openWorldHint: false };
  return { name, title, description, inputSchema: { ...schema, type: "object" as const }, annotations };
}

function resultOf({ ok, text, images }: Pick<ToolRun, "ok" | "text" | "images">) {
  const pictures = images.map(({ base64: data, mimeType }) => ({ type: "image" as const, data, mimeType }));
  return { content: [{ type: "text" as const, text }, ...pictures], isError: !ok };
}
