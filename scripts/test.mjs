// `npm test`: all that needs no test, the build, and all tests. The checks go on beside the build and the first tests, in
// whose pauses there is room for them; what they find is said at the end, where it is seen. What was built is what is tested.
// Types are checked once, by the checks. Files that failed run once more, alone: what passes then is flaky, and is listed.
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const results = join(root, "node_modules/.cache/test-results.json");
const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
const REPORTERS = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
const MAX_RERUN = 10;

rmSync(results, { force: true });
const checked = run("scripts/check.mjs", [], "pipe");
const prepared = await inTurn([
  ["scripts/build.mjs", "--unchecked"],
  ["test/conformance/setup.mjs", "--in-ci"],
  ["test/adapters/setup.mjs", "--in-ci"],
]);
const tested = prepared || (await inTurn([[...VITEST, ...REPORTERS, ...process.argv.slice(2)]]));
const { code, text } = await checked;
const failed = tested === 0 || prepared !== 0 ? [] : failedFiles();
const isRerun = failed.length > 0 && failed.length <= MAX_RERUN;
const red = isRerun ? await inTurn([[...VITEST, "--no-file-parallelism", ...failed]]) : tested;
process.stderr.write(text);
if (isRerun && red === 0) console.error(`Flaky: failed once, passed alone:\n  ${failed.join("\n  ")}`);
process.exitCode = red || code;

/** None where the run ended before it could say which. */
function failedFiles() {
  try {
    const { testResults } = JSON.parse(readFileSync(results, "utf8"));
    const names = testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(root, name));
    return [...new Set(names)];
  } catch {
    return [];
  }
}

async function inTurn(programs) {
  for (const [program, ...args] of programs) {
    const ended = await run(program, args, "inherit");
    if (ended.code !== 0) return ended.code;
  }
  return 0;
}

function run(program, args, output) {
  const child = spawn(process.execPath, [join(root, program), ...args], {
    cwd: root,
    env: { ...process.env, TESTS_OF_DIST: "1" },
    stdio: ["ignore", output, output],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => {
      text += data;
    });
  }
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 1, text: String(error) }));
    child.on("close", (code) => resolve({ code: code ?? 1, text }));
  });
}
