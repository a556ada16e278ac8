// What an adapter adds to a call: the function that a framework calls, beside the tool itself.
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { importPeer } from "../edits/engines/peer.mjs";
import { median } from "../stats.mjs";

const CALL = "direct call";

/** @typedef {(name: string, input: object) => Promise<unknown>} Make */

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<{ title: string, times: Record<string, import("../stats.mjs").Spread> }[]>}
 */
export async function measureAdapters({ quick }) {
  const from = builtBesidePeers();
  const { openWorkspace } = await from("index.js");
  const { call, tracked } = await from("surfaces/index.js");
  const root = mkdtempSync(join(tmpdir(), "stet-adapters-"));
  writeFileSync(join(root, "small.txt"), "a line of a file\n".repeat(60));
  writeFileSync(join(root, "edited.txt"), `${"a line of a file\n".repeat(60)}state: A\n`);
  const workspace = openWorkspace({ root, durability: "fast" });
  const session = workspace.session({ agent: "bench" });
  try {
    const run = await runners(from, session, tracked);
    /** @type {Make} */
    const direct = (name, input) => call(session, tracked, name, input);
    const all = { [CALL]: direct, ...run };
    await direct("Read", { file_path: "edited.txt" });
    let state = "A";
    const edits = async (/** @type {Make} */ make) => {
      const next = state === "A" ? "B" : "A";
      await make("Edit", { file_path: "edited.txt", old_string: `state: ${state}`, new_string: `state: ${next}` });
      state = next;
    };
    const read = { file_path: "small.txt" };
    const calls = quick ? 200 : 1000;
    return [
      { title: "read a file of 1 KB", times: await inTurns(all, calls, (make) => make("Read", read)) },
      { title: "edit it, without waiting for the disk", times: await inTurns(all, calls / 4, edits) },
    ];
  } finally {
    await workspace.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * One call of each after the other, again and again: what else goes on meets all of them alike. Half of the calls lie
 * between low and high.
 * @param {Record<string, Make>} makers @param {number} calls @param {(make: Make) => Promise<unknown>} work
 * @returns {Promise<Record<string, import("../stats.mjs").Spread>>}
 */
async function inTurns(makers, calls, work) {
  const names = Object.keys(makers);
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -20; round < calls; round++) {
    for (const name of shuffled(names)) {
      const started = performance.now();
      await work(/** @type {Make} */ (makers[name]));
      if (round >= 0) times[name]?.push(performance.now() - started);
    }
  }
  return Object.fromEntries(names.map((name) => [name, quarters(times[name] ?? [])]));
}

/** What a call leaves behind meets another one each time. @param {readonly string[]} names */
function shuffled(names) {
  return names
    .map((name) => ({ name, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

/** @param {number[]} values */
function quarters(values) {
  values.sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => Number(values[Math.floor(values.length * part)]);
  return { median: median(values), low: at(0.25), high: at(0.75) };
}

/** As each framework calls a tool, up to what it hands to the model. @param {(file: string) => Promise<any>} from @param {any} session @param {any} surface @returns {Promise<Record<string, Make>>} */
async function runners(from, session, surface) {
  const id = "call_1";
  const { call } = await from("surfaces/index.js");
  const { toolsOf } = await from("adapters/index.js");
  const common = byName(toolsOf(session, surface));
  const { aiTools } = await from("adapters/ai.js");
  const ai = aiTools(session, surface);
  const { anthropicTools } = await from("adapters/anthropic.js");
  const anthropic = byName(anthropicTools(session, surface));
  const { openaiTools } = await from("adapters/openai.js");
  const openai = byName(openaiTools(session, surface));
  const { langchainTools } = await from("adapters/langchain.js");
  const langchain = byName(langchainTools(session, surface));
  const { DynamicStructuredTool } = await importPeer("@langchain/core/tools");
  const bare = new DynamicStructuredTool({
    name: "bare",
    description: "",
    schema: { type: "object" },
    func: async (/** @type {any} */ { name, input }) => (await call(session, surface, name, input)).text,
  });
  const { claudeTools } = await from("adapters/claude.js");
  const claude = await connected(claudeTools(session, surface).mcpServers.stet.instance);
  const server = new Server({ name: "plain", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/call", async ({ params }) => {
    const { text } = await call(session, surface, params.name, params.arguments);
    return { content: [{ type: "text", text }] };
  });
  const plain = await connected(server);
  const { mastraTools } = await from("adapters/mastra.js");
  const mastra = mastraTools(session, surface);
  return {
    toolsOf: (name, input) => common[name].run(input, { id }),
    ai: async (name, input) => ai[name].toModelOutput({ output: await ai[name].execute(input, { toolCallId: id }) }),
    anthropic: (name, input) => anthropic[name].run(input, { toolUse: { id } }),
    mastra: async (name, input) => mastra[name].toModelOutput(await mastra[name].execute(input, { toolCallId: id })),
    "direct call with arguments as JSON": (name, input) => call(session, surface, name, JSON.stringify(input)),
    openai: (name, input) => openai[name].invoke(undefined, JSON.stringify(input), { toolCall: { callId: id } }),
    "direct call in a tool of LangChain": (name, input) =>
      bare.invoke({ type: "tool_call", id, name, args: { name, input } }),
    langchain: (name, args) => langchain[name].invoke({ type: "tool_call", id, name, args }),
    "direct call in a server of MCP": (name, input) => plain.callTool({ name, arguments: input }),
    claude: (name, input) => claude.callTool({ name, arguments: input }),
  };
}

/** A client in the same process. @param {any} server */
async function connected(server) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "bench", version: "1" });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  return client;
}

/** @param {any[]} tools @returns {Record<string, any>} */
function byName(tools) {
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}

/** Where the adapters find the frameworks, as in a program of another. */
function builtBesidePeers() {
  const [dist, copy] = ["../../dist/", "../node_modules/.stet/"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  if (!existsSync(String(dist))) throw new Error("dist/ is absent (npm run build)");
  rmSync(String(copy), { recursive: true, force: true });
  cpSync(String(dist), String(copy), { recursive: true, filter: (path) => !path.endsWith("/bin") });
  writeFileSync(join(String(copy), "package.json"), '{ "type": "module" }');
  return (/** @type {string} */ file) => import(pathToFileURL(join(String(copy), file)).href);
}
