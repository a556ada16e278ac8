// Bundled as CommonJS, where modules know no address of their own. What a model would receive is printed.
import { openWorkspace } from "stet";
import { anthropicTextEditor } from "stet/adapters/anthropic";

async function main() {
  const workspace = openWorkspace({ root: process.argv[2] });
  const { run } = anthropicTextEditor(workspace.session());
  const said = await run({ command: "view", path: "/none.txt" }).catch((error) => error.message);
  console.log(said);
  await workspace.close();
}

void main();
