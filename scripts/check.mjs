// Everything that needs no test: style, types, unused parts. Side by side, since each leaves a core idle. What was found out
// about files that have not changed since is kept.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { QUICK_TSC } from "./quick-tsc.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const kept = (name) => join(root, "node_modules", ".cache", name);
const CHECKS = [
  ["biome", "check", "."],
  ["tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", kept("types.tsbuildinfo"), ...QUICK_TSC.args],
  ["tsc", "-p", "src/page/client", "--incremental", "--tsBuildInfoFile", kept("page.tsbuildinfo"), ...QUICK_TSC.args],
  ["knip", "--cache", "--cache-location", kept("knip")],
];

const ended = await Promise.all(CHECKS.map(run));
for (const { name, code, text } of ended) {
  if (code === 0) continue;
  console.error(`${text}\n${name}: exit code ${code}`);
  process.exitCode = 1;
}

function run([name, ...args]) {
  const program = join(root, "node_modules", ".bin", name);
  const env = { ...process.env, ...QUICK_TSC.env };
  const child = spawn(program, args, { cwd: root, env, shell: process.platform === "win32" });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      text += data;
    });
  }
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ name, code: 1, text: String(error) }));
    child.on("close", (code) => resolve({ name, code, text }));
  });
}
