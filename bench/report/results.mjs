// RESULTS.md: what was measured, in tables a reader can check, ratios first.
import { readFileSync } from "node:fs";
import os from "node:os";
import { adapterTables } from "./adapters.mjs";
import { withoutOwnPaths } from "./own-paths.mjs";
import { callTables, costTables, growthTables } from "./speed.mjs";
import { heading, number, table, wrapped } from "./table.mjs";
import { trustTables } from "./trust.mjs";

/** @param {Record<string, any>} measured @param {{ quick: boolean, seconds: number }} run */
export function results(measured, run) {
  const parts = [
    ["Trust", measured.trust, trustTables],
    ["Agent frameworks", measured.adapters, adapterTables],
    ["Edit quality", measured.edits, editTable],
    ["MCP server beside the reference server", measured.mcp, asPrinted],
    ["One call", measured.calls, callTables],
    ["A change, a read and its hash, beside the bare system calls", measured.kernel, asPrinted],
    ["Search beside ripgrep", measured.search, asPrinted],
    ["Growth", measured.growth, growthTables],
    ["Cost to a model", measured.cost, costTables],
  ];
  const sections = parts.flatMap(([title, figures, show]) => {
    if (figures === undefined) return [];
    const body = figures.failed === undefined ? show(figures) : `Not measured: ${figures.failed}`;
    return [heading(2, title), body];
  });
  return withoutOwnPaths(`${wrapped([heading(1, "Results"), preamble(run), ...sections].join("\n\n"))}\n`);
}

/** @param {{ quick: boolean, seconds: number }} run */
function preamble({ quick, seconds }) {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const cpus = os.cpus();
  return [
    `Written by \`npm run bench${quick ? " -- --quick" : ""}\` in ${seconds} s: every tool on the same machine, with the same inputs, in one run, in alternating order; medians with (lowest–highest).`,
    `stet ${version} · ${new Date().toISOString().slice(0, 10)} · Node ${process.versions.node} · ${process.platform} ${process.arch}, ${cpus.length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB.`,
  ].join("\n\n");
}

/** @param {any} figures */
function editTable({ engines, skipped, timings, trials, origin, missed = [] }) {
  const percent = (/** @type {number} */ part, /** @type {number} */ whole) => `${((100 * part) / whole).toFixed(1)} %`;
  const rows = engines.map((/** @type {any} */ { name, version, totals }) => [
    name,
    version,
    percent(totals.correct, totals.applicable),
    percent(totals.refused, totals.applicable),
    `${totals.wrong + totals.accepted}`,
  ]);
  const left = skipped.map((/** @type {any} */ each) => `${each.name}: ${each.reason}`);
  return [
    `${trials} edits with the slips that models make (${String(origin).split("/").at(-1)}), judged byte for byte. \`npm run bench:edits\` prints every class.`,
    table(["engine", "version", "landed right", "refused", "wrong (all trials)"], rows),
    ...(left.length > 0 ? [`Skipped: ${left.join("; ")}.`] : []),
    ...(missed.length > 0 ? [`Not as promised: ${missed.join("; ")}`] : []),
    table(
      ["stet's engines on 10,000 lines", "median ms", "95 % below ms"],
      timings.map((/** @type {any} */ { what, p50, p95 }) => [what, number(p50), number(p95)]),
    ),
  ].join("\n\n");
}

/** @param {{ printed: string }} figures */
function asPrinted({ printed }) {
  return `\`\`\`\n${printed}\n\`\`\``;
}
