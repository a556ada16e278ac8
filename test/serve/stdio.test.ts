// The server as a process of its own, on real pipes: every official client, clean stdout, clean ends.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioClientTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";
import { type AnyClient, INFO } from "./clients.ts";

const fileAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** A few lines on top of the library, and the program, which starts in a third of the time. */
const LIBRARY = (root: string): string[] => [fileAt("stdio-server.mjs"), root];
const PROGRAM = (root: string): string[] => [fileAt("../../dist/bin/stet.cjs"), "mcp", "--surface", "tracked", root];
const ENV = { STET_REGISTER: process.env.STET_REGISTER ?? "", HOME: tempDir() };

const CLIENTS: readonly (readonly [string, (root: string) => Promise<AnyClient>])[] = [
  ["v1", (root) => started(new ClientV1(INFO), new StdioClientTransportV1(command(root)))],
  ["v2, 2025-11-25", (root) => started(new ClientV2(INFO), new StdioClientTransport(command(root)))],
  [
    "v2, 2026-07-28",
    (root) => {
      const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      return started(client, new StdioClientTransport(command(root)));
    },
  ],
];

describe.each(CLIENTS)("client %s", (_name, start) => {
  it("reads and edits", async () => {
    const root = directoryWith({ "a.txt": "one\n" });
    const client = await start(root);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["Read", "Write", "Edit", "Glob", "Grep"]);
    const edit = { name: "Edit", arguments: { file_path: "a.txt", old_string: "one", new_string: "1" } };
    expect((await client.callTool(edit)).isError).toBe(true);
    await client.readResource({ uri: "stet:///a.txt" });
    expect((await client.callTool(edit)).isError).toBeUndefined();
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("1\n");
    await client.close();
  });
});

describe("the process", () => {
  it("answers what was piped in, with nothing but JSON-RPC on stdout, and ends with code 0", async () => {
    const server = run(LIBRARY(directoryWith({ "a.txt": "one\n" })));
    server.send(INITIALIZE);
    server.send(call(2, "Grep", { pattern: "one" }));
    server.send(call(3, "Write", { file_path: "b.txt", content: "b\n" }));
    server.process.stdin.end();
    expect(await server.ended).toEqual([0, null]);
    const answers = server.messages().map(({ jsonrpc, id, result }) => [jsonrpc, id, result?.isError]);
    expect(answers.sort()).toEqual([1, 2, 3].map((id) => ["2.0", id, undefined]));
    expect(server.stderr()).toBe("");
  });

  it.each(SIGNALS)("answers every change it makes and ends with code 0 on %s", async (signal) => {
    const root = directoryWith({});
    const server = run(PROGRAM(root));
    server.send({ ...INITIALIZE, id: "init" });
    await server.line(1);
    for (let n = 0; n < 100; n++) server.send(call(n, "Write", { file_path: `f${n}.txt`, content: "x".repeat(1000) }));
    await server.line(2);
    server.process.kill(signal);
    expect(await server.ended).toEqual([0, null]);
    const written = Array.from({ length: 100 }, (_, n) => n).filter((n) => existsSync(join(root, `f${n}.txt`)));
    const done = server.messages().filter(({ id, result }) => id !== "init" && result?.isError === undefined);
    expect(done.map(({ id }) => id).sort()).toEqual([...written].sort());
    expect(written.length).toBeGreaterThan(0);
    for (const n of written) expect(readFileSync(join(root, `f${n}.txt`), "utf8")).toHaveLength(1000);
    expect(readdirSync(join(root, ".stet/pending"))).toEqual([]);
  });

  it("goes on after lines that are no messages, and after one that is too long", async () => {
    const server = run(PROGRAM(directoryWith({ "a.txt": "one\n" })), { STET_MAX_MESSAGE_BYTES: "10000" });
    server.process.stdin.write('not JSON\n{"jsonrpc":"1.0"}\n[]\n');
    server.send(INITIALIZE);
    await server.line(1);
    server.send(call(2, "Write", { file_path: "b.txt", content: "x".repeat(10_000) }));
    server.send(call(3, "Read", { file_path: "a.txt" }));
    await server.line(6);
    server.process.stdin.end();
    expect(await server.ended).toEqual([0, null]);
    expect(server.messages().find(({ id }) => id === 2)).toMatchObject({ error: { code: -32600 } });
    expect(server.messages().find(({ id }) => id === 3)).toMatchObject({ result: { content: [{ type: "text" }] } });
    expect(server.stderr()).not.toBe("");
  });
});

/** They share one path through the code. */
const SIGNALS: NodeJS.Signals[] = process.env.STET_HEAVY ? ["SIGTERM", "SIGINT", "SIGHUP"] : ["SIGTERM"];

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO },
};

function call(id: number, name: string, args: Record<string, unknown>): object {
  return { id, method: "tools/call", params: { name, arguments: args } };
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, args, {
    env: { ...process.env, ...ENV, ...env },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  return {
    process: child,
    ended: once(child, "close"),
    send: (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async line(n: number) {
      while (output.stdout.split("\n").length <= n) await once(child.stdout, "data");
    },
    messages: () => {
      const lines = output.stdout.trim().split("\n");
      return lines.map(
        (line) => JSON.parse(line) as { jsonrpc: string; id: number | string; result?: { isError?: boolean } },
      );
    },
    stderr: () => output.stderr,
  };
}

function command(root: string) {
  return { command: process.execPath, args: PROGRAM(root), env: ENV, stderr: "inherit" as const };
}

async function started<T>(client: { connect(transport: T): Promise<void> }, transport: T): Promise<AnyClient> {
  await client.connect(transport);
  return client as unknown as AnyClient;
}
