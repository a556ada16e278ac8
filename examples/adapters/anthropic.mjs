// @ts-check
// The tool runner of Anthropic's SDK, with Claude's own text editor. With ANTHROPIC_API_KEY Claude does it, otherwise a script.
import Anthropic from "@anthropic-ai/sdk";
import { anthropicTextEditor } from "stet/adapters/anthropic";
import { openScene, PROMPT } from "./scene.mjs";

const CALLS = [
  { command: "view", path: "/greeting.txt" },
  { command: "str_replace", path: "/greeting.txt", old_str: "world", new_str: "stet" },
];

const { session, close } = openScene();
const client = process.env.ANTHROPIC_API_KEY ? new Anthropic() : new Anthropic({ apiKey: "none", fetch: scripted() });
const { content } = await client.beta.messages.toolRunner({
  model: "claude-sonnet-5-5",
  max_tokens: 1000,
  messages: [{ role: "user", content: PROMPT }],
  tools: [anthropicTextEditor(session)],
});
for (const block of content) if (block.type === "text") console.log(block.text);
await close();

function scripted() {
  let turn = 0;
  return async () => {
    const input = CALLS[turn++];
    const call = { type: "tool_use", id: `toolu_${turn}`, name: "str_replace_based_edit_tool", input };
    return Response.json({
      id: `msg_${turn}`,
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [input === undefined ? { type: "text", text: "done" } : call],
      stop_reason: input === undefined ? "end_turn" : "tool_use",
      usage: { input_tokens: 1, output_tokens: 1 },
    });
  };
}
