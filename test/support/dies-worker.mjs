// Overwrites files in one commit, each with WORD and its path, and is killed as so many of them have changed places:
// `node dies-worker.mjs ROOT WORD COUNT PATH…`.
import { createRequire } from "node:module";
import { basename } from "node:path";
import { openWorkspace } from "../../dist/index.js";

const [root, word, count, ...paths] = process.argv.slice(2);
const native = createRequire(import.meta.url)("fs-native-extensions");
const { swapSync } = native;
const names = new Set(paths.map((path) => basename(path)));
let swaps = 0;
native.swapSync = (from, to) => {
  const isOne = [from, to].some((path) => names.has(basename(path)));
  if (isOne && swaps++ === Number(count)) process.kill(process.pid, "SIGKILL");
  return swapSync(from, to);
};
const targets = paths.map((path) => ({ path, proof: { by: "waived" }, action: "write" }));
const session = openWorkspace({ root, durability: "fast" }).session();
await session.change(targets, () => paths.map((path) => ({ body: `${word} ${path}\n` })));
