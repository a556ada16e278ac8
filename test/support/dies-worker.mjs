// Overwrites the files that it is given in one commit, and is killed as the first of them is about to change places:
// `node dies-worker.mjs ROOT PATH…`.
import { createRequire } from "node:module";
import { openWorkspace } from "../../dist/index.js";

const [root, ...paths] = process.argv.slice(2);
const native = createRequire(import.meta.url)("fs-native-extensions");
const { swapSync } = native;
native.swapSync = (from, to) => {
  if (from.includes("-new-")) process.kill(process.pid, "SIGKILL");
  return swapSync(from, to);
};
const targets = paths.map((path) => ({ path, proof: { by: "waived" }, action: "write" }));
const session = openWorkspace({ root, durability: "fast" }).session();
await session.change(targets, () => paths.map((path) => ({ body: `new ${path}\n` })));
