// `npm test`: all that needs no test, the build, and all tests. The checks go on beside the build and the first tests, in
// whose pauses there is room for them; what they find is said at the end, where it is seen. What was built is what is tested.
// Types are checked once, by the checks.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const checked = run("scripts/check.mjs", [], "pipe");
const tested = await inTurn([
  ["scripts/build.mjs", "--unchecked"],
  ["test/conformance/setup.mjs", "--in-ci"],
  ["test/adapters/setup.mjs", "--in-ci"],
  ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)],
]);
const { code, text } = await checked;
process.stderr.write(text);
process.exitCode = tested || code;

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
