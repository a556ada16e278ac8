// A server with everything that the conformance suite calls by name, behind our own HTTP stack.
import { randomBytes } from "node:crypto";
import {
  acceptedContent,
  completable,
  createRequestStateCodec,
  InMemoryServerEventBus,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import type { HttpServing } from "stet/serve";
import { z } from "zod";
import type { FactoryHttpOptions } from "../../../src/serve/http/options.ts";
import { serveFactoryOverHttp } from "../../../src/serve/http/server.ts";
import { addAskingTools, ask } from "../../conformance/fixture-asking.ts";
import { PNG } from "../../conformance/fixture-content.ts";
import { addTools } from "../../conformance/fixture-tools.ts";

export function serveFixture(options: Omit<FactoryHttpOptions, "factory">): Promise<HttpServing> {
  const bus = new InMemoryServerEventBus();
  const codec = createRequestStateCodec({ key: randomBytes(32) });

  function factory(): McpServer {
    const server = new McpServer(
      { name: "stet-conformance", version: "0.0.0" },
      {
        capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, completions: {} },
        requestState: { verify: codec.verify },
      },
    );
    addTools(server, bus);
    addAskingTools(server, codec);
    addResources(server);
    addPrompts(server);
    return server;
  }

  return serveFactoryOverHttp({ ...options, factory, bus });
}

function addResources(server: McpServer): void {
  const plain = { description: "Text", mimeType: "text/plain" };
  const text = "This is the content of the static text resource.";
  server.registerResource("static-text", "test://static-text", plain, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text }],
  }));
  server.registerResource("watched", "test://watched-resource", plain, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text: "Watched" }],
  }));
  const binary = { description: "An image", mimeType: "image/png" };
  server.registerResource("static-binary", "test://static-binary", binary, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: PNG }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  const json = { description: "Data of an id", mimeType: "application/json" };
  server.registerResource("template", template, json, ({ href: uri }, { id }) => ({
    contents: [
      {
        uri,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }));
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

function addPrompts(server: McpServer): void {
  const saying = (...contents: object[]) => ({
    messages: contents.map((content) => ({ role: "user" as const, content: content as never })),
  });
  const said = (text: string) => ({ type: "text", text });

  server.registerPrompt("test_simple_prompt", { description: "Simple" }, () =>
    saying(said("This is a simple prompt for testing.")),
  );
  const argument = (name: string) => completable(z.string(), (value) => [`${value}-${name}`]);
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments", argsSchema: z.object({ arg1: argument("one"), arg2: argument("two") }) },
    ({ arg1, arg2 }) => saying(said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => {
      const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
      return saying({ type: "resource", resource }, said("Please process the embedded resource above."));
    },
  );
  server.registerPrompt("test_prompt_with_image", { description: "With an image" }, () =>
    saying({ type: "image", data: PNG, mimeType: "image/png" }, said("Please analyze the image above.")),
  );
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks first" }, ({ mcpReq }) => {
    const given = acceptedContent<{ context: string }>(mcpReq.inputResponses, "user_context");
    if (given !== undefined) return saying(said(`With the context ${given.context}`));
    return inputRequired({
      inputRequests: { user_context: ask("What context should the prompt use?", "context") },
    });
  });
}
