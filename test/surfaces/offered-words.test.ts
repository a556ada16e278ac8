// The next action of a refusal where tools are taken away: what is left of it is a sentence, and never nothing.
import { expect, it } from "vitest";
import { memory } from "../../src/backends/memory/index.ts";
import type { PolicyInput } from "../../src/kernel/policy/policy.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call, compactSurface, type Surface, surfaceNamed } from "../../src/surfaces/index.ts";

const FILES = { "a.txt": "one\n", "dir/b.txt": "two\n", "binary.bin": new Uint8Array([1, 0, 2]) };

async function nextOf(surface: Surface, tool: string, input: object, policy: PolicyInput = {}): Promise<unknown> {
  const session = new Workspace(memory({ files: FILES }), { policy }).session();
  const result = await call(session, surface, tool, input);
  if (result.ok) throw new Error(`not refused: ${result.text}`);
  return result.error.suggestedAction;
}

const workspace = surfaceNamed("workspace");
const create = { path: "a.txt", content: "" };
const edit = { path: "b.txt", edits: [{ oldText: "a", newText: "b" }], expectedSha256: "0".repeat(64) };

it.each<readonly [tool: string, input: object, actions: PolicyInput["allowedActions"], next: string]>([
  ["create_file", create, ["read", "create", "edit", "write"], "Use read_file, then edit_file or write_file."],
  ["create_file", create, ["read", "create", "edit"], "Use read_file, then edit_file."],
  ["create_file", create, ["read", "create"], "Choose another path."],
  ["edit_file", edit, ["read", "edit", "create"], "Check the path, or use create_file to make a new file."],
  ["edit_file", edit, ["read", "edit"], "Check the path."],
  ["read_file", { path: "b.txt" }, ["read", "list"], "Check the path; list_directory shows what is there."],
  ["read_file", { path: "b.txt" }, ["read"], "Check the path."],
  ["read_file", { path: "dir" }, ["read"], "Name a file."],
])("workspace: %s %j with %j", async (tool, input, allowedActions, next) => {
  expect(await nextOf(workspace, tool, input, { allowedActions: allowedActions! })).toBe(next);
});

it("tracked: the tool that is an English word", async () => {
  const tracked = surfaceNamed("tracked");
  const binary = { file_path: "binary.bin", old_string: "a", new_string: "b" };
  const session = async (policy: PolicyInput) => {
    const made = new Workspace(memory({ files: FILES }), { policy }).session();
    await call(made, tracked, "Read", { file_path: "binary.bin" });
    const result = await call(made, tracked, "Edit", binary);
    return result.ok ? undefined : result.error.suggestedAction;
  };
  expect(await session({})).toBe("Do not edit it as text; Write replaces it as a whole.");
  expect(await session({ allowedActions: ["read", "edit"] })).toBe("Do not edit it as text.");
});

it("compact: a surface that was made with fewer tools", async () => {
  const next = "Check the path; Glob finds files by pattern.";
  expect(await nextOf(compactSurface(), "Read", { file_path: "b" })).toBe(next);
  const constraints = { allowedActions: ["read" as const] };
  expect(await nextOf(compactSurface({ constraints }), "Read", { file_path: "b" })).toBe("Check the path.");
});
