// A relative symbolic link that is moved, or restored elsewhere, keeps its text and so may lead elsewhere.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorkspace } from "../../src/index.ts";
import { call, workspace as surface } from "../../src/surfaces/index.ts";
import { directoryWith } from "../support/workspace.ts";

const root = directoryWith({ "a/one.txt": "1\n", "b/one.txt": "2\n", "b/two.txt": "3\n" });
const opened = openWorkspace({ root, durability: "fast" });
const session = opened.session();

async function warningsOf(tool: string, input: object): Promise<readonly string[]> {
  const result = await call(session, surface, tool, input);
  expect(result.ok, result.text).toBe(true);
  return result.ok ? (result.warnings ?? []) : [];
}

async function warningsOfMove(fromPath: string, toPath: string): Promise<readonly string[]> {
  const { sha } = await session.read(fromPath);
  return warningsOf("move_file", { fromPath, toPath, expectedSha256: sha });
}

it("a moved relative link says where it leads now", async () => {
  symlinkSync("one.txt", join(root, "a/link"));
  expect(await warningsOfMove("a/link", "b/link")).toEqual([
    "b/link is a relative link: it now leads to b/one.txt, no longer to a/one.txt.",
  ]);
});

it("a link that leads to the same place afterwards says nothing", async () => {
  symlinkSync(join(root, "a/one.txt"), join(root, "a/absolute"));
  symlinkSync("../b/two.txt", join(root, "a/sideways"));
  expect(await warningsOfMove("a/absolute", "b/absolute")).toEqual([]);
  expect(await warningsOfMove("a/sideways", "b/sideways")).toEqual([]);
});

it("a relative link that is restored elsewhere says so, and in its old place it does not", async () => {
  symlinkSync("one.txt", join(root, "a/gone"));
  await warningsOf("delete_file", { path: "a/gone" });
  expect(await warningsOf("restore_file", { trashedPath: "a/gone", targetPath: "gone" })).toEqual([
    "gone is a relative link: it now leads to one.txt, no longer to a/one.txt.",
  ]);
  await warningsOf("delete_file", { path: "gone" });
  expect(await warningsOf("restore_file", { trashedPath: "gone" })).toEqual([]);
});
