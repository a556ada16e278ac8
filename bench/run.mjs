// One command for all figures: stet and its peers on this machine, in one run. Writes RESULTS.md and the chart of the README.
import "./own-state.mjs";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installPeers } from "./peers.mjs";
import { results } from "./report/results.mjs";
import { saveResults } from "./report/save.mjs";

const SECTIONS = ["trust", "adapters", "edits", "mcp", "calls", "kernel", "search", "growth", "cost"];

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    out: { type: "string" },
  },
});
const chosen = values.only?.split(",") ?? SECTIONS;
const unknown = chosen.filter((name) => !SECTIONS.includes(name));
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(", ")}. There are ${SECTIONS.join(", ")}.`);
  process.exit(2);
}

installPeers(chosen);
const scratch = mkdtempSync(join(tmpdir(), "stet-bench-"));
const started = Date.now();
/** @type {Record<string, any>} */
const measured = {};
try {
  for (const name of SECTIONS.filter((each) => chosen.includes(each))) {
    console.log(`${seconds()} ${name} …`);
    measured[name] = runSection(name);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const run = { quick: values.quick, seconds: Math.round((Date.now() - started) / 1000) };
console.log(`\n${results(measured, run)}`);
const broken = chosen.filter((name) => {
  const { failed, missed = [], status = 0 } = measured[name];
  return failed !== undefined || missed.length > 0 || status !== 0;
});
if (broken.length > 0) console.error(`not as promised: ${broken.join(", ")}`);
const saved = isSaved();
process.exitCode = broken.length === 0 && saved ? 0 : 1;

/** What is committed comes from whole runs of full size, also where stet missed something; any other run leaves it alone. */
function isSaved() {
  const whole = SECTIONS.every((name) => chosen.includes(name));
  const out = values.out ?? (values.quick ? undefined : fileURLToPath(new URL(".", import.meta.url)));
  if (!whole || out === undefined) return true;
  const missing = saveResults(measured, { ...run, out });
  if (missing.length === 0) console.log(`written: RESULTS.md and trust.svg, ${seconds()} in all`);
  else console.error(["RESULTS.md and trust.svg are left as they were. Not measured:", ...missing].join("\n  "));
  return missing.length === 0;
}

/** Each section is a process of its own, so that no peer's memory or open handles weigh on the next. @param {string} name */
function runSection(name) {
  const file = join(scratch, `${name}.json`);
  const script = fileURLToPath(new URL(`sections/${name}.mjs`, import.meta.url));
  const { status, signal } = spawnSync(process.execPath, [script, file, ...(values.quick ? ["--quick"] : [])], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { failed: `the section ended with ${signal ?? status} and no result` };
  }
}

function seconds() {
  return `${((Date.now() - started) / 1000).toFixed(0)} s`;
}
