// The code blocks of docs/adapters.md as programs: each after the first one, with what is said there to be the reader's.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const page = readFileSync(fileURLToPath(new URL("../../../docs/adapters.md", import.meta.url)), "utf8");
const all = [...page.matchAll(/^```ts ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, name, code]) => [name!, code!] as const);

/** By name; "start" is the beginning of all others. */
export const BLOCKS: ReadonlyMap<string, string> = new Map(all);
export const NAMES: readonly string[] = all.map(([name]) => name).filter((name) => name !== "start");

const ANTHROPIC = {
  client: 'import("@anthropic-ai/sdk").default',
  messages: 'import("@anthropic-ai/sdk/resources/beta/messages/messages.mjs").BetaMessageParam[]',
  model: "string",
};
const MASTRA = { model: 'import("@mastra/core/agent").AgentConfig["model"]', prompt: "string" };
const LANGCHAIN = { model: "string", prompt: "string" };

/** What is the reader's in each block, with its type. */
const GIVEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ai: { model: 'import("ai").LanguageModel', prompt: "string" },
  anthropic: ANTHROPIC,
  "claude-own-tools": ANTHROPIC,
  openai: { model: 'string | import("@openai/agents").Model', prompt: "string" },
  "openai-editor": { model: 'string | import("@openai/agents").Model', prompt: "string" },
  langchain: LANGCHAIN,
  "langchain-asks": { model: "string" },
  mastra: MASTRA,
  claude: { prompt: "string" },
  deepagents: LANGCHAIN,
  own: {},
};

/** `from`: an expression that has the reader's values. */
export function programOf(name: string, from: string): string {
  const given = Object.entries(GIVEN[name]!).map(([each, type]) => `const ${each}: ${type} = ${from}.${each};\n`);
  return [BLOCKS.get("start"), ...given, BLOCKS.get(name), "export {};\n"].join("");
}
