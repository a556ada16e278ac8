// Tools of a workspace that was closed: they say so, whatever they are asked for, and nothing that sounds like an empty directory.
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { memory } from "../../src/backends/memory/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call, surfaceNamed } from "../../src/surfaces/index.ts";
import { directoryWith } from "../support/workspace.ts";

const SHA = "0".repeat(64);
const CALLS: Readonly<Record<string, readonly (readonly [tool: string, input: object])[]>> = {
  workspace: [
    ["read_file", { path: "a.txt" }],
    ["list_directory", { path: "." }],
    ["search_files", { query: "one", mode: "text" }],
    ["glob", { pattern: "**" }],
    ["audit_log", {}],
    ["list_trash", {}],
    ["create_file", { path: "b.txt", content: "" }],
    ["edit_file", { path: "a.txt", expectedSha256: SHA, edits: [{ oldText: "one", newText: "two" }] }],
    ["delete_file", { path: "a.txt" }],
  ],
  tracked: [
    ["Read", { file_path: "a.txt" }],
    ["Write", { file_path: "b.txt", content: "" }],
  ],
};
const BACKENDS = {
  disk: () => disk({ root: directoryWith({ "a.txt": "one\n" }), durability: "fast" }),
  memory: () => memory({ files: { "a.txt": "one\n" } }),
};

describe.each(Object.entries(BACKENDS))("a closed workspace on %s", (_name, make) => {
  it.each(Object.entries(CALLS))("says so to every tool of %s", async (name, calls) => {
    const workspace = new Workspace(make());
    const session = workspace.session();
    await session.read("a.txt");
    await workspace.close();
    for (const [tool, input] of calls) {
      const { ok, text } = await call(session, surfaceNamed(name), tool, input);
      expect([tool, ok, text]).toEqual([tool, false, expect.stringContaining("The workspace was closed.")]);
    }
  });
});
