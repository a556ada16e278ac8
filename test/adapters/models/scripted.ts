// Models that make these calls, one after the other: an object for the Agents SDK of OpenAI, a client for that of Anthropic.
import Anthropic from "@anthropic-ai/sdk";
import { type Model, Usage } from "@openai/agents";

export type Calls = readonly (readonly [tool: string, input: object])[];

export function openaiModel(calls: Calls): Model {
  let turn = 0;
  return {
    async getResponse() {
      const call = calls[turn++];
      const callId = `call_${turn}`;
      return { usage: new Usage(), output: [itemOf(call, callId) as never] };
    },
    async *getStreamedResponse() {},
  };
}

function itemOf(call: Calls[number] | undefined, callId: string): object {
  const status = "completed";
  if (call === undefined)
    return { type: "message", role: "assistant", status, content: [{ type: "output_text", text: "done" }] };
  const [name, input] = call;
  if (name === "apply_patch") return { type: "apply_patch_call", callId, status, operation: input };
  return { type: "function_call", callId, name, arguments: JSON.stringify(input), status };
}

export function anthropicClient(calls: Calls): Anthropic {
  let turn = 0;
  return new Anthropic({
    apiKey: "none",
    async fetch() {
      const call = calls[turn++];
      return Response.json({
        id: `msg_${turn}`,
        type: "message",
        role: "assistant",
        model: "scripted",
        content:
          call === undefined
            ? [{ type: "text", text: "done" }]
            : [{ type: "tool_use", id: `toolu_${turn}`, name: call[0], input: call[1] }],
        stop_reason: call === undefined ? "end_turn" : "tool_use",
        usage: { input_tokens: 1, output_tokens: 1 },
      });
    },
  });
}
