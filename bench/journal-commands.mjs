// Figures of commands that look into a long history: CPU time, time and peak memory of a process of its own, start included.
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendEntries } from "./long-history.mjs";

const COMMANDS = [
  ["trash", "list"],
  ["undo", "--agent", "rare", "--dry-run"],
  ["gc", "--keep", "5", "--even-recent", "--dry-run"],
  ["log", "--agent", "rare"],
  ["log", "--path", "src/file-7.ts"],
  ["log", "--refused", "--limit", "5"],
  ["show", "2"],
  ["undo", "2", "--dry-run"],
  ["doctor"],
];
const REPORT = `process.on("exit", () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  require("node:fs").writeFileSync(process.env.STET_BENCH_REPORT, JSON.stringify({ cpu: userCPUTime + systemCPUTime, maxRSS })); });`;

/** Each line once it is measured. @param {number} entries @param {(line: string) => void} print */
export async function measureCommands(entries, print) {
  const base = mkdtempSync(join(tmpdir(), "stet-bench-"));
  const root = join(base, "root");
  try {
    await history(root, entries);
    writeFileSync(join(base, "report.cjs"), REPORT);
    print(`\n${entries} entries${" ".repeat(40)}CPU ms    ms   MiB`);
    for (const command of COMMANDS) {
      const [cpu, ms, mib] = run(base, root, command).map((value) => value.toFixed(0).padStart(6));
      print(`stet ${command.join(" ").padEnd(46)}${cpu}${ms}${mib}`);
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function run(base, root, command) {
  const report = join(base, "report.json");
  const started = performance.now();
  const cli = new URL("../dist/bin/stet.cjs", import.meta.url).pathname;
  const { status, stderr } = spawnSync(process.execPath, ["--require", join(base, "report.cjs"), cli, ...command], {
    cwd: root,
    env: { ...process.env, STET_BENCH_REPORT: report },
    encoding: "utf8",
  });
  const ms = performance.now() - started;
  if (status !== 0 && command[0] !== "undo") throw new Error(`stet ${command.join(" ")}: ${stderr}`);
  const { cpu, maxRSS } = JSON.parse(readFileSync(report, "utf8"));
  return [cpu / 1000, ms, maxRSS / 1024];
}

/** Mostly edits by one agent; now and then a refusal, and a deletion by another agent. */
async function history(root, entries) {
  const { openWorkspace } = await import("../dist/index.js");
  mkdirSync(root);
  const workspace = openWorkspace({ root, durability: "fast" });
  await workspace.session({ agent: "first" }).create("a.txt", "a\n");
  await workspace.session({ agent: "first" }).create("file.txt", "value 0\n");
  await workspace.close();
  const shas = Array.from({ length: 64 }, (_, n) => hash("sha256", String(n)));
  await appendEntries(
    realpathSync(root),
    Array.from({ length: entries - 2 }, (_, n) => entryOf(n + 2, shas)),
  );
}

function entryOf(n, shas) {
  const path = `src/file-${n % 1000}.ts`;
  const author = { session: `session-${n % 7}`, agent: "bench", tool: "edit_file", call: `call-${n}` };
  if (n % 20_000 === 19_999) {
    const changes = [{ path, from: shas[n % 64], to: null, fromSize: 5, proof: "session" }];
    return { ...author, agent: "rare", tool: "delete_file", outcome: "applied", changes };
  }
  if (n % 1000 === 500)
    return {
      ...author,
      outcome: "refused",
      error: "stale_file",
      message: "It is stale.",
      changes: [],
      details: { path },
    };
  const [fromSize, toSize] = [1000 + n, 1001 + n];
  const changes = [{ path, from: shas[n % 64], to: shas[(n + 1) % 64], fromSize, toSize, proof: "session" }];
  return { ...author, outcome: "applied", changes };
}
