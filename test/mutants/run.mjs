// Changes the code a little in many places, one at a time, and tells which changes no test noticed. Run `npm run test:mutants`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createJudge } from "./judge.mjs";
import { mutantsOf } from "./mutations.mjs";
import { passedBy } from "./passed.mjs";
import { placeOf } from "./places.mjs";
import { filesIn, isJudge, relatedTests } from "./related.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({
  options: {
    sample: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "src/kernel,src/backends,src/edit,src/serve,src/search,src/surfaces,src/check" },
    jobs: { type: "string", default: "2" },
    seconds: { type: "string", default: "60" },
    given: { type: "string" },
    passed: { type: "string" },
  },
});
const prefixes = values.only.split(",");
const files = filesIn(root, "src").filter(
  (file) => file.endsWith(".ts") && prefixes.some((each) => file.startsWith(each)),
);
const all = values.given ? givenIn(values.given) : files.flatMap((file) => mutantsOf(file, sourceOf(file)));
const sample = values.given ? all : sampled(all, Number(values.sample), Number(values.seed));
console.log(`${all.length} mutants of ${files.length} files; ${sample.length} of them, seed ${values.seed}`);

const related = relatedTests(root);
const tests = filesIn(root, "test").filter((test) => isJudge(test));
const passed = await passedBy(root, tests, { file: values.passed, jobs: values.jobs });
const unfit = [...passed.tests].filter(([, { isFit }]) => !isFit).map(([test]) => test);
if (unfit.length > 0) console.log(`not asked, since they fail or are skipped without a change: ${unfit.join(", ")}`);

const judges = Array.from({ length: Number(values.jobs) }, () =>
  createJudge(root, { witnesses, mostMs: Number(values.seconds) * 1000 }),
);
const outcomes = [];
const left = [...sample];
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.once("exit", () => {
  for (const judge of judges) judge.close();
});
await Promise.all(judges.map(workOff));
report();
process.exit();

/** The tests that pass the place of the mutant, those first that are near and quick. */
function witnesses({ file, start }) {
  const near = related(file);
  const { first, places } = passed.places.get(file);
  const place = first + placeOf(places, start);
  const fit = [...passed.tests].filter(([, { isFit }]) => isFit);
  const passing = place < first ? [] : fit.filter(([, found]) => found.places.has(place));
  // what runs when it is loaded, or in another thread, is not written down
  const asked = passing.length > 0 ? passing : fit.filter(([test]) => near.has(test));
  return asked
    .map(([test, { ms }]) => ({ test, ms, cost: (ms + 200) * ((near.get(test) ?? 9) + 1) }))
    .sort((one, other) => one.cost - other.cost);
}

/** Mutants that are listed in a file: `[{ file, from, to }]`, where `from` occurs once in the file. */
function givenIn(name) {
  return JSON.parse(readFileSync(name, "utf8")).map(({ file, from, to }) => {
    const source = sourceOf(file);
    const start = source.indexOf(from);
    if (start === -1 || source.indexOf(from, start + 1) !== -1) throw new Error(`${file}: not there once: ${from}`);
    const line = source.slice(0, start).split("\n").length;
    return { file, line, start, end: start + from.length, text: to, what: `given: ${from}` };
  });
}

function sourceOf(file) {
  return readFileSync(join(root, file), "utf8");
}

async function workOff({ judge }) {
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const { outcome, by, ran } = await judge(mutant);
    outcomes.push({ ...mutant, outcome });
    const place = `${mutant.file}:${mutant.line}`;
    console.log(
      `${outcomes.length}/${sample.length} ${outcome.padEnd(8)} ${place}  ${mutant.what}  (${by ?? `${ran} tests`})`,
    );
  }
}

function report() {
  const survivors = outcomes.filter(({ outcome }) => outcome === "survived");
  console.log(`\n${survivors.length} survived:`);
  for (const { file, line, what, text } of survivors) console.log(`  ${file}:${line}  ${what}  →  ${text}`);
  const untested = outcomes.filter(({ outcome }) => outcome === "untested");
  if (untested.length > 0) console.log(`\n${untested.length} that none of the tests passes:`);
  for (const { file, line, what } of untested) console.log(`  ${file}:${line}  ${what}`);
  const folders = new Map();
  for (const { file, outcome } of outcomes) {
    const folder = file
      .split("/")
      .slice(0, file.split("/").length > 3 ? 3 : 2)
      .join("/");
    const count = folders.get(folder) ?? { killed: 0, judged: 0 };
    count.judged += 1;
    if (outcome === "killed" || outcome === "late") count.killed += 1;
    folders.set(folder, count);
  }
  console.log("");
  for (const [folder, count] of [...folders].sort()) tell(folder, count);
  const sum = (field) => [...folders.values()].reduce((total, count) => total + count[field], 0);
  tell("all", { killed: sum("killed"), judged: sum("judged") });
}

function tell(name, { killed, judged }) {
  const score = judged === 0 ? "" : `${((killed / judged) * 100).toFixed(0)} %`;
  console.log(`${name.padEnd(24)} ${String(killed).padStart(4)} of ${String(judged).padStart(4)} killed  ${score}`);
}

/** The same for the same seed. */
function sampled(mutants, count, seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return mutants
    .map((mutant) => ({ mutant, order: random() }))
    .sort((one, other) => one.order - other.order)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}
