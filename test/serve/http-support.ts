// Raw requests, and a small server behind the guards, for the tests of HTTP.
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import { type Backend, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { type HttpOptions, type HttpServing, serveOverHttp } from "stet/serve";
import { defineTool, z } from "stet/surfaces";
import { afterEach } from "vitest";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Raw {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Iterable<Buffer>;
}

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Closed after the test. */
export function closing<T extends { close(): unknown }>(one: T): T {
  open.push(one);
  return one;
}

/** A server with two tools: `echo`, and `wait`, which answers when it is told to. */
export async function serveWaiting(options: HttpOptions = {}, backend: Partial<Backend> = {}) {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const aborted: string[] = [];
  let called = () => {};
  const echo = defineTool({
    ...PLAIN,
    name: "echo",
    input: z.object({ text: z.string() }),
    run: async (_context, { text }) => ({ said: text }),
  });
  const wait = defineTool({
    ...PLAIN,
    name: "wait",
    input: z.object({}),
    async run({ call: { signal } }) {
      await new Promise<void>((resolve) => {
        signal!.addEventListener("abort", () => {
          aborted.push("wait");
          resolve();
        });
        waiting.push(resolve);
        begun += 1;
        called();
      });
      return { said: "waited" };
    },
  });
  const workspace = new Workspace({ ...memory({}), ...backend });
  const surface = { name: "waiting", title: "Waiting", guidance: "secret of the workspace", tools: [echo, wait] };
  const serving = closing(await serveOverHttp({ surface, served: [{ name: "w", workspace }], version: "0" }, options));
  return {
    serving,
    aborted,
    /** Until so many calls of `wait` have begun. */
    async began(count = 1): Promise<void> {
      while (begun < count)
        await new Promise<void>((resolve) => {
          called = resolve;
        });
    },
    release: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

const PLAIN = {
  title: "A tool",
  description: "Says something.",
  effect: "read",
  actions: ["read"],
  refused: "Nothing was said.",
  output: z.object({ said: z.string() }),
  text: ({ said }: { said: string }) => said,
} as const;

export function bearer({ token }: HttpServing): OutgoingHttpHeaders {
  return { authorization: `Bearer ${token}` };
}

/** A request that is right in every way, but for what is given. */
export function send(
  serving: HttpServing,
  { method = "POST", path = "/mcp", headers, body }: Raw = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: "127.0.0.1",
      port: serving.port,
      method,
      path,
      agent: false,
      headers: withoutUndefined({ ...JSON_HEADERS, ...bearer(serving), ...headers }),
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      response.on("error", reject);
    });
    if (method !== "POST") return void outgoing.end();
    if (body === undefined || typeof body === "string") return void outgoing.end(body ?? LIST_2026);
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  });
}

function withoutUndefined(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

/** Bytes as they are; what comes back until the server closes the connection, or `until` is in it. */
export function sendBytes(serving: HttpServing, bytes: string, until?: string): Promise<string> {
  const { socket, received } = openSocket(serving, until);
  socket.write(bytes);
  return received;
}

export function openSocket({ port }: HttpServing, until?: string): { socket: Socket; received: Promise<string> } {
  const socket = connect(port, "127.0.0.1");
  closing({ close: () => socket.destroy() });
  const received = new Promise<string>((resolve) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (until !== undefined && text.includes(until)) resolve(text);
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
  return { socket, received };
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A 2026 request, with the headers that must say the same. */
export function modern(method: string, params: Record<string, unknown> = {}, id = 1) {
  return {
    headers: { "mcp-method": method, ...(typeof params.name === "string" && { "mcp-name": params.name }) },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: META } }),
  };
}

export const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/list",
};

export const LIST_2026 = modern("tools/list").body;

export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
});

/** Headers of a 2025 request. */
export const HEADERS_2025 = { "mcp-protocol-version": "2025-11-25", "mcp-method": undefined };

/** The standing stream of a 2025 session that this token opens; resolves when the server has begun it. */
export async function openStream({ port, ...serving }: HttpServing, token: string) {
  const { headers } = await send({ ...serving, port, token }, { headers: HEADERS_2025, body: INITIALIZE });
  const outgoing = request({
    host: "127.0.0.1",
    port,
    path: "/mcp",
    agent: false,
    headers: {
      accept: "text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": String(headers["mcp-session-id"]),
    },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("error", reject).once("response", resolve).end();
  });
  if (response.statusCode !== 200) throw new Error(`the stream was answered with ${response.statusCode}`);
  let over = false;
  const ended = new Promise<number>((resolve) => {
    response.once("close", () => {
      over = true;
      resolve(performance.now());
    });
  });
  response.on("error", () => {}).resume();
  return { ended, isOver: () => over, end: () => void outgoing.destroy() };
}
