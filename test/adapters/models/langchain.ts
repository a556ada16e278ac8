// A model of LangChain that does what a function says.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { Call } from "../support/cases.ts";

export class ScriptedChatModel extends BaseChatModel {
  readonly next: (messages: readonly BaseMessage[]) => readonly Call[];
  bound: readonly unknown[] = [];
  #turn = 0;

  constructor(next: (messages: readonly BaseMessage[]) => readonly Call[]) {
    super({});
    this.next = next;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: unknown[]): this {
    this.bound = tools;
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.#turn++;
    const calls = this.next(messages);
    const tool_calls = calls.map(([name, args], n) => ({
      id: `call_${this.#turn}_${n}`,
      name,
      args: args as Record<string, unknown>,
    }));
    const message = new AIMessage({ content: calls.length > 0 ? "" : "done", tool_calls });
    return { generations: [{ message, text: "" }] };
  }
}
