// @ts-check
// deepagents with stet as its storage: its own tools, with gate, journal and undo below them.
// With ANTHROPIC_API_KEY, and @langchain/anthropic installed, Claude does it, otherwise a scripted model.
import { createDeepAgent } from "deepagents";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { ScriptedModel } from "./langchain-model.mjs";
import { openScene, PROMPT } from "./scene.mjs";

const CALLS = [
  { name: "read_file", input: { file_path: "/greeting.txt" } },
  { name: "edit_file", input: { file_path: "/greeting.txt", old_string: "world", new_string: "stet" } },
];

const { session, close } = openScene();
const agent = createDeepAgent({
  model: process.env.ANTHROPIC_API_KEY ? "anthropic:claude-sonnet-5-5" : new ScriptedModel(CALLS),
  backend: deepagentsBackend(session),
});
const { messages } = await agent.invoke({ messages: [{ role: "user", content: PROMPT }] });
console.log(messages.at(-1)?.text);
await close();
