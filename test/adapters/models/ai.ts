// The mock model of the AI SDK, which Mastra takes too, led by a script.
import type { ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import type { Offered, Received, Script } from "../support/cases.ts";

type Step = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
const usage: Step["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export interface Scripted {
  readonly model: MockLanguageModelV4;
  /** What the model was given, up to now. */
  heard(): { readonly received: readonly Received[]; readonly offered: readonly Offered[] };
}

export function mockModel(script: Script): Scripted {
  let received: Received[] = [];
  let offered: Offered[] = [];
  let turn = 0;
  const next = ({ prompt, tools = [] }: Parameters<MockLanguageModelV4["doGenerate"]>[0]): Step => {
    offered = tools.flatMap((tool) =>
      tool.type === "function"
        ? [{ name: tool.name, description: tool.description ?? "", schema: { ...tool.inputSchema } }]
        : [],
    );
    received = prompt.flatMap(resultsIn);
    const calls = script(received);
    turn++;
    if (calls.length === 0)
      return {
        content: [{ type: "text", text: "done" }],
        finishReason: { unified: "stop", raw: "stop" },
        usage,
        warnings: [],
      };
    return {
      content: calls.map(([toolName, input], n) => ({
        type: "tool-call",
        toolCallId: `call-${turn}-${n}`,
        toolName,
        input: JSON.stringify(input),
      })),
      finishReason: { unified: "tool-calls", raw: "tool_calls" },
      usage,
      warnings: [],
    };
  };
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => next(options),
    async doStream(options) {
      const { content, finishReason, warnings } = next(options);
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "stream-start", warnings });
            for (const part of content) {
              if (part.type === "text") {
                controller.enqueue({ type: "text-start", id: "t" });
                controller.enqueue({ type: "text-delta", id: "t", delta: part.text });
                controller.enqueue({ type: "text-end", id: "t" });
              } else if (part.type === "tool-call") controller.enqueue(part);
            }
            controller.enqueue({ type: "finish", finishReason, usage });
            controller.close();
          },
        }),
      };
    },
  });
  return { model, heard: () => ({ received, offered }) };
}

/** As the provider is handed them. */
function resultsIn({ role, content }: { readonly role: string; readonly content: unknown }): Received[] {
  if (role !== "tool" || !Array.isArray(content)) return [];
  return (content as Extract<ModelMessage, { role: "tool" }>["content"]).flatMap((part): Received[] => {
    if (part.type !== "tool-result") return [];
    const { toolCallId: id, output } = part;
    if (output.type === "text" || output.type === "error-text")
      return [{ id, text: output.value, images: 0, error: output.type === "error-text" }];
    if (output.type !== "content") return [{ id, text: JSON.stringify(output), images: 0, error: undefined }];
    const text = output.value.map((each) => (each.type === "text" ? each.text : "")).join("");
    const images = output.value.filter((each) => each.type === "file" && each.mediaType === "image/png").length;
    return [{ id, text, images, error: false }];
  });
}
