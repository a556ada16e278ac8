// Everything that needs no test: style, types, unused parts. Side by side, since each leaves a core idle.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const CHECKS = [["biome", "check", "."], ["tsc", "--noEmit"], ["knip"]];

const ended = await Promise.all(CHECKS.map(run));
for (const { name, code, text } of ended) {
  if (code === 0) continue;
  console.error(`${text}\n${name}: exit code ${code}`);
  process.exitCode = 1;
}

function run([name, ...args]) {
  const child = spawn("npx", ["--no-install", name, ...args], { cwd: root, shell: process.platform === "win32" });
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
