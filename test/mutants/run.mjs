// Changes the code a little in many places, one at a time, and tells which changes no test noticed. Run `npm run test:mutants`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createJudge } from "./judge.mjs";
import { mutantsOf } from "./mutations.mjs";
import { filesIn, relatedTests } from "./related.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({
  options: {
    sample: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "src/kernel,src/backends,src/edit,src/serve,src/search,src/surfaces,src/check" },
    jobs: { type: "string", default: "2" },
    tests: { type: "string", default: "40" },
    seconds: { type: "string", default: "120" },
  },
});
const prefixes = values.only.split(",");
const files = filesIn(root, "src").filter(
  (file) => file.endsWith(".ts") && prefixes.some((each) => file.startsWith(each)),
);
const all = files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")));
const sample = sampled(all, Number(values.sample), Number(values.seed));
console.log(`${all.length} mutants of ${files.length} files; ${sample.length} of them, seed ${values.seed}`);

const options = {
  mostTests: Number(values.tests),
  deadlineMs: Number(values.seconds) * 1000,
  related: relatedTests(root),
};
const judges = Array.from({ length: Number(values.jobs) }, () => createJudge(root, options));
const outcomes = [];
const left = [...sample];
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.once("exit", () => {
  for (const judge of judges) judge.close();
});
await Promise.all(judges.map(workOff));
report();

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
  if (untested.length > 0) console.log(`\n${untested.length} in files that only tests of the built program reach`);
  const folders = new Map();
  for (const { file, outcome } of outcomes) {
    const folder = file
      .split("/")
      .slice(0, file.split("/").length > 3 ? 3 : 2)
      .join("/");
    const count = folders.get(folder) ?? { killed: 0, judged: 0 };
    if (outcome !== "untested") count.judged += 1;
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
