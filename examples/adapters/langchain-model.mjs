// @ts-check
// A scripted model for LangChain, and for deepagents, which is made of it.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";

export class ScriptedModel extends BaseChatModel {
  #turn = 0;

  /** @param {readonly { readonly name: string, readonly input: Record<string, unknown> }[]} calls */
  constructor(calls) {
    super({});
    this.calls = calls;
  }

  _llmType() {
    return "scripted";
  }

  /** @override */
  bindTools() {
    return this;
  }

  async _generate() {
    const call = this.calls[this.#turn++];
    const tool_calls = call === undefined ? [] : [{ id: `call_${this.#turn}`, name: call.name, args: call.input }];
    const message = new AIMessage({ content: call === undefined ? "done" : "", tool_calls });
    return { generations: [{ message, text: "" }] };
  }
}
