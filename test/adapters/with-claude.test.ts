// The Claude Agent SDK with the API on loopback; without its program, the server that it is given, by a client of MCP.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { type Effect, instructionsOf } from "stet/adapters";
import { claudeTools } from "stet/adapters/claude";
import { files, workspace as surface } from "stet/surfaces";
import { expect, it } from "vitest";
import { scriptedModel } from "../clients/scripted-model.ts";
import { tempDir } from "../support/temp.ts";
import { type Converse, describeFramework, open, type Received } from "./support/cases.ts";
import { runsExample } from "./support/example.ts";

const program = programOf("@anthropic-ai/claude-agent-sdk-linux-x64/claude");

function programOf(path: string): string | undefined {
  try {
    const found = createRequire(import.meta.url).resolve(path);
    return existsSync(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** As the SDK does it: a transport in the process. */
const converse: Converse = async ({ session, surface, script, signal }) => {
  const { mcpServers } = claudeTools(session, surface);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([mcpServers.stet!.instance.connect(ours), client.connect(theirs)]);
  const { tools } = await client.listTools();
  const received: Received[] = [];
  for (let turn = 0; turn < 9; turn++) {
    const calls = script(received);
    if (calls.length === 0) break;
    const results = calls.map(async ([name, given], n): Promise<Received> => {
      const id = `toolu_${turn}_${n}`;
      const _meta = { "claudecode/toolUseId": id };
      const params = { name, arguments: given as Record<string, unknown>, _meta };
      const { content, isError: error = false } = await client.callTool(params, { ...(signal && { signal }) });
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return { id, text, images: content.filter(({ type }) => type === "image").length, error };
    });
    received.push(...(await Promise.all(results)));
  }
  await client.close();
  const offered = tools.map(({ name, description = "", inputSchema }) => ({ name, description, schema: inputSchema }));
  return { received, offered };
};

describeFramework("claude", converse, { marksErrors: true, ids: true });

it("tells the SDK what each tool does at most and how they are used, and answers for no other tool", async () => {
  const { workspace } = open({});
  const session = workspace.session();
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([claudeTools(session, surface).mcpServers.stet!.instance.connect(ours), client.connect(theirs)]);
  expect(client.getInstructions()).toBe(instructionsOf(session, surface));
  const { tools } = await client.listTools();
  const hints = Object.fromEntries(
    tools.map(({ name, annotations }) => [name, [annotations?.readOnlyHint, annotations?.destructiveHint]]),
  );
  expect(hints).toMatchObject({ read_file: [true, false], edit_file: [false, false], delete_file: [false, true] });
  expect(await client.callTool({ name: "none", arguments: {} })).toMatchObject({ isError: true });
  await client.close();
  await workspace.close();
});

it("allows without a question what need not be approved", () => {
  const { workspace } = open({});
  const { mcpServers, allowedTools } = claudeTools(workspace.session(), surface, {
    approve: ["destroy"],
    name: "files",
  });
  expect(Object.keys(mcpServers)).toEqual(["files"]);
  expect(allowedTools).toContain("mcp__files__edit_file");
  expect(allowedTools).not.toContain("mcp__files__delete_file");
  const changes = claudeTools(workspace.session(), surface, { approve: ["write"] }).allowedTools;
  expect(changes).toContain("mcp__stet__read_file");
  for (const name of ["edit_file", "delete_file"]) expect(changes).not.toContain(`mcp__stet__${name}`);
  // A tool some of whose calls only read is asked about, whatever else it does.
  const asked = (approve: readonly Effect[]) =>
    claudeTools(workspace.session(), files({ mode: "sandbox" }), { approve });
  expect([asked(["read"]).allowedTools, asked(["write"]).allowedTools]).toEqual([[], []]);
  expect(asked([]).allowedTools).toHaveLength(1);
});

it.skipIf(program === undefined)("a whole turn of the program, with the ids of its calls", async () => {
  const { workspace } = open({ "a.txt": "one\n" });
  const session = workspace.session({ agent: "claude" });
  const model = await scriptedModel("stet", (received) => {
    if (received.length === 0) return ["read_file", { path: "a.txt" }];
    if (received.length > 1) return undefined;
    const expectedSha256 = /[0-9a-f]{64}/.exec(received[0]!.text)?.[0];
    return ["edit_file", { path: "a.txt", expectedSha256, edits: [{ oldText: "one", newText: "two" }] }];
  });
  const home = tempDir("stet-claude-");
  const options = {
    ...claudeTools(session, surface),
    cwd: home,
    tools: [],
    settingSources: [],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: model.url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  };
  const ends: string[] = [];
  for await (const message of query({ prompt: "go", options }))
    if (message.type === "result") ends.push(message.subtype);
  await model.close();
  expect(ends).toEqual(["success"]);
  expect((await session.read("a.txt")).body).toBe("two\n");
  for await (const { call } of workspace.log()) expect(call).toMatch(/^toolu_/);
  await workspace.close();
});

it.skipIf(program === undefined)("the example does it, and takes it back", () => runsExample("claude"));
