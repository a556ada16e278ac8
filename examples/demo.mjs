// A scripted agent meets another writer, a crash and its own second thoughts. What is printed is what really happened:
// the exit code is 0 only if every moment came out as told.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { crash } from "./demo/crash.mjs";
import { agentReadsAndEdits, patchOverThreeFiles, somebodyElseWrites, staleThenRebased } from "./demo/edits.mjs";
import { createStory } from "./demo/story.mjs";
import { removedAndBroughtBack, undoAndVerify } from "./demo/undo.mjs";

const root = realpathSync(mkdtempSync(join(tmpdir(), "stet-demo-")));
const story = createStory(process.stdout);
// The workspace is thrown away, and so is its history.
const state = mkdtempSync(join(tmpdir(), "stet-demo-state-"));
process.env.STET_STATE = state;
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
  await removedAndBroughtBack(story, workspace, root);
} catch (error) {
  story.broke(error);
} finally {
  await workspace.close();
  for (const made of [root, state]) rmSync(made, { recursive: true, force: true });
}
process.exitCode = story.end();
