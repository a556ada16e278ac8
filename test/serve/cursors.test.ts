// Cursors that no page gave: every list says so with the code for invalid parameters, on every transport, in every protocol.
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { type ServeOptions, serveOverHttp } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";
import { connect, INFO, modernClient } from "./clients.ts";
import { closing } from "./http-support.ts";

const coded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const MALFORMED: readonly unknown[] = [
  ...["", "xx", "%%%", "\u0000", "\ud800", "x".repeat(100_000)],
  ...[5, 0, true, null, {}, [], ["w", "a"]],
  ...[coded(null), coded([]), coded({}), coded("w"), coded(["w"]), coded(["w", 5]), coded(["other", "a"])],
  ...[coded([["w"], "a"]), coded(["w", "a", "b"]), coded({ 0: "w", 1: "a", length: 2 }), `${coded(["w", "a"])}!`],
  ...[coded(["w", "a\ud800"]), "[".repeat(50_000), Buffer.from("[".repeat(50_000)).toString("base64url")],
];

const METHODS = ["resources/list", "resources/templates/list", "tools/list"] as const;

function serving(): ServeOptions {
  const workspace = memoryWorkspace({ "a.txt": "one\n", "b.txt": "two\n" });
  return { surface: surfaceNamed("workspace"), served: [{ name: "w", workspace }], version: "1" };
}

async function overHttp(client: ClientV2): Promise<ClientV2> {
  const http = closing(await serveOverHttp(serving(), {}));
  const requestInit = { headers: { authorization: `Bearer ${http.token}` } };
  await client.connect(new TransportV2(new URL(http.url), { requestInit }));
  return closing(client);
}

const CONNECTED: readonly (readonly [how: string, open: () => Promise<ClientV2>])[] = [
  ["stdio, 2025-11-25", () => connect(new ClientV2(INFO), serving())],
  ["HTTP, 2026-07-28", () => overHttp(modernClient())],
];

describe.each(CONNECTED)("over %s", (_how, open) => {
  it.each(METHODS)("%s refuses a cursor that is none with -32602", async (method) => {
    const client = await open();
    const transport = client.transport!;
    const send = transport.send.bind(transport);
    let cursor: unknown;
    // Past what a client would let through.
    transport.send = (message, ...rest) => {
      const changed = message as { method?: string; params?: object };
      return send(
        (changed.method === method ? { ...changed, params: { ...changed.params, cursor } } : message) as never,
        ...rest,
      );
    };
    const list = {
      "resources/list": "listResources",
      "resources/templates/list": "listResourceTemplates",
      "tools/list": "listTools",
    } as const;
    for (cursor of MALFORMED) {
      const answer = await client[list[method]]({ cursor: "given" }).then(
        () => "taken",
        (error: { readonly code?: unknown }) => error.code,
      );
      expect([String(JSON.stringify(cursor)).slice(0, 60), answer]).toEqual([expect.any(String), -32602]);
    }
    if (method !== "resources/list") return;
    cursor = coded(["w", "a.txt"]);
    expect((await client.listResources({ cursor: "given" })).resources.map(({ name }) => name)).toEqual(["b.txt"]);
  });
});
