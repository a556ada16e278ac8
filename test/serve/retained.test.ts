// After many calls no more is left in memory than after few: counted by the kind of object, not by the bytes.
import { queryObjects } from "node:v8";
import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { work } from "../../bench/soak/work.mjs";
import { openWorkspace } from "../../src/index.ts";
import { serveOnStdio } from "../../src/serve/stdio/stdio.ts";
import { surfaceNamed } from "../../src/surfaces/index.ts";
import { directoryWith } from "../support/workspace.ts";
import { INFO } from "./clients.ts";

const KINDS = { Map, Promise, ArrayBuffer } as const;

it("calls of every kind leave nothing behind", { timeout: 180_000 }, async () => {
  const workspace = openWorkspace({ root: directoryWith({}), durability: "fast", limits: { recentBytes: 64 * 1024 } });
  const options = { surface: surfaceNamed("workspace"), served: [{ name: "w", workspace }], version: "1" } as const;
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = serveOnStdio(options, { transport: far });
  const request = requesting(near);
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: INFO };
  await request("initialize", params);
  await near.send({ jsonrpc: "2.0", method: "notifications/initialized" });

  const make = async (calls: number) => {
    const { failure } = await work({ request }, 0, (made) => made > calls, { distinct: false });
    expect(failure).toBeUndefined();
    return counted();
  };
  const before = await make(100);
  const after = await make(150);
  for (const [kind, count] of Object.entries(after)) expect(count - before[kind]!, kind).toBeLessThan(50);
  await serving.close();
});

async function counted(): Promise<Record<string, number>> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  return Object.fromEntries(
    Object.entries(KINDS).map(([name, kind]) => [name, Number(queryObjects(kind, { format: "count" }))]),
  );
}

function requesting(near: InMemoryTransport) {
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  near.onmessage = (message) => {
    const { id, result } = message as { id?: number; result?: unknown };
    waiting.get(id!)?.(result);
    waiting.delete(id!);
  };
  void near.start();
  return (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      void near.send({ jsonrpc: "2.0", id, method, params } as JSONRPCMessage);
    });
}
