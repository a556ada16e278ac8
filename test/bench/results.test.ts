// What the bench may write: no path of the machine, and nothing at all while a tool or a section is missing.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";

const { withoutOwnPaths } = (await import("../../bench/report/own-paths.mjs" as string)) as {
  withoutOwnPaths(report: string): string;
};
const { saveResults } = (await import("../../bench/report/save.mjs" as string)) as {
  saveResults(measured: object, run: { quick: boolean; seconds: number; out: string }): string[];
};
const { missingPeers } = (await import("../../bench/peers.mjs" as string)) as { missingPeers(folder: URL): string[] };

const repository = fileURLToPath(new URL("../..", import.meta.url));
const row = { case: "fifo", verdict: "refused", note: `open '${tmpdir()}/stet-trust-uF…` };
const report = { tool: "stet workspace", stet: true, version: "1", rows: [row] };
const MEASURED = {
  trust: { cases: [{ id: "fifo", title: "a FIFO", good: "refused" }], reports: [report], missed: [] },
  edits: { engines: [], skipped: [], timings: [], trials: 0, origin: "generated" },
  kernel: { printed: `written below ${repository}dist`, status: 0 },
};

describe("paths in results", () => {
  it.each([
    [`limit: ${tmpdir()}/stet-calls-ahhw9Z/root-jF05k9/huge.txt (95 MB)`, "limit: …/huge.txt (95 MB)"],
    [`open '${tmpdir()}/stet-trust-uF-3A_/root/link.txt'`, "open '…/link.txt'"],
    [`in ${tmpdir()}/stet-trust-T0LyGU/outside/x`, "in …/x"],
    [`in file: ${tmpdir()}/stet-trust-T0LyGU/roo…`, "in file: …"],
    [`open '${tmpdir()}/stet-trust-uF…`, "open '…"],
    [`open '${tmpdir()}/ste…`, "open '…"],
    [`open '${tmpdir()}/stet-cost-a1/settings.ts'`, "open '…/settings.ts'"],
    [`from ${repository}bench/x.mjs`, "from …/bench/x.mjs"],
    ["a/tmp/file and /tmpfile stay", "a/tmp/file and /tmpfile stay"],
  ])("%s", (before, after) => {
    expect(withoutOwnPaths(before)).toBe(after);
  });
});

describe("saving", () => {
  it("writes the results and the chart, without paths of this machine", () => {
    const out = join(tempDir(), "new");
    expect(saveResults(MEASURED, { quick: false, seconds: 1, out })).toEqual([]);
    const written = readFileSync(join(out, "RESULTS.md"), "utf8");
    expect(written).toContain("| fifo | refused | open '… |");
    expect(written).toContain("written below …/dist");
    expect(readFileSync(join(out, "trust.svg"), "utf8")).toMatch(/^<svg /);
  });

  it.each([
    [
      "a tool of the trust table",
      { trust: { ...MEASURED.trust, reports: [report, { tool: "pi", rows: [], skipped: "no" }] } },
    ],
    ["an engine", { edits: { ...MEASURED.edits, skipped: [{ name: "pi", reason: "no" }] } }],
    ["a tool that is timed", { calls: { workloads: [], skipped: [{ tool: "pi", reason: "no" }] } }],
    ["a section", { growth: { failed: "pi: no" } }],
  ])("writes nothing without %s, and says so", (_what, part) => {
    const out = tempDir();
    const said = saveResults({ ...MEASURED, ...part }, { quick: false, seconds: 1, out });
    expect(said).toEqual([`${Object.keys(part)[0]}: pi: no`]);
    expect(existsSync(join(out, "RESULTS.md"))).toBe(false);
    expect(existsSync(join(out, "trust.svg"))).toBe(false);
  });
});

it("knows which of the other tools are not installed", () => {
  const folder = tempDir();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ devDependencies: { "@a/b": "1.0.0", c: "1.0.0" } }));
  mkdirSync(join(folder, "node_modules/@a/b"), { recursive: true });
  writeFileSync(join(folder, "node_modules/@a/b/package.json"), "{}");
  expect(missingPeers(pathToFileURL(`${folder}/`))).toEqual(["c"]);
});
