// Makes calls of every kind, first few and then more, and prints after each how many objects of each kind are there:
// `node retained.mjs DIRECTORY`. By itself, since each object of the process is looked at.
import { queryObjects } from "node:v8";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { work } from "../../bench/soak/work.mjs";
import { openWorkspace } from "../../dist/index.js";
import { serveOnStdio } from "../../dist/serve/stdio/stdio.js";
import { surfaceNamed } from "../../dist/surfaces/index.js";

const KINDS = { Map, Promise, ArrayBuffer };
const CALLS = [100, 150];

const workspace = openWorkspace({ root: process.argv[2], durability: "fast", limits: { recentBytes: 64 * 1024 } });
const options = { surface: surfaceNamed("workspace"), served: [{ name: "w", workspace }], version: "1" };
const [near, far] = InMemoryTransport.createLinkedPair();
const serving = serveOnStdio(options, { transport: far });
const request = requesting();
const clientInfo = { name: "test", version: "1" };
await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
await near.send({ jsonrpc: "2.0", method: "notifications/initialized" });

for (const calls of CALLS) {
  const { failure } = await work({ request }, 0, (made) => made > calls, { distinct: false });
  console.log(JSON.stringify({ failure, counts: await counted() }));
}
await serving.close();

async function counted() {
  await new Promise((resolve) => setTimeout(resolve, 300));
  const count = ([name, kind]) => [name, queryObjects(kind, { format: "count" })];
  return Object.fromEntries(Object.entries(KINDS).map(count));
}

function requesting() {
  const waiting = new Map();
  let last = 0;
  near.onmessage = ({ id, result }) => {
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  void near.start();
  return (method, params) =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      void near.send({ jsonrpc: "2.0", id, method, params });
    });
}
