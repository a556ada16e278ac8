// A tenant's small edits over HTTP, alone and beside another tenant who reads 50 lines of 6 MB again and again.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, startServer, stet } from "../../examples/demo-fleet/servers.mjs";

const NAMES = ["greedy", "small"];
/** Readers at once, the files they read in turn, and the pages of 50 lines in each. 12 files are more than a server keeps decoded. */
const BESIDE = {
  alone: [0, 0, 0],
  "four of a small file": [4, 1, 2],
  one: [1, 1, 2000],
  four: [4, 1, 2000],
  "four of 12 files": [4, 12, 2000],
};
/** Short, and in turn: what else the machine does then weighs on all alike. */
const SLICE_MS = 400;

export async function neighbour({ url, quick }) {
  const home = mkdtempSync(join(tmpdir(), "stet-neighbour-"));
  for (const name of NAMES) mkdirSync(join(home, name));
  const tokens = NAMES.map((name) => ({ name, token: `${name}-0123456789abcdef` }));
  const forms = {
    PostgreSQL: { database: url },
    disk: { roots: NAMES.map((name) => join(home, name)), http: { tokens } },
  };
  const rows = [];
  for (const [where, form] of Object.entries(forms)) {
    const config = join(home, `${where}.json`);
    writeFileSync(config, JSON.stringify(form));
    const server = await startServer(config);
    const calls = tokens.map(async ({ name, token }) => {
      const create = ["token", "create", name, "--tenant", name, "--role", "owner", "--workspaces", "*", "--json"];
      const secret = where === "disk" ? token : JSON.parse(await stet(...create, "--config", config)).token;
      const agent = createAgent(name, secret, [server]);
      return async (tool, input) => (await agent.call(tool, { workspace: name, ...input })).text;
    });
    const times = await measured(await Promise.all(calls), quick ? 4 : 25);
    const part = (name, p) => times[name].sort((a, b) => a - b)[Math.floor(times[name].length * p)];
    const ratios = (name) => [0.5, 0.95].map((p) => `${(part(name, p) / part("alone", p)).toFixed(1)} ×`).join(" / ");
    const figures = Object.keys(BESIDE).map((name) => `${name} ${part(name, 0.5).toFixed(1)} ms (${ratios(name)})`);
    const row = `small edits beside another tenant's readers of 50 lines of 6 MB, ${where}: p50 (p50 / p95 to alone)`;
    const holds = part("four", 0.5) <= 3 * part("alone", 0.5);
    rows.push({ row, goal: "p50 beside four ≤ 3 × alone", figure: figures.join(", "), holds });
    await server.end("SIGTERM");
  }
  rmSync(home, { recursive: true });
  return rows;
}

/** The milliseconds of every edit. The first round makes the files, and does not count. */
async function measured([greedy, small], rounds) {
  const times = Object.fromEntries(Object.keys(BESIDE).map((name) => [name, []]));
  let told = await small("create_file", { path: "a", content: "count 0\n" });
  for (let round = -1, count = 0; round < rounds; round++) {
    for (const [name, [readers, files, pages]] of Object.entries(BESIDE)) {
      const path = (n) => `${name} ${n % files}`;
      const content = `${"x".repeat(59)}\n`.repeat(50 * pages);
      for (let n = 0; round < 0 && n < files; n++) await greedy("create_file", { path: path(n), content });
      const until = performance.now() + SLICE_MS;
      const reading = Array.from({ length: readers }, async (_, first) => {
        for (let n = first; performance.now() < until; n += readers) {
          const page = { path: path(n), startLine: (n % pages) * 50 + 1, endLine: (n % pages) * 50 + 50 };
          if (!(await greedy("read_file", page)).includes("xxx\n")) throw new Error("a page was not read");
        }
      });
      while (performance.now() < until) {
        const begun = performance.now();
        const edits = [{ oldText: `count ${count}\n`, newText: `count ${++count}\n` }];
        told = await small("edit_file", { path: "a", edits, expectedSha256: /sha256=(\w{64})/.exec(told)[1] });
        if (round >= 0) times[name].push(performance.now() - begun);
      }
      await Promise.all(reading);
    }
  }
  return times;
}
