// @ts-check
// The AI SDK. With AI_GATEWAY_API_KEY a real model does it, otherwise a scripted one.
import { generateText, isStepCount } from "ai";
import { aiTools } from "stet/adapters/ai";
import { tracked } from "stet/surfaces";
import { scriptedModel } from "./ai-model.mjs";
import { CALLS, openScene, PROMPT } from "./scene.mjs";

const { session, close } = openScene();
const { text } = await generateText({
  model: process.env.AI_GATEWAY_API_KEY ? "anthropic/claude-sonnet-5.5" : scriptedModel(CALLS),
  instructions: tracked.guidance,
  prompt: PROMPT,
  tools: aiTools(session, tracked),
  stopWhen: isStepCount(10),
});
console.log(text);
await close();
