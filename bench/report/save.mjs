// Who may replace RESULTS.md and the chart: a whole run in which every section ran and no tool was missing.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trustChart } from "./chart.mjs";
import { results } from "./results.mjs";

/**
 * @param {Record<string, any>} measured
 * @param {{ quick: boolean, seconds: number, out: string }} run
 * @returns {string[]} why nothing was written
 */
export function saveResults(measured, { out, ...run }) {
  const missing = notMeasured(measured);
  if (missing.length > 0) return missing;
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "RESULTS.md"), results(measured, run));
  writeFileSync(join(out, "trust.svg"), trustChart(measured.trust.reports));
  return [];
}

/** @param {Record<string, any>} measured */
function notMeasured(measured) {
  return Object.entries(measured).flatMap(
    ([section, { failed, trust, reports = trust?.reports ?? [], skipped = [] }]) => {
      const left = [...reports, ...skipped].filter(
        (/** @type {any} */ each) => (each.skipped ?? each.reason) !== undefined,
      );
      const lines = left.map(
        (/** @type {any} */ { tool, name, skipped: why, reason }) => `${tool ?? name}: ${why ?? reason}`,
      );
      return [...(failed === undefined ? [] : [failed]), ...lines].map((line) => `${section}: ${line}`);
    },
  );
}
