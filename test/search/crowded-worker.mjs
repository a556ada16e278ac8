// Searches while no file can be opened any more, and again when there is room. Prints what each was answered.
import fs from "node:fs";
import { openWorkspace } from "../../dist/index.js";
import { call, surfaceNamed } from "../../dist/surfaces/index.js";

const [, , root, engine] = process.argv;
const session = openWorkspace({ root }).session();

async function search() {
  try {
    const { ok, text } = await call(session, surfaceNamed("workspace"), "search_files", {
      query: "needle",
      mode: "text",
    });
    return { ok, text };
  } catch (defect) {
    return { ok: false, text: `defect: ${defect}` };
  }
}

// The program has to be found first; a thread is to be started when there is no room for it.
if (engine === "ripgrep") await search();
// With a few left, it gets further before there is none.
for (const left of process.env.STET_HEAVY ? [0, 1, 2, 3, 4, 6, 8] : [0, 3]) {
  const files = [];
  try {
    for (;;) files.push(fs.openSync("/dev/null", "r"));
  } catch {
    for (const fd of files.splice(0, left)) fs.closeSync(fd);
  }
  const answers = await Promise.all([search(), search()]);
  for (const fd of files) fs.closeSync(fd);
  console.log(JSON.stringify({ left, answers }));
}
console.log(JSON.stringify({ left: "enough", answers: [await search()] }));
