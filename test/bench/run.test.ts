// A run of the whole bench, with sections that measure nothing: what it saves, what it says, and how it ends.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const row = { case: "fifo", verdict: "wrong", note: "read" };
const trust = {
  cases: [{ id: "fifo", title: "a FIFO", good: "refused" }],
  reports: [{ tool: "stet workspace", stet: true, version: "1", rows: [row] }],
  missed: [],
};
const edits = { engines: [], skipped: [], timings: [], trials: 0, origin: "generated", missed: [] };
const printed = { printed: "", status: 0 };
const FIGURES = {
  ...{ trust, adapters: { trust, overhead: [], missed: [] }, edits, mcp: printed, kernel: printed, search: printed },
  ...{
    calls: { workloads: [], skipped: [] },
    growth: { growths: [] },
    cost: { costs: [], skipped: [], received: { tools: [], calls: [], skipped: [] } },
  },
};

it("a whole run is saved", () => {
  const { status, said, saved } = run(FIGURES);
  expect(said).toContain("written: RESULTS.md and trust.svg");
  expect(saved).toContain("| fifo | wrong | read |");
  expect(status).toBe(0);
});

it.runIf(HEAVY)("also when stet missed something, which the results and the exit code tell", () => {
  const missed = { trust: { ...trust, missed: ["a FIFO"] }, edits: { ...edits, missed: ["none may be wrong"] } };
  const { status, said, saved } = run({ ...FIGURES, ...missed, mcp: { printed: "1 lost", status: 1 } });
  expect(said).toContain("not as promised: trust, edits, mcp\n");
  expect(said).toContain("written: RESULTS.md and trust.svg");
  expect(saved).toContain("\nNot as promised: a FIFO.\n");
  expect(saved).toContain("\nNot as promised: none may be wrong\n");
  expect(status).toBe(1);
});

it("without one section nothing is saved, and it is told", () => {
  const { growth: _, ...others } = FIGURES;
  const { status, said, saved } = run(others);
  expect(said).toContain("not as promised: growth\n");
  expect(said).toMatch(/left as they were\. Not measured:\n {2}growth: the section ended with 3 and no result\n/);
  expect(saved).toBeUndefined();
  expect(status).toBe(1);
});

function run(figures: Readonly<Record<string, object>>) {
  const root = tempDir();
  const sections = join(root, "bench/sections");
  mkdirSync(sections, { recursive: true });
  for (const file of ["package.json", "bench/run.mjs", "bench/own-state.mjs", "bench/report"])
    cpSync(join(repository, file), join(root, file), { recursive: true });
  writeFileSync(join(root, "bench/peers.mjs"), "export function installPeers() {}\n");
  for (const name of ["trust", "adapters", "edits", "mcp", "calls", "kernel", "search", "growth", "cost"]) {
    const figure = figures[name];
    const writes = `import { writeFileSync } from "node:fs";\nwriteFileSync(process.argv[2], ${JSON.stringify(JSON.stringify(figure))});\n`;
    writeFileSync(join(sections, `${name}.mjs`), figure === undefined ? "process.exit(3);\n" : writes);
  }
  const out = join(root, "out");
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "bench/run.mjs"), "--out", out], {
    encoding: "utf8",
  });
  const file = join(out, "RESULTS.md");
  return { status, said: `${stdout}${stderr}`, saved: existsSync(file) ? readFileSync(file, "utf8") : undefined };
}
