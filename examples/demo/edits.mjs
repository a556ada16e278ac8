// The first half of the demo: reads and edits, another writer, a stale refusal, a rebase, a patch over several files.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, workspace as tools } from "stet/surfaces";

const SERVER = `import { createServer } from "node:http";

const host = "localhost";
const port = 3000;

createServer((request, response) => {
  response.end("hello");
}).listen(port, host);
`;

/** Gives the sha256 of the version that the agent has seen last. */
export async function agentReadsAndEdits(story, agent, root) {
  story.step("The agent reads a file, and edits it with the sha256 it was given as proof");
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src/server.js"), SERVER);
  const read = await tool(story, agent, "read_file", { path: "src/server.js" });
  const blind = await tool(story, agent, "edit_file", edit("7".repeat(64), "hello", "hullo"));
  story.check("an edit with a made-up sha256 is refused", !blind.ok && blind.error.kind === "stale_file");
  const edited = await tool(story, agent, "edit_file", edit(read.data.sha256, '"hello"', '"Hello, world"'));
  story.check("an edit of the version that was read is applied", edited.ok && text(root).includes("Hello, world"));
  return edited.data.afterSha256;
}

export function somebodyElseWrites(story, root) {
  story.step("Meanwhile another process, which knows nothing of stet, writes the same file");
  const script = `const fs = require("fs"); const file = process.argv[1];
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("localhost", "0.0.0.0"))`;
  story.say("It puts 0.0.0.0 in the place of localhost.");
  execFileSync(process.execPath, ["-e", script, join(root, "src/server.js")]);
  story.check("the file has changed behind the agent's back", text(root).includes("0.0.0.0"));
}

export async function staleThenRebased(story, agent, root, seen) {
  story.step("The agent edits what it remembers: refused, with what changed and what to do about it");
  const wanted = edit(seen, "3000", "4000");
  const refused = await tool(story, agent, "edit_file", wanted);
  story.check("the stale edit is refused", !refused.ok && refused.error.kind === "stale_file");
  story.check("the refusal shows the other's change", refused.text.includes('+const host = "0.0.0.0";'));
  story.check("the file is as the other left it", text(root).includes("3000") && text(root).includes("0.0.0.0"));

  story.step("Told to rebase, stet replays the edit on the newer version, because it is exact there too");
  const rebased = await tool(story, agent, "edit_file", { ...wanted, onStale: "rebase" });
  story.check("the edit is applied, and the agent is told that it was rebased", rebased.ok && rebased.data.rebased);
  story.check("both changes are in the file", text(root).includes("4000") && text(root).includes("0.0.0.0"));
}

export async function patchOverThreeFiles(story, agent, root) {
  story.step("A patch over several files with one hunk that does not fit: all or none");
  const add = "*** Add File: src/config.js\n+export const port = Number(process.env.PORT ?? 4000);\n";
  const update = (line) => `*** Update File: src/server.js\n@@\n-${line}\n+import { port } from "./config.js";\n`;
  const readme = "*** Add File: README.md\n+PORT=4000 node src/server.js\n";
  const patch = (line) => `*** Begin Patch\n${add}${update(line)}${readme}*** End Patch\n`;
  const refused = await tool(story, agent, "apply_patch", { patch: patch("const port = 3000;") });
  story.check("the patch is refused", !refused.ok);
  story.check(
    "none of its files was made",
    !existsSync(join(root, "src/config.js")) && !existsSync(join(root, "README.md")),
  );
  const applied = await tool(story, agent, "apply_patch", { patch: patch("const port = 4000;") });
  story.check("the corrected patch changes all three files", applied.ok && applied.data.changedFiles.length === 3);
}

/** Calls a tool as a model would, and prints what the model would read. */
async function tool(story, session, name, input) {
  const result = await call(session, tools, name, input);
  story.called(name, input, result);
  return result;
}

function edit(expectedSha256, oldText, newText) {
  return { path: "src/server.js", edits: [{ oldText, newText }], expectedSha256 };
}

function text(root) {
  return readFileSync(join(root, "src/server.js"), "utf8");
}
