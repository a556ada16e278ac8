// The ways to make a call: directly, by each adapter, and by a tool that is written by hand for the same framework.
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { importPeer } from "../edits/engines/peer.mjs";

/**
 * What a model sent, as its API has it and as frameworks hand it on.
 * @typedef {{ text: string, input: Record<string, unknown> }} Sent
 */
/** @typedef {(name: string, sent: Sent) => Promise<unknown>} Make */

export const DIRECT = "direct call";
/** The way without the adapter of this name. @param {string} name */
export const byHand = (name) => `${name} by hand`;

/**
 * As each framework calls a tool, up to what it hands to the model. "NAME by hand" is the same without stet's adapter: a
 * tool of the same schema that does the call and gives its words, as short as that framework allows.
 * @param {(file: string) => Promise<any>} from @param {any} session @param {any} surface @returns {Promise<Record<string, Make>>}
 */
export async function ways(from, session, surface) {
  const id = "call_1";
  const { call } = await from("surfaces/index.js");
  const { toolsOf } = await from("adapters/index.js");
  const tools = toolsOf(session, surface);
  const named = (/** @type {string} */ id) => ({ call: id });

  const { aiTools } = await from("adapters/ai.js");
  const ai = aiTools(session, surface);
  const aiByHand = each(tools, ({ name }) => ({
    execute: (/** @type {any} */ input, /** @type {any} */ { toolCallId }) =>
      call(session, surface, name, input, named(toolCallId)),
    toModelOutput: (/** @type {any} */ { output }) => ({
      type: output.ok ? "text" : "error-text",
      value: output.text,
    }),
  }));

  const { anthropicTools } = await from("adapters/anthropic.js");
  const anthropic = byName(anthropicTools(session, surface));
  const anthropicByHand = each(tools, ({ name }) => ({
    run: async (/** @type {any} */ input, /** @type {any} */ { toolUse }) => {
      const { ok, text } = await call(session, surface, name, input, named(toolUse.id));
      if (!ok) throw new Error(text);
      return text;
    },
  }));

  const { openaiTools } = await from("adapters/openai.js");
  const openai = byName(openaiTools(session, surface));
  const openaiByHand = each(tools, ({ name }) => ({
    invoke: async (/** @type {any} */ _context, /** @type {string} */ input, /** @type {any} */ { toolCall }) =>
      (await call(session, surface, name, JSON.parse(input), named(toolCall.callId))).text,
  }));

  const { mastraTools } = await from("adapters/mastra.js");
  const mastra = mastraTools(session, surface);
  const mastraByHand = each(tools, ({ name }) => ({
    execute: (/** @type {any} */ input, /** @type {any} */ { toolCallId }) =>
      call(session, surface, name, input, named(toolCallId)),
    toModelOutput: (/** @type {any} */ output) => ({ type: output.ok ? "text" : "error-text", value: output.text }),
  }));

  const { langchainTools } = await from("adapters/langchain.js");
  const langchain = byName(langchainTools(session, surface));
  const { DynamicStructuredTool } = await importPeer("@langchain/core/tools");
  const langchainByHand = each(
    tools,
    ({ name, description, schema }) =>
      new DynamicStructuredTool({
        name,
        description,
        schema,
        func: async (/** @type {any} */ input, /** @type {any} */ _manager, /** @type {any} */ { toolCall }) =>
          (await call(session, surface, name, input, named(toolCall.id))).text,
      }),
  );

  const { claudeTools } = await from("adapters/claude.js");
  const claude = await connected(claudeTools(session, surface).mcpServers.stet.instance);
  const server = new Server({ name: "plain", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/call", async ({ params }) => {
    const { ok, text } = await call(session, surface, params.name, params.arguments, named(id));
    return { content: [{ type: "text", text }], isError: !ok };
  });
  const plain = await connected(server);

  const common = byName(tools);
  const asAi = (/** @type {any} */ tool, /** @type {object} */ input) =>
    tool.execute(input, { toolCallId: id }).then((/** @type {unknown} */ output) => tool.toModelOutput({ output }));
  const asMastra = (/** @type {any} */ tool, /** @type {object} */ input) =>
    tool.execute(input, { toolCallId: id }).then(tool.toModelOutput);
  const asOpenai = (/** @type {any} */ tool, /** @type {string} */ text) =>
    tool.invoke(undefined, text, { toolCall: { callId: id } });
  const asLangchain = (/** @type {any} */ tool, /** @type {object} */ args) =>
    tool.invoke({ type: "tool_call", id, name: tool.name, args });
  const _meta = { "claudecode/toolUseId": id };
  return {
    [DIRECT]: (name, { input }) => call(session, surface, name, input),
    toolsOf: (name, { input }) => common[name].run(input, { id }),
    [byHand("toolsOf")]: (name, { input }) => call(session, surface, name, input, named(id)),
    ai: (name, { input }) => asAi(ai[name], input),
    [byHand("ai")]: (name, { input }) => asAi(aiByHand[name], input),
    anthropic: (name, { input }) => anthropic[name].run(input, { toolUse: { id } }),
    [byHand("anthropic")]: (name, { input }) => anthropicByHand[name].run(input, { toolUse: { id } }),
    mastra: (name, { input }) => asMastra(mastra[name], input),
    [byHand("mastra")]: (name, { input }) => asMastra(mastraByHand[name], input),
    openai: (name, { text }) => asOpenai(openai[name], text),
    [byHand("openai")]: (name, { text }) => asOpenai(openaiByHand[name], text),
    langchain: (name, { input }) => asLangchain(langchain[name], input),
    [byHand("langchain")]: (name, { input }) => asLangchain(langchainByHand[name], input),
    claude: (name, { input }) => claude.callTool({ name, arguments: input, _meta }),
    [byHand("claude")]: (name, { input }) => plain.callTool({ name, arguments: input, _meta }),
  };
}

/** A client in the same process. @param {any} server */
async function connected(server) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "bench", version: "1" });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  return client;
}

/** @param {readonly any[]} tools @param {(tool: any) => any} made @returns {Record<string, any>} */
function each(tools, made) {
  return Object.fromEntries(tools.map((tool) => [tool.name, made(tool)]));
}

/** @param {readonly any[]} tools @returns {Record<string, any>} */
function byName(tools) {
  return each(tools, (tool) => tool);
}
