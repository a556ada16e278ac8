// @ts-check
// LangChain. With ANTHROPIC_API_KEY, and @langchain/anthropic installed, Claude does it, otherwise a scripted model.
import { createAgent } from "langchain";
import { langchainTools } from "stet/adapters/langchain";
import { tracked } from "stet/surfaces";
import { ScriptedModel } from "./langchain-model.mjs";
import { CALLS, openScene, PROMPT } from "./scene.mjs";

const { session, close } = openScene();
const agent = createAgent({
  model: process.env.ANTHROPIC_API_KEY ? "anthropic:claude-sonnet-5-5" : new ScriptedModel(CALLS),
  systemPrompt: tracked.guidance,
  tools: langchainTools(session, tracked),
});
const { messages } = await agent.invoke({ messages: [{ role: "user", content: PROMPT }] });
console.log(messages.at(-1)?.text);
await close();
