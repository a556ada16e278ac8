// @ts-check
// A scripted model for the AI SDK, and for Mastra, which takes the same ones.
import { MockLanguageModelV4 } from "ai/test";

/** @typedef {Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>} Step */

/** @param {readonly { readonly name: string, readonly input: object }[]} calls */
export function scriptedModel(calls) {
  let turn = 0;
  /** @returns {Step} */
  const next = () => {
    const call = calls[turn++];
    /** @type {Step["usage"]} */
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    if (call === undefined)
      return {
        content: [{ type: "text", text: "done" }],
        finishReason: { unified: "stop", raw: "" },
        usage,
        warnings: [],
      };
    const input = JSON.stringify(call.input);
    return {
      content: [{ type: "tool-call", toolCallId: `call-${turn}`, toolName: call.name, input }],
      finishReason: { unified: "tool-calls", raw: "" },
      usage,
      warnings: [],
    };
  };
  return new MockLanguageModelV4({
    doGenerate: async () => next(),
    async doStream() {
      const { content, finishReason, usage, warnings } = next();
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "stream-start", warnings });
          for (const part of content) {
            if (part.type === "tool-call") controller.enqueue(part);
            if (part.type !== "text") continue;
            controller.enqueue({ type: "text-start", id: "1" });
            controller.enqueue({ type: "text-delta", id: "1", delta: part.text });
            controller.enqueue({ type: "text-end", id: "1" });
          }
          controller.enqueue({ type: "finish", finishReason, usage });
          controller.close();
        },
      });
      return { stream };
    },
  });
}
