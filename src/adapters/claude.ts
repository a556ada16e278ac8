// The tools for `query` of the Claude Agent SDK: an MCP server in the same process, and which of its tools need no question.
import { validate, withOptions } from "../core/options.ts";
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { asksAlways, refuseFunction } from "./parts/approvals.ts";
import { serverOf } from "./parts/in-process-server.ts";
import { type Effect, instructionsOf, TOOLS_OPTIONS, type ToolsOptions, toolsOf } from "./tools.ts";

/** What the Claude Agent SDK can be told of these tools. */
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
