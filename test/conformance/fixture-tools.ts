// The tools that the conformance suite calls by name; they show what our HTTP stack carries, not what stet does.
import type { McpServer, ServerContext, ServerEventBus } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PNG, textResult, WAV } from "./fixture-content.ts";

export function addTools(server: McpServer, bus: ServerEventBus): void {
  const nothing = z.object({});
  const simple = (name: string, description: string, run: (context: ServerContext) => unknown) =>
    server.registerTool(name, { description, inputSchema: nothing }, (_input, context) => run(context) as never);

  simple("test_simple_text", "Returns text", () => textResult("This is a simple text response for testing."));
  simple("test_image_content", "Returns an image", () => ({ content: [IMAGE] }));
  simple("test_audio_content", "Returns audio", () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  }));
  simple("test_embedded_resource", "Returns an embedded resource", () => ({
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  simple("test_multiple_content_types", "Returns text, an image and a resource", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      IMAGE,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }));
  simple("test_error_handling", "Fails", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  simple("test_tool_with_logging", "Logs while it runs", async ({ mcpReq }) => {
    for (const step of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", step);
      await pause();
    }
    return textResult("Logged three times");
  });
  simple("test_logging_tool", "Logs once", async ({ mcpReq }) => {
    await mcpReq.log("info", "Logged");
    return textResult("Logged");
  });
  simple("test_tool_with_progress", "Tells its progress", async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken: progressToken!, progress, total: 100 };
      if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params });
      await pause();
    }
    return textResult("Done");
  });
  simple("test_trigger_tool_change", "Says that the tools changed", () => {
    bus.publish({ kind: "tools_list_changed" });
    return textResult("Said so");
  });
  simple("test_trigger_prompt_change", "Says that the prompts changed", () => {
    bus.publish({ kind: "prompts_list_changed" });
    return textResult("Said so");
  });
}

const IMAGE = { type: "image", data: PNG, mimeType: "image/png" };

function embedded(uri: string, mimeType: string, text: string) {
  return { type: "resource", resource: { uri, mimeType, text } };
}

/** The suite wants to see that messages come one after the other. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 30);
  });
}
