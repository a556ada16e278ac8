// A surface that keeps its files elsewhere: no request of any protocol version gets at the files of the workspace.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { type ServeOptions, serveOnStdio } from "stet/serve";
import { files, joinSurfaces, type Surface, surfaceNamed } from "stet/surfaces";
import { afterEach, describe, expect, it } from "vitest";
import { directoryWith, workspaceIn } from "../support/workspace.ts";
import { ERAS, INFO } from "./clients.ts";

const SECRET = "only on disk";
const ASKED: readonly (readonly [method: string, params: Record<string, unknown>])[] = [
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "stet:///a.txt" }],
  ["resources/subscribe", { uri: "stet:///a.txt" }],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: "stet:///{path}" }, argument: { name: "path", value: "a" } },
  ],
];
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

describe("files in store mode", () => {
  it.each(["2025-11-25", "2026-07-28"])("%s: every request about resources is unknown", async (version) => {
    const { request } = await connection(serving(files({ env: {} })), version);
    for (const [method, params] of ASKED) {
      const answer = await request(method, params);
      expect(answer, method).toMatchObject({ error: { code: -32601 } });
      expect(JSON.stringify(answer)).not.toContain(SECRET);
    }
  });

  it.each(ERAS)("%s: is told of no resources and no completions, and finds its own files only", async (_n, connect) => {
    const options = serving(files({ env: {} }));
    const client = await connect(options);
    const capabilities = (client as unknown as { getServerCapabilities(): object }).getServerCapabilities();
    expect(Object.keys(capabilities)).toEqual(["tools"]);
    expect(client.getInstructions()).toContain("not on disk");
    const read = await client.callTool({
      name: "files",
      arguments: { params: { command: "read", file_path: "a.txt" } },
    });
    expect(read.isError).toBe(true);
    const write = { command: "write", file_path: "a.txt", content: "in memory" };
    expect((await client.callTool({ name: "files", arguments: { params: write } })).isError).toBeUndefined();
    expect(readFileSync(join(options.served[0].workspace.backend.directory!, "a.txt"), "utf8")).toBe(SECRET);
  });
});

it.each<[string, () => Surface]>([
  ["files in sandbox mode", () => files({ mode: "sandbox", env: {} })],
  ["files joined with a surface of the workspace", () => joinSurfaces([files({ env: {} }), surfaceNamed("workspace")])],
  ["workspace", () => surfaceNamed("workspace")],
])("%s: the files of the workspace are resources", async (_name, surface) => {
  const { request } = await connection(serving(surface()), "2025-11-25");
  const answer = await request("resources/read", { uri: "stet:///a.txt" });
  expect(answer).toMatchObject({ result: { contents: [{ text: SECRET }] } });
});

function serving(surface: Surface): ServeOptions {
  const workspace = workspaceIn(directoryWith({ "a.txt": SECRET }));
  return { surface, served: [{ name: "w", workspace }], version: "1" };
}

/** Without a client of an SDK, which would not even ask for what the server does not offer. */
async function connection(options: ServeOptions, version: string) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<unknown, (answer: unknown) => void>();
  near.onmessage = (message) => waiting.get((message as { id?: unknown }).id)?.(message);
  open.push(serveOnStdio(options, { transport: far }));
  await near.start();
  let id = 0;
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": INFO,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const request = (method: string, params: Record<string, unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      id += 1;
      waiting.set(id, resolve);
      const sent = version.startsWith("2025") ? params : { ...params, _meta: meta };
      near.send({ jsonrpc: "2.0", id, method, params: sent }).catch(reject);
    });
  if (version.startsWith("2025")) {
    await request("initialize", { protocolVersion: version, capabilities: {}, clientInfo: INFO });
    await near.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }
  return { request };
}
