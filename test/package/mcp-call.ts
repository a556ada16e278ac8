// One MCP server as a process, asked by the official client for some tool calls.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of the protocol; the client's own choice when not given. */
  readonly revision?: string;
}

type Input = Record<string, unknown>;
/** What a call is told may follow from the answer to the one before. */
export type Calls = readonly (readonly [tool: string, input: Input | ((answer: string) => Input)])[];

/** The text of each answer. */
export async function mcpCalls({ command, args, env = {}, revision }: Started, calls: Calls): Promise<string[]> {
  const options = revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } };
  const client = new Client({ name: "package-test", version: "1" }, options);
  const surroundings = Object.entries({ ...process.env, ...env }).filter(([, value]) => value !== undefined);
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: Object.fromEntries(surroundings) as Record<string, string>,
    stderr: "pipe",
  });
  await client.connect(transport);
  try {
    const texts: string[] = [];
    for (const [name, input] of calls) {
      const told = typeof input === "function" ? input(texts.at(-1) ?? "") : input;
      const { content } = await client.callTool({ name, arguments: told });
      texts.push(content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n"));
    }
    return texts;
  } finally {
    await client.close();
  }
}
