// A scripted agent meets another writer, a crash and its own second thoughts. What is printed is what really happened:
// the exit code is 0 only if every moment came out as told.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { crash } from "./demo/crash.mjs";
import { agentReadsAndEdits, patchOverThreeFiles, somebodyElseWrites, staleThenRebased } from "./demo/edits.mjs";
import { createStory } from "./demo/story.mjs";
import { undoAndVerify } from "./demo/undo.mjs";

const root = mkdtempSync(join(tmpdir(), "stet-demo-"));
const story = createStory(process.stdout);
// The workspace is thrown away, and so is the record that it was made here.
const register = mkdtempSync(join(tmpdir(), "stet-demo-register-"));
process.env.STET_REGISTER = register;
const workspace = openWorkspace({ root });
const agent = workspace.session({ agent: "agent" });
try {
  story.begin(root);
  const seen = await agentReadsAndEdits(story, agent, root);
  somebodyElseWrites(story, root);
  await staleThenRebased(story, agent, root, seen);
  await patchOverThreeFiles(story, agent, root);
  const crashed = await crash(story, agent, root);
  await undoAndVerify(story, workspace, root, crashed);
} catch (error) {
  story.broke(error);
} finally {
  await workspace.close();
  for (const made of [root, register]) rmSync(made, { recursive: true, force: true });
}
process.exitCode = story.end();
