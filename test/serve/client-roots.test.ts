// When a client is asked for its roots, and how many of them are taken.
import type { JSONRPCMessage, Server } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { createClientRoots } from "../../src/serve/served/client-roots.ts";
import type { Served } from "../../src/serve/served/served.ts";

const INITIALIZE = { jsonrpc: "2.0", id: 0, method: "initialize", params: { capabilities: { roots: {} } } };

function asking(roots: readonly unknown[]) {
  const opened: (readonly string[] | undefined)[] = [];
  const told: string[] = [];
  let asked = 0;
  const server = {
    async request({ method }: { readonly method: string }) {
      if (method === "roots/list") asked++;
      return { roots };
    },
    sendToolListChanged: async () => void told.push("tools"),
    sendResourceListChanged: async () => void told.push("resources"),
  } as unknown as Server;
  const { before } = createClientRoots({
    opener: {
      async open(uris) {
        opened.push(uris);
        return [];
      },
      async close() {},
    },
    serve: async (next: Promise<readonly Served[]>) => void (await next),
    server: () => server,
  });
  const send = async (method: string, id?: number): Promise<void> => {
    await before({ jsonrpc: "2.0", method, ...(id !== undefined && { id }) } as JSONRPCMessage);
    await new Promise((resolve) => setImmediate(resolve));
  };
  void before(INITIALIZE as JSONRPCMessage);
  return { opened, told, send, asked: () => asked };
}

describe("a client that can name roots", () => {
  it("is asked once it is ready, and not by a ping before", async () => {
    const { send, asked, told } = asking([{ uri: "file:///a" }]);
    await send("ping", 1);
    expect(asked()).toBe(0);
    await send("notifications/initialized");
    await send("tools/list", 2);
    expect([asked(), told]).toEqual([1, []]);
  });

  it("is asked again when they changed, and only then told that the tools may have", async () => {
    const { send, asked, told } = asking([{ uri: "file:///a" }]);
    await send("notifications/initialized");
    await send("notifications/roots/list_changed");
    expect([asked(), told]).toEqual([2, ["tools", "resources"]]);
  });

  it("has those taken that are any", async () => {
    const uris = Array.from({ length: 150 }, (_, n) => `file:///${n}`);
    const { send, opened } = asking([null, {}, { uri: 7 }, ...uris.map((uri) => ({ uri }))]);
    await send("notifications/initialized");
    expect(opened).toEqual([uris]);
  });
});
