// @ts-check
// Mastra with stet as the file system of its workspace: its own tools, with gate, journal and undo below them.
// With ANTHROPIC_API_KEY Claude does it, otherwise a scripted model.
import { Agent } from "@mastra/core/agent";
import { Workspace } from "@mastra/core/workspace";
import { mastraFilesystem } from "stet/adapters/mastra";
import { scriptedModel } from "./ai-model.mjs";
import { openScene, PROMPT } from "./scene.mjs";

const path = "greeting.txt";
const CALLS = [
  { name: "mastra_workspace_read_file", input: { path } },
  { name: "mastra_workspace_edit_file", input: { path, old_string: "world", new_string: "stet" } },
];

const { session, close } = openScene();
const agent = new Agent({
  id: "editor",
  name: "editor",
  instructions: "You edit files.",
  // Mastra types models of the AI SDK by what it wraps them in.
  model: process.env.ANTHROPIC_API_KEY ? "anthropic/claude-sonnet-5-5" : /** @type {any} */ (scriptedModel(CALLS)),
  workspace: new Workspace({ id: "files", name: "files", filesystem: mastraFilesystem(session) }),
});
const { text } = await agent.generate(PROMPT);
console.log(text);
await close();
