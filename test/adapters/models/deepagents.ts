// An agent of deepagents with stet as its storage, led by a script: its own tools, one call after the other.
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type BackendProtocolV2, createDeepAgent } from "deepagents";
import type { Session } from "stet";
import { deepagentsBackend } from "stet/adapters/deepagents";
import type { Call } from "../support/cases.ts";
import { ScriptedChatModel } from "./langchain.ts";

/** One call, calls in parallel, or what happens outside in between. */
export type Steps = readonly (Call | readonly Call[] | (() => void))[];
type Options = Pick<NonNullable<Parameters<typeof createDeepAgent>[0]>, "memory" | "skills" | "permissions">;

/** The answers of the tools to these calls, one after the other; a function is called in between. */
export async function work(session: Session, steps: Steps): Promise<string[]> {
  return answersIn(await heard(session, steps));
}

/** All that the model was given in the end. */
export async function heard(session: Session, steps: Steps, options: Options = {}): Promise<readonly BaseMessage[]> {
  const { model, messages } = scripted(steps);
  const backend: BackendProtocolV2 = deepagentsBackend(session);
  await createDeepAgent({ model, backend, ...options }).invoke(
    { messages: [{ role: "user", content: "go" }] },
    { recursionLimit: 99 },
  );
  return messages();
}

/** A model that makes these calls, and what it was given in the end. */
export function scripted(steps: Steps) {
  const queue = [...steps];
  let messages: readonly BaseMessage[] = [];
  const model = new ScriptedChatModel((all) => {
    messages = all;
    let next = queue.shift();
    for (; typeof next === "function"; next = queue.shift()) next();
    if (next === undefined) return [];
    return typeof next[0] === "string" ? [next as Call] : (next as readonly Call[]);
  });
  return { model, messages: () => messages };
}

export function answersIn(messages: readonly BaseMessage[]): string[] {
  return messages.flatMap((message) => (ToolMessage.isInstance(message) ? [textOf(message)] : []));
}

function textOf({ content }: ToolMessage): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => (part.type === "text" && "text" in part ? String(part.text) : `[${part.type}]`))
    .join("");
}

export const read = (path: string, more: object = {}): Call => ["read_file", { file_path: path, ...more }];

export const edit = (path: string, old_string: string, new_string: string): Call => [
  "edit_file",
  { file_path: path, old_string, new_string },
];

export const write = (path: string, content: string): Call => ["write_file", { file_path: path, content }];
