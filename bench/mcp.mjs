// stet over MCP beside @modelcontextprotocol/server-filesystem: same client, same files, same run. Run `npm run bench:mcp`.
import "./own-state.mjs";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { allResults, tell } from "./mcp/figures.mjs";
import { manyClients } from "./mcp/over-http.mjs";
import { edits, memory, reads, searches, starts } from "./mcp/over-stdio.mjs";
import { peer, peerVersion, stet } from "./mcp/servers.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    rounds: { type: "string" },
    calls: { type: "string" },
    files: { type: "string" },
    clients: { type: "string" },
    only: { type: "string" },
    json: { type: "string" },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 5 : 11));
const calls = Number(values.calls ?? (values.quick ? 600 : 2600));
const files = Number(values.files ?? (values.quick ? 10_000 : 50_000));
const clients = Number(values.clients ?? 50);
const fast = stet("fast");
const full = stet("full");
const theirs = peer();

const PARTS = {
  start: async (base) => {
    await starts(full, theirs, base, { rounds: rounds * 2, listing: false });
    await starts(full, theirs, base, { rounds, listing: true });
  },
  read: async (base) => {
    await reads(full, theirs, base, { rounds, calls, inFlight: 1 });
    await reads(full, theirs, base, { rounds, calls, inFlight: 16 });
  },
  edit: async (base) => {
    const edited = values.calls === undefined ? 500 : calls;
    await edits(fast, theirs, base, { rounds, calls: edited, goal: ["≥", 1] });
    await edits(full, theirs, base, { rounds, calls: edited });
  },
  search: (base) => searches(full, theirs, base, { rounds, files }),
  memory: (base) => memory(full, theirs, base, { rounds: Math.min(rounds, 5), calls: Number(values.calls ?? 2600) }),
  http: (base) => manyClients(base, { clients, callsEach: 20 }),
};

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-bench-")));
try {
  const names = values.only?.split(",") ?? Object.keys(PARTS);
  const beside = names.some((name) => name !== "http") ? { "server-filesystem": peerVersion() } : {};
  tell("stet over MCP", { ...beside, node: process.version, cores: os.cpus().length });
  console.log(`${rounds} rounds, order alternated; medians [lowest–highest]; ratios are ours / theirs\n`);
  for (const name of names) await PARTS[name](base);
  if (values.json !== undefined) fs.writeFileSync(values.json, JSON.stringify(allResults(), null, 2));
} finally {
  fs.rmSync(base, { recursive: true, force: true });
}
