// A file that was read and is not there any more: the path was right, so nobody is told to check it.
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { moveFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call } from "../../src/surfaces/call.ts";
import { surfaceNamed } from "../../src/surfaces/index.ts";
import { directoryWith } from "../support/workspace.ts";

const TEXT = `one\n${"more\n".repeat(200)}`;

function desk() {
  const root = directoryWith({ "dir/f": TEXT });
  const workspace = new Workspace(disk({ root, durability: "fast" }));
  const session = workspace.session();
  return {
    root,
    workspace,
    use: (surface: string, tool: string, input: object) => call(session, surfaceNamed(surface), tool, input),
  };
}

const READ = {
  workspace: ["read_file", { path: "dir/f" }],
  tracked: ["Read", { file_path: "dir/f" }],
  compact: ["Read", { file_path: "dir/f" }],
  anchors: ["read_file", { path: "dir/f", hashes: true }],
} as const;

const EDIT = { file_path: "dir/f", old_string: "one", new_string: "two" };
const AGAIN = "Create it again if it is still needed.";
const WITHOUT = "Go on without it.";

describe.each([
  ["workspace", "edit_file", { path: "dir/f", edits: [{ oldText: "one", newText: "two" }] }, AGAIN],
  ["workspace", "write_file", { path: "dir/f", content: "two\n" }, AGAIN],
  ["workspace", "move_file", { fromPath: "dir/f", toPath: "g" }, WITHOUT],
  ["workspace", "delete_file", { path: "dir/f" }, WITHOUT],
  ["tracked", "Edit", EDIT, AGAIN],
  ["compact", "Edit", EDIT, AGAIN],
  ["anchors", "edit", { path: "dir/f", operations: [{ op: "replace_line", hash: "f97c5d", content: "two" }] }, AGAIN],
] as const)("%s %s of a file that was read and then", (surface, tool, input, next) => {
  async function refusedAfter(remove: (root: string) => void) {
    const { root, use } = desk();
    const [reader, asked] = READ[surface];
    const read = (await use(surface, reader, asked)) as { readonly data: { readonly sha256?: string } };
    remove(root);
    const proof = surface === "workspace" ? { expectedSha256: read.data.sha256 } : {};
    return use(surface, tool, { ...input, ...proof });
  }

  it.each([
    ["deleted", (root: string) => rmSync(join(root, "dir/f"))],
    ["moved away", (root: string) => renameSync(join(root, "dir/f"), join(root, "dir/other"))],
    ["deleted with its directory", (root: string) => rmSync(join(root, "dir"), { recursive: true })],
  ])("%s is told that it is gone", async (_how, remove) => {
    const refused = await refusedAfter(remove);
    expect(refused).toMatchObject({ ok: false, error: { kind: "stale_file", details: { cause: "not_found" } } });
    expect(refused.text).toContain("dir/f is gone since you read it.");
    expect(refused.text).toContain(next);
    expect(refused.text).not.toMatch(/check the path/i);
  });
});

const PATCH = "*** Begin Patch\n*** Update File: dir/f\n@@\n-one\n+two\n*** End Patch";

it.each([
  ["workspace", "edit_file", { path: "dir/f", edits: [{ oldText: "one", newText: "two" }] }],
  ["workspace", "apply_patch", { patch: PATCH }],
  ["tracked", "Edit", EDIT],
  ["compact", "Edit", EDIT],
] as const)("%s %s of a file that another session moved is told where to", async (surface, tool, input) => {
  const { workspace, use } = desk();
  const [reader, asked] = READ[surface];
  const read = (await use(surface, reader, asked)) as { readonly data: { readonly sha256?: string } };
  await moveFile(workspace.session({ agent: "bob" }), "dir/f", "dir/g", { proof: { by: "waived" } });
  const refused = await use(surface, tool, {
    ...input,
    ...(tool === "edit_file" && { expectedSha256: read.data.sha256 }),
  });
  expect(refused.text).toContain("dir/f is gone since you read it. It was moved to dir/g by bob (session ");
  expect(refused.text).toContain("Read dir/g and go on there.");
});

it("a file that the session never read, or deleted itself, is not found", async () => {
  const { use } = desk();
  const edit = { path: "dir/f", edits: [{ oldText: "one", newText: "two" }], expectedSha256: "0".repeat(64) };
  await use("workspace", "read_file", { path: "dir/f" });
  await use("workspace", "delete_file", { path: "dir/f" });
  for (const path of ["dir/f", "dir/never"])
    expect(await use("workspace", "edit_file", { ...edit, path })).toMatchObject({ error: { kind: "not_found" } });
});

it("a whole new text in its place is written, where a surface takes it for a new file", async () => {
  const { root, use } = desk();
  await use("tracked", "Read", { file_path: "dir/f" });
  rmSync(join(root, "dir/f"));
  expect(await use("tracked", "Write", { file_path: "dir/f", content: "anew\n" })).toMatchObject({ ok: true });
});
