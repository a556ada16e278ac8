// Another process that changes a file of a workspace, as an agent over stdio would.
import { openWorkspace } from "../../dist/index.js";

const [root, path, content] = process.argv.slice(2);
const workspace = openWorkspace({ root, durability: "fast" });
await workspace.session({ agent: "elsewhere" }).write(path, content, { tool: "Edit", proof: { by: "waived" } });
process.stdout.write(`${Date.now()}\n`);
await workspace.close();
