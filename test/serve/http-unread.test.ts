// Answers that nobody reads, and large files that many calls name at once: bounded for each token, and given back.
import { connect, type Socket } from "node:net";
import { Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { type HttpServing, serveOverHttp } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { afterEach, describe, expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { closing, HEADERS_2025, INITIALIZE, JSON_HEADERS, modern, send } from "./http-support.ts";

const MIB = 1024 * 1024;
const MOST = 4 * MIB;
const BIG = Array.from({ length: 10_000 }, (_, n) => `${n} ${"x".repeat(100)}\n`).join("");
const NAMES = ["alice", "bob"] as const;
const tokenOf = (name: string) => `${name}-0123456789abcdef`;

describe("answers of which nothing is read", () => {
  // A call is refused when there was no room for ten seconds.
  it.runIf(HEAVY)("of a batch are as many as fit: the other calls are refused in words", async () => {
    const { serving } = await servingFiles();
    const batch = Array.from({ length: 40 }, (_, id) => ({ jsonrpc: "2.0", id, ...READ_BIG }));
    const socket = await posting(serving, batch, await session(serving));
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    const answers = await answersOf(socket);
    const done = answers.filter(({ result }) => result?.contents[0]?.text === BIG);
    const refused = answers.filter(({ error }) => error?.message.includes("There is no room for this call"));
    expect(done.length).toBeGreaterThanOrEqual(3);
    expect(refused.length).toBeGreaterThan(0);
    expect(done.length + refused.length).toBe(40);
    expect(refused[0]!.error!.message).toContain(
      "Read the answers to earlier calls, and try again with fewer at once.",
    );
  });

  it("of a batch are all there for a client that reads", async () => {
    const { serving } = await servingFiles();
    const batch = Array.from({ length: 20 }, (_, id) => ({ jsonrpc: "2.0", id, ...READ_BIG }));
    const answers = await answersOf(await posting(serving, batch, await session(serving)));
    expect(answers.map(({ result }) => result?.contents[0]?.text === BIG)).toEqual(Array(20).fill(true));
  });

  it("leave room for another token, and are given back when their connection is gone", async () => {
    const { serving } = await servingFiles();
    const read = async (name: string) => {
      const call = modern("tools/call", { name: "Read", arguments: { file_path: "big.txt" } });
      const headers = { ...call.headers, authorization: `Bearer ${tokenOf(name)}` };
      return (await send(serving, { ...call, headers })).status;
    };
    const batch = Array.from({ length: 40 }, (_, id) => ({ jsonrpc: "2.0", id, ...READ_BIG }));
    const socket = await posting(serving, batch, await session(serving));
    let isAnswered = false;
    const own = read("alice").finally(() => {
      isAnswered = true;
    });
    expect(await read("bob")).toBe(200);
    expect(isAnswered).toBe(false);
    socket.destroy();
    expect(await own).toBe(200);
  });
});

describe("calls that name large files", () => {
  it("are worked on a few at a time; small ones pass them by", async () => {
    const { serving, gate } = await servingFiles();
    const read = (path: string) => {
      const call = modern("tools/call", { name: "Read", arguments: { file_path: path } });
      return send(serving, { ...call, headers: { ...call.headers, authorization: `Bearer ${tokenOf("alice")}` } });
    };
    const large = Array.from({ length: 30 }, () => read("slow.txt"));
    await expect.poll(() => gate.waiting(), WITHIN).toBeGreaterThan(2);
    expect((await read("small.txt")).text).toContain("small");
    const atOnce = gate.waiting();
    expect(atOnce).toBeLessThanOrEqual(MOST / BIG.length);
    gate.open();
    for (const { status, text } of await Promise.all(large))
      expect([status, text.includes("isError")]).toEqual([200, false]);
  });
});

const WITHIN = { timeout: 20_000, interval: 5 };
const READ_BIG = { method: "resources/read", params: { uri: "stet:///big.txt" } };
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Two tokens, a large file, a small one, and one that is read when the gate is open. */
async function servingFiles() {
  const inner = memory({ files: { "big.txt": BIG, "slow.txt": BIG, "small.txt": "small\n" } });
  const gate = createGate();
  const read: typeof inner.read = async (path, options) => {
    if (path === "slow.txt") await gate.pass();
    return inner.read(path, options);
  };
  const workspace = new Workspace({ ...inner, read });
  const options = { surface: surfaceNamed("tracked"), served: [{ name: "w", workspace }], version: "1" } as const;
  const tokens = NAMES.map((name) => ({ name, token: tokenOf(name) }));
  const limits = { answersBytes: MOST };
  return {
    serving: closing(await serveOverHttp(options, { tokens, limits })),
    gate,
  };
}

function createGate() {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  return {
    waiting: () => waiting.length,
    pass: () => (isOpen ? Promise.resolve() : new Promise<void>((resolve) => void waiting.push(resolve))),
    open() {
      isOpen = true;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

async function session(serving: HttpServing): Promise<string> {
  const body = INITIALIZE.replace("2025-11-25", "2025-03-26");
  const authorization = `Bearer ${tokenOf("alice")}`;
  const { headers } = await send(serving, { headers: { ...HEADERS_2025, authorization }, body });
  return headers["mcp-session-id"] as string;
}

/** A connection that sent this and reads nothing. */
function posting(serving: HttpServing, batch: readonly object[], id: string): Promise<Socket> {
  const headers = { "mcp-protocol-version": "2025-03-26", "mcp-session-id": id };
  return sending(serving, [raw(serving, "alice", headers, JSON.stringify(batch))]);
}

function raw({ port }: HttpServing, name: string, headers: object, body: string): string {
  const { "content-type": type, accept } = JSON_HEADERS;
  const own = { host: `127.0.0.1:${port}`, "content-type": type, accept, authorization: `Bearer ${tokenOf(name)}` };
  const lines = Object.entries({ ...own, ...headers, "content-length": Buffer.byteLength(body) });
  return ["POST /mcp HTTP/1.1", ...lines.map((pair) => pair.join(": ")), "", body].join("\r\n");
}

async function sending({ port }: HttpServing, requests: readonly string[]): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  socket.pause();
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(requests.join(""));
  return socket;
}

interface Said {
  readonly result?: { readonly contents: readonly { readonly text: string }[] };
  readonly error?: { readonly message: string };
}

/** Reads at last, to the end of the response. */
async function answersOf(socket: Socket): Promise<Said[]> {
  const chunks: Buffer[] = [];
  let tail = Buffer.alloc(0);
  const END = "\r\n0\r\n\r\n";
  await new Promise<void>((resolve) => {
    socket.on("close", resolve);
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      tail = Buffer.concat([tail, chunk]).subarray(-END.length);
      if (tail.toString("latin1") === END) resolve();
    });
    socket.resume();
  });
  return [...unchunked(Buffer.concat(chunks)).matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as Said);
}

function unchunked(response: Buffer): string {
  let at = response.indexOf("\r\n\r\n") + 4;
  const parts: Buffer[] = [];
  for (;;) {
    const line = response.indexOf("\r\n", at);
    const size = Number.parseInt(response.subarray(at, line).toString("latin1"), 16);
    if (line === -1 || !(size > 0)) return Buffer.concat(parts).toString();
    parts.push(response.subarray(line + 2, line + 2 + size));
    at = line + 4 + size;
  }
}
