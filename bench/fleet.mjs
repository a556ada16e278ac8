// The figures of a fleet: PostgreSQL and several servers on this machine, in one run. Run `npm run bench:fleet`.
import "./own-state.mjs";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { missingPostgres, startPostgres } from "../scripts/postgres.mjs";
import { cuts, failover, kills, restarts } from "./fleet/deaths.mjs";
import { neighbour } from "./fleet/neighbour.mjs";
import { scale } from "./fleet/scale.mjs";
import { throughput } from "./fleet/throughput.mjs";
import { counter, races } from "./fleet/together.mjs";

const SECTIONS = { throughput, counter, races, kills, restarts, cuts, failover, neighbour, scale };
const RESULTS = fileURLToPath(new URL("FLEET.md", import.meta.url));

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false }, only: { type: "string" } } });
const chosen = values.only?.split(",") ?? Object.keys(SECTIONS);
const why = missingPostgres();
if (why !== undefined) {
  console.error(`Nothing is measured: ${why}.`);
  process.exit(1);
}

/** @type {{ row: string, goal: string, figure: string, holds: boolean }[]} */
const all = [];
const begun = performance.now();
const server = await startPostgres();
try {
  for (const [name, section] of Object.entries(SECTIONS)) {
    if (!chosen.includes(name)) continue;
    for (const row of await section({ url: server.url, port: server.port, quick: values.quick })) {
      all.push(row);
      console.log(`${row.holds ? "holds " : "MISSED"}  ${row.row}: ${row.figure} (goal: ${row.goal})`);
    }
  }
} finally {
  await server.remove();
}
if (!values.quick && values.only === undefined) writeFileSync(RESULTS, report());
process.exitCode = all.every(({ holds }) => holds) ? 0 : 1;

function report() {
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  return [
    "# Figures of a fleet",
    "",
    `Written by \`npm run bench:fleet\`, ${seconds} s in all. Node ${process.versions.node}, one machine for the database and`,
    "all servers; each server is a process.",
    "",
    "| what | goal | printed |",
    "|---|---|---|",
    ...all.map(({ row, goal, figure, holds }) => `| ${row} | ${goal} | ${figure}${holds ? "" : " **missed**"} |`),
    "",
  ].join("\n");
}
