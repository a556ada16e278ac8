// @ts-check
// What the examples have in common: a directory with one file, what a scripted model does in it, and what came of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "stet";

export const PROMPT = "Read greeting.txt and make it greet stet instead of the world.";

/** Without a key for a real model, a scripted one makes these calls, one after the other; then it says that it is done. */
export const CALLS = /** @type {const} */ ([
  { name: "Read", input: { file_path: "greeting.txt" } },
  { name: "Edit", input: { file_path: "greeting.txt", old_string: "world", new_string: "stet" } },
]);

export function openScene() {
  const scene = mkdtempSync(join(tmpdir(), "stet-example-"));
  const root = join(scene, "files");
  mkdirSync(root);
  writeFileSync(join(root, "greeting.txt"), "Hello, world!\n");
  // It is thrown away in the end, and so is the record that it was made here.
  const workspace = openWorkspace({ root, stateDir: join(scene, "state") });
  const session = workspace.session({ agent: "example" });
  return {
    session,
    /** Tells what the agent did, and takes it back. */
    async close() {
      for await (const { agent, tool, outcome } of workspace.log()) console.log(`${agent}: ${tool}, ${outcome}`);
      console.log((await session.read("greeting.txt")).body.trim());
      await session.undo({ session: session.id });
      console.log((await session.read("greeting.txt")).body.trim());
      await workspace.close();
      rmSync(scene, { recursive: true, force: true });
    },
  };
}
