// @ts-check
// Mastra with the tools of stet. With ANTHROPIC_API_KEY Claude does it, otherwise a scripted model.
import { Agent } from "@mastra/core/agent";
import { mastraTools } from "stet/adapters/mastra";
import { tracked } from "stet/surfaces";
import { scriptedModel } from "./ai-model.mjs";
import { CALLS, openScene, PROMPT } from "./scene.mjs";

const { session, close } = openScene();
const agent = new Agent({
  id: "editor",
  name: "editor",
  instructions: tracked.guidance,
  // Mastra types models of the AI SDK by what it wraps them in.
  model: process.env.ANTHROPIC_API_KEY ? "anthropic/claude-sonnet-5-5" : /** @type {any} */ (scriptedModel(CALLS)),
  tools: mastraTools(session, tracked),
});
const { text } = await agent.generate(PROMPT);
console.log(text);
await close();
