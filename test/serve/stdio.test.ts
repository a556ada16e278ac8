// The server as a process of its own, on real pipes: every official client, clean stdout, clean ends.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioClientTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { CLEAN_ENV, INITIALIZE_STDIO, PROGRAM, startProcess } from "../support/stdio.ts";
import { directoryWith } from "../support/workspace.ts";
import { type AnyClient, INFO } from "./clients.ts";

const mcp = (root: string): string[] => [PROGRAM, "mcp", "--surface", "tracked", root];

const CLIENTS: readonly (readonly [string, (root: string) => Promise<AnyClient>])[] = [
  ["v1", (root) => started(new ClientV1(INFO), new StdioClientTransportV1(command(root)))],
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
    const server = startProcess(mcp(directoryWith({ "a.txt": "one\n" })));
    server.send({ ...INITIALIZE_STDIO, id: 1 });
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
    const server = startProcess(mcp(root));
    server.send(INITIALIZE_STDIO);
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
  });
});

/** They share one path through the code. */
const SIGNALS: NodeJS.Signals[] = process.env.STET_HEAVY ? ["SIGTERM", "SIGINT", "SIGHUP"] : ["SIGTERM"];

function call(id: number, name: string, args: Record<string, unknown>): object {
  return { id, method: "tools/call", params: { name, arguments: args } };
}

function command(root: string) {
  return { command: process.execPath, args: mcp(root), env: CLEAN_ENV, stderr: "inherit" as const };
}

async function started<T>(client: { connect(transport: T): Promise<void> }, transport: T): Promise<AnyClient> {
  await client.connect(transport);
  return client as unknown as AnyClient;
}
