// @ts-check
// The Claude Agent SDK: stet in the same process, and none of the SDK's own tools. With ANTHROPIC_API_KEY Claude does it,
// otherwise the API is a script on this machine.
import { createServer } from "node:http";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { claudeTools } from "stet/adapters/claude";
import { tracked } from "stet/surfaces";
import { CALLS, openScene, PROMPT } from "./scene.mjs";

const { session, close } = openScene();
const script = process.env.ANTHROPIC_API_KEY ? undefined : await scripted();
const options = {
  ...claudeTools(session, tracked),
  tools: [],
  settingSources: [],
  ...(script && { env: { ...process.env, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: script.url } }),
};
for await (const message of query({ prompt: PROMPT, options })) {
  if (message.type === "result") console.log(message.subtype === "success" ? message.result : message.subtype);
}
script?.close();
await close();

async function scripted() {
  let turn = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (!request.url?.startsWith("/v1/messages?")) return void response.writeHead(404).end("{}");
    // Titles and the like are asked for without tools.
    const call = body.includes("mcp__stet__") ? CALLS[turn++] : undefined;
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${turn}`, type: "message", role: "assistant", model: "scripted", content: [], usage };
    const block = call && { type: "tool_use", id: `toolu_${turn}`, name: `mcp__stet__${call.name}`, input: {} };
    const said = { type: "text_delta", text: "done" };
    const delta = call ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) } : said;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: block ?? { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: call ? "tool_use" : "end_turn" }, usage },
      { type: "message_stop" },
    ])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close(() => {}).closeAllConnections() };
}
