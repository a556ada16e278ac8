// @ts-check
// The Agents SDK of OpenAI. With OPENAI_API_KEY a real model does it, otherwise a scripted one.
import { Agent, Runner, Usage } from "@openai/agents";
import { openaiTools } from "stet/adapters/openai";
import { tracked } from "stet/surfaces";
import { CALLS, openScene, PROMPT } from "./scene.mjs";

const { session, close } = openScene();
const agent = new Agent({
  name: "editor",
  instructions: tracked.guidance,
  model: process.env.OPENAI_API_KEY ? "gpt-5.6" : scripted(),
  tools: openaiTools(session, tracked),
});
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, PROMPT);
console.log(finalOutput);
await close();

/** @returns {import("@openai/agents").Model} */
function scripted() {
  let turn = 0;
  return {
    async getResponse() {
      const call = CALLS[turn++];
      if (call === undefined)
        return {
          usage: new Usage(),
          output: [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "done" }],
            },
          ],
        };
      const { name, input } = call;
      const callId = `call_${turn}`;
      return {
        usage: new Usage(),
        output: [{ type: "function_call", callId, name, arguments: JSON.stringify(input), status: "completed" }],
      };
    },
    async *getStreamedResponse() {},
  };
}
