// Changes five files together, again and again, and says after each change that it is done. Meant to be killed.
import { writeSync } from "node:fs";
import { openWorkspace } from "../../dist/index.js";

const [root, durability, start] = process.argv.slice(2);
const workspace = openWorkspace({ root, durability });
const session = workspace.session();
const paths = ["a", "b", "dir/c", "dir/d", "e"];
for (let n = Number(start); ; n++) {
  const body = `${n}\n`.repeat(4000);
  const targets = paths.map((path) => ({ path, proof: { by: "waived" }, action: "write", createParents: true }));
  await session.change(targets, (files) => files.map(() => ({ body })));
  writeSync(1, `${n}\n`);
}
