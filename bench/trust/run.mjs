// The trust table: every case on every tool, each on a fresh directory (usage in bench/README.md).
import "../own-state.mjs";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { allTools, tools } from "../tools/index.mjs";
import { byteCases } from "./cases/bytes.mjs";
import { faultCases } from "./cases/faults.mjs";
import { fileCases } from "./cases/files.mjs";
import { otherWriterCases } from "./cases/others.mjs";
import { wrong } from "./verdict.mjs";

export const cases = [...byteCases, ...fileCases, ...otherWriterCases, ...faultCases];

/**
 * @typedef {import("./verdict.mjs").Verdict & { case: string }} Row
 * @typedef {{ tool: string, stet: boolean, version: string, rows: Row[], skipped?: string }} ToolReport
 */

/** @param {{ scale?: number, only?: readonly string[], cases?: readonly string[], progress?: (line: string) => void }} [options] @returns {Promise<ToolReport[]>} */
export async function runTrust({ scale = 1, only, cases: chosen, progress = () => {} } = {}) {
  const reports = [];
  for (const tool of only === undefined ? tools : allTools.filter(({ id }) => only.includes(id))) {
    const report = { tool: tool.id, stet: tool.stet ?? false, version: "-", rows: /** @type {Row[]} */ ([]) };
    reports.push(report);
    try {
      const loaded = await tool.load();
      report.version = loaded.version;
      for (const each of cases.filter(({ id }) => chosen === undefined || chosen.includes(id))) {
        const verdict = await runCase(tool.id, loaded, each, scale);
        report.rows.push({ case: each.id, ...verdict });
        progress(`${tool.id}: ${each.id}: ${verdict.verdict} ${verdict.note}`);
      }
    } catch (error) {
      Object.assign(report, { skipped: String(/** @type {Error} */ (error)?.message ?? error).split("\n")[0] });
      progress(`skipped ${tool.id}: ${error}`);
    }
  }
  return reports;
}

/** @param {string} tool @param {Awaited<ReturnType<import("../tools/answer.mjs").Tool["load"]>>} loaded @param {import("./verdict.mjs").Case} each @param {number} scale */
async function runCase(tool, loaded, each, scale) {
  const scratch = mkdtempSync(join(tmpdir(), "stet-trust-"));
  const [root, outside] = [join(scratch, "root"), join(scratch, "outside")];
  mkdirSync(root);
  mkdirSync(outside);
  /** @type {import("../tools/answer.mjs").Agent[]} */
  const agents = [];
  try {
    const verdict = await each.run({
      root,
      outside,
      tool,
      scale,
      confined: loaded.confined,
      ranges: loaded.ranges,
      async agent(directory = root) {
        const agent = await loaded.open(directory);
        agents.push(agent);
        return agent;
      },
      put(path, content) {
        const file = resolve(root, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
        return file;
      },
      bytes: (path) => readFileSync(resolve(root, path)),
    });
    return { ...verdict, note: verdict.note.replaceAll(root, "…") };
  } catch (error) {
    return wrong(`failed: ${String(/** @type {Error} */ (error)?.message ?? error).split("\n")[0]}`);
  } finally {
    await Promise.allSettled(agents.map((agent) => agent.close()));
    rmSync(scratch, { recursive: true, force: true });
  }
}
