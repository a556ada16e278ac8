// The edit benchmark: every engine over every trial, judged byte for byte (usage in bench/README.md).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { engines } from "./engines/index.mjs";
import { printFailures } from "./failures.mjs";
import { missedGates } from "./gates.mjs";
import { countLevels, summarize, summarizeByClass } from "./judge.mjs";
import { measure } from "./measure.mjs";
import { printRealEdits } from "./real-report.mjs";
import { printClasses, printEngines, printLevels } from "./report.mjs";
import { printTimings } from "./timings.mjs";
import { loadTrials } from "./trials.mjs";

const options = readOptions();
const { trials, origin, isDefault } = loadTrials(options);
const mustRefuse = trials.filter(({ expected }) => expected === null).length;
console.log(`${trials.length} trials (${mustRefuse} must be refused): ${origin}. Node ${process.version}.`);

const scratch = mkdtempSync(join(tmpdir(), "stet-bench-edits-"));
/** @type {import("./report.mjs").EngineReport[]} */
const reports = [];
/** Of stet only: what its ladder owes to each of its levels. @type {Map<string, Map<string, number>>} */
const levels = new Map();
/** Of stet only: the generated trials of several seeds, beside the recorded ones. @type {import("./report.mjs").EngineReport[]} */
const bySeed = [];
/** @type {{ name: string, reason: string }[]} */
const skipped = [];
const generated = options.seeds.map((seed) => ({ seed, trials: loadTrials({ generated: true, seed }).trials }));
try {
  for (const engine of engines.filter(({ name }) => options.engines?.includes(name) ?? true)) {
    const loaded = await engine.load(scratch).catch((reason) => String(reason?.message ?? reason).split("\n")[0] ?? "");
    if (typeof loaded === "string") {
      skipped.push({ name: engine.name, reason: loaded });
      continue;
    }
    const judged = await measure(loaded, trials, scratch);
    const { name, about } = engine;
    reports.push({
      name,
      about,
      version: loaded.version,
      totals: summarize(judged),
      classes: summarizeByClass(judged),
    });
    if (options.failures !== undefined) printFailures(name, judged, options.failures);
    if (!name.startsWith("stet")) continue;
    levels.set(name, countLevels(judged));
    for (const { seed, trials: more } of generated) {
      const others = await measure(loaded, more, scratch);
      const report = { about, version: loaded.version, totals: summarize(others), classes: summarizeByClass(others) };
      bySeed.push({ name: `${name}, seed ${seed}`, ...report });
      if (options.failures !== undefined) printFailures(`${name}, seed ${seed}`, others, options.failures);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

for (const { name, reason } of skipped) console.log(`skipped ${name}: ${reason}`);
printEngines(reports);
printClasses(reports);
if (bySeed.length > 0) printEngines(bySeed);
const real = await printRealEdits();
if (real.levels !== undefined) levels.set("real edits", real.levels);
printLevels(levels);
const timings = await printTimings(options.seed);
const missed = [
  ...skipped.filter(({ name }) => name.startsWith("stet")).map(({ name }) => `${name} could not be run`),
  ...missedGates(reports, isDefault),
  ...missedGates(bySeed, false),
  ...real.missed,
];
if (options.json !== undefined) writeFileSync(options.json, asJson());
console.log(conclusion());
// Some peers keep handles open, so the process is ended here and not left to drain.
process.exit(missed.length === 0 ? 0 : 1);

function conclusion() {
  if (missed.length > 0) return `\nNot reached:\n${missed.map((sentence) => `  - ${sentence}`).join("\n")}`;
  const ranStet = reports.some(({ name }) => name.startsWith("stet"));
  return ranStet
    ? "\nstet reached every figure that is judged."
    : "\nstet was not among the engines: nothing was checked.";
}

function asJson() {
  const byEngine = reports.map(({ classes, ...report }) => ({ ...report, classes: Object.fromEntries(classes) }));
  const run = {
    origin,
    trials: trials.length,
    node: process.version,
    engines: byEngine,
    generated: bySeed.map(({ name, totals }) => ({ name, totals })),
    skipped,
    levels: Object.fromEntries([...levels].map(([name, counts]) => [name, Object.fromEntries(counts)])),
    real: real.figures,
    timings,
    missed,
  };
  return `${JSON.stringify(run, null, 2)}\n`;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      file: { type: "string" },
      engines: { type: "string" },
      generated: { type: "boolean", default: false },
      sample: { type: "string" },
      seed: { type: "string", default: "1" },
      json: { type: "string" },
      failures: { type: "string" },
    },
  });
  const { sample, seed, engines: chosen, ...rest } = values;
  const unknown = chosen?.split(",").filter((name) => !engines.some((engine) => engine.name === name)) ?? [];
  if (unknown.length > 0) {
    console.error(`Unknown engine ${unknown.join(", ")}. Known: ${engines.map(({ name }) => name).join(", ")}.`);
    process.exit(2);
  }
  const isWhole = rest.file === undefined && !rest.generated && sample === undefined;
  return {
    ...rest,
    seed: Number(seed),
    seeds: isWhole ? [1, 2, 3, 4, 5] : [],
    ...(sample && { sample: Number(sample) }),
    ...(chosen && { engines: chosen.split(",") }),
  };
}
