// The tools as MCP describes them: made once, since over HTTP a server is built for every request.
import type { Tool as McpTool } from "@modelcontextprotocol/server";
import { offeredTools } from "../surfaces/offer.ts";
import { inputSchema, type JsonSchema, outputSchema } from "../surfaces/schema.ts";
import type { AnyTool } from "../surfaces/tool.ts";
import type { ServeOptions } from "./served.ts";

export interface Described {
  /** In the order of the surface; what any of the workspaces offers. */
  readonly tools: readonly AnyTool[];
  /** The same list for everybody whose calls carry a handle, or carry none. */
  listed(withHandle: boolean): McpTool[];
}

export function describeTools({ surface, served, results }: ServeOptions): Described {
  const tools = offeredTools(surface, {
    permits: (action) => served.length === 0 || served.some(({ workspace }) => workspace.policy.permits(action)),
  });
  const names = served.map(({ name }) => name);
  const workspace = { type: "string", enum: names, description: "The workspace that paths are relative to" };
  const session = { type: "string", description: "The handle that your first call returned" };
  const first: Fields = served.length > 1 ? { workspace } : {};
  const lists = new Map<boolean, McpTool[]>();
  return {
    tools,
    listed(withHandle) {
      const known = lists.get(withHandle);
      if (known !== undefined) return known;
      const optional: Fields = withHandle ? { session } : {};
      const list = tools.map((tool) => ({
        ...described(tool, first, optional),
        ...(results === "structured" && { outputSchema: structured(tool, { ...first, ...optional }) }),
      }));
      lists.set(withHandle, list);
      return list;
    },
  };
}

type Fields = Readonly<Record<string, JsonSchema>>;

function described(tool: AnyTool, required: Fields, optional: Fields): McpTool {
  const { name, title, description, effect, additive } = tool;
  return {
    name,
    title,
    description,
    inputSchema: withFields(tool, inputSchema(tool), required, optional) as McpTool["inputSchema"],
    annotations: {
      readOnlyHint: effect === "read",
      // MCP calls an update destructive unless it only adds, also where what it replaces can be recalled
      destructiveHint: effect !== "read" && additive !== true,
      ...(effect === "read" && { idempotentHint: true }),
      openWorldHint: false,
    },
  };
}

/** For programs: the tool's data, and all that a model would be told. */
function structured(tool: AnyTool, optional: Fields): McpTool["inputSchema"] {
  const text = { type: "string", description: "The same in words, warnings included" };
  return withFields(tool, outputSchema(tool), { text }, optional) as McpTool["inputSchema"];
}

function withFields(tool: AnyTool, schema: JsonSchema, required: Fields, optional: Fields): JsonSchema {
  const own = (schema.properties ?? {}) as Fields;
  const taken = [...Object.keys(required), ...Object.keys(optional)].find((name) => Object.hasOwn(own, name));
  if (taken !== undefined) throw new Error(`The tool ${tool.name} has a field ${taken} of its own.`);
  const names = [...Object.keys(required), ...((schema.required ?? []) as string[])];
  return {
    ...schema,
    properties: { ...required, ...own, ...optional },
    ...(names.length > 0 && { required: names }),
  };
}
