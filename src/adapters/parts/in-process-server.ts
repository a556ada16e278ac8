// A server of MCP in this process, as the Claude Agent SDK takes one.
import { Server } from "@modelcontextprotocol/server";
import type { AdaptedTool, ToolRun } from "../tools.ts";

export function serverOf(name: string, tools: readonly AdaptedTool[], instructions: string): Server {
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
