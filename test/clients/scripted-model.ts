// A model that does what a script says: the APIs of Anthropic (Messages), OpenAI (Responses) and Google (Gemini) on
// loopback, as far as their coding agents use them. What it is sent of a tool's result is what a real model would see.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly text: string;
  readonly images: number;
}

/** The next call, after the results of those before; undefined ends the conversation. */
export type Script = (received: readonly Received[]) => readonly [tool: string, input: object] | undefined;

export interface ScriptedModel {
  readonly url: string;
  /** Results of tools, in the order of the calls. */
  received(): readonly Received[];
  /** Schemas of the tools that the script may use, as the model is given them. */
  offered(): readonly Body[];
  close(): Promise<void>;
}

/** `server`: as the client knows it; other tools of the client are not used. */
export async function scriptedModel(server: string, script: Script): Promise<ScriptedModel> {
  let received: readonly Received[] = [];
  let offered: readonly Body[] = [];
  const http = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received: () => received,
    offered: () => offered,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const dialect = DIALECTS.find(({ path }) => path.test(request.url ?? ""));
    if (dialect === undefined || request.method !== "POST") return void response.writeHead(404).end("{}");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    const tools = dialect.tools(body, server);
    // A title for the conversation, and the like, is asked for without tools.
    if (tools.length > 0) {
      offered = tools;
      received = dialect.results(body);
    }
    const call = tools.length > 0 ? script(received) : undefined;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of dialect.events(received.length, call && { server, tool: call[0], input: call[1] }))
      response.write(`${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`);
    response.end();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of three foreign APIs, of which a few fields are read
type Body = any;
type Call = { readonly server: string; readonly tool: string; readonly input: object };
type Event = { readonly type?: string; readonly [key: string]: unknown };

interface Dialect {
  readonly path: RegExp;
  tools(body: Body, server: string): readonly Body[];
  results(body: Body): readonly Received[];
  events(turn: number, call: Call | undefined): readonly Event[];
}

const messages: Dialect = {
  path: /^\/v1\/messages(\?|$)/,
  tools: ({ tools = [] }, server) =>
    tools
      .filter(({ name }: Body) => String(name).startsWith(`mcp__${server}__`))
      .map(({ input_schema }: Body) => input_schema),
  results: ({ messages }) =>
    messages
      .flatMap(({ content }: Body) => (Array.isArray(content) ? content : []))
      .filter(({ type }: Body) => type === "tool_result")
      .map(({ content }: Body) => partsOf(content)),
  events(turn, call) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${turn}`, type: "message", role: "assistant", model: "scripted", content: [], usage };
    const block =
      call === undefined
        ? { type: "text", text: "" }
        : { type: "tool_use", id: `toolu_${turn}`, name: `mcp__${call.server}__${call.tool}`, input: {} };
    const delta =
      call === undefined
        ? { type: "text_delta", text: "done" }
        : { type: "input_json_delta", partial_json: JSON.stringify(call.input) };
    const stop_reason = call === undefined ? "end_turn" : "tool_use";
    return [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
  },
};

const responses: Dialect = {
  path: /\/responses(\?|$)/,
  tools: ({ tools = [] }, server) =>
    tools
      .filter(({ type, name }: Body) => type === "namespace" && name === `mcp__${server}`)
      .flatMap(({ tools: own }: Body) => own.map(({ parameters }: Body) => parameters)),
  results: ({ input }) =>
    input.filter(({ type }: Body) => type === "function_call_output").map(({ output }: Body) => partsOf(output)),
  events(turn, call) {
    const id = `resp_${turn}`;
    const item =
      call === undefined
        ? { type: "message", id: `msg_${turn}`, role: "assistant", content: [{ type: "output_text", text: "done" }] }
        : {
            type: "function_call",
            id: `fc_${turn}`,
            call_id: `call_${turn}`,
            namespace: `mcp__${call.server}`,
            name: call.tool,
            arguments: JSON.stringify(call.input),
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      { type: "response.created", response: { id } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id, output: [item], usage } },
    ];
  },
};

const gemini: Dialect = {
  path: /:streamGenerateContent\?/,
  tools: ({ tools = [] }, server) =>
    tools
      .flatMap(({ functionDeclarations = [] }: Body) => functionDeclarations)
      .filter(({ name }: Body) => String(name).startsWith(`mcp_${server}_`))
      .map(({ parametersJsonSchema }: Body) => parametersJsonSchema),
  results: ({ contents }) =>
    contents
      .filter(({ parts }: Body) => parts.some(({ functionResponse }: Body) => functionResponse))
      .map(({ parts }: Body) => {
        const { response, parts: own = [] } = parts.find((part: Body) => part.functionResponse).functionResponse;
        const images = [...own, ...parts].filter(({ inlineData }: Body) => inlineData).length;
        return { text: response.error === undefined ? response.output : toldOf(response.error), images };
      }),
  events(_turn, call) {
    const part =
      call === undefined
        ? { text: "done" }
        : { functionCall: { name: `mcp_${call.server}_${call.tool}`, args: call.input } };
    const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 };
    return [{ candidates: [candidate], usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 } }];
  },
};

const DIALECTS: readonly Dialect[] = [messages, responses, gemini];

/** Gemini CLI hands its model the whole answer of a failed call as JSON: the words, and what else is in it. */
function toldOf(error: string): string {
  const [answer] = JSON.parse(error.slice(error.indexOf(ANSWER) + ANSWER.length));
  const { content, isError: _isError, ...rest } = answer.functionResponse.response;
  return `${partsOf(content).text}${Object.keys(rest).length === 0 ? "" : JSON.stringify(rest)}`;
}

const ANSWER = " with response: ";

function partsOf(content: string | readonly Body[]): Received {
  if (typeof content === "string") return { text: content.replace(CLOCK, ""), images: 0 };
  const texts = content.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  return {
    text: texts.join("\n").replace(CLOCK, ""),
    images: content.filter(({ type }) => /image/.test(type)).length,
  };
}

/** Codex begins with how long the call took. */
const CLOCK = /^Wall time: [\d.]+ seconds\nOutput:\n/;
