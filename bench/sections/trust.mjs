// The trust table, two tools at a time: verdicts do not depend on speed.

import { tools } from "../tools/index.mjs";
import { cases, runTrust } from "../trust/run.mjs";
import { section } from "./section.mjs";

await section(async (quick) => {
  const scale = quick ? 0.2 : 1;
  const queue = tools.map(({ id }) => id);
  /** @type {import("../trust/run.mjs").ToolReport[]} */
  const reports = [];
  const lane = async () => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      reports.push(...(await runTrust({ scale, only: [id] })));
  };
  await Promise.all([lane(), lane()]);
  reports.sort((a, b) => tools.findIndex(({ id }) => id === a.tool) - tools.findIndex(({ id }) => id === b.tool));
  const missed = reports
    .filter(({ stet }) => stet)
    .flatMap(({ tool, rows, skipped }) => [
      ...(skipped === undefined ? [] : [`${tool} could not be run: ${skipped}`]),
      ...rows.filter(({ verdict }) => verdict === "wrong" || verdict === "lost").map((row) => `${tool}: ${row.case}`),
    ]);
  return { cases: cases.map(({ id, title, good }) => ({ id, title, good })), reports, missed };
});
