// Symbolic links: moved, restored and patched, and what the answers say about them.
import { readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentIn, agentOnDisk, patchOf } from "../support/agent.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

describe.skipIf(process.platform === "win32")("a symbolic link that is moved or restored", () => {
  function linked() {
    const root = directoryWith({ real: "one\n" });
    symlinkSync("real", join(root, "link"));
    return agentIn(workspaceIn(root), workspace);
  }

  it("move_file hands out no sha256 that the next edit would be refused for", async () => {
    const agent = linked();
    const expectedSha256 = await agent.sha("link");
    const { data, text } = await agent.done("move_file", { fromPath: "link", toPath: "moved", expectedSha256 });
    expect(data).not.toHaveProperty("sha256");
    expect(text).toBe("Moved link to moved, a symbolic link");
    const edit = { path: "moved", edits: [{ oldText: "one", newText: "two" }], expectedSha256 };
    await agent.done("edit_file", edit);
    expect(await agent.content("real")).toBe("two\n");
  });

  it("restore_file hands out none either", async () => {
    const agent = linked();
    await agent.done("delete_file", { path: "link" });
    const { data, text } = await agent.done("restore_file", { trashedPath: "link" });
    expect(data).not.toHaveProperty("sha256");
    expect(text).toBe("Restored link — a symbolic link");
  });

  it("nor does a patch that moves it", async () => {
    const agent = linked();
    const patch = "*** Begin Patch\n*** Move File: link -> moved\n*** End Patch\n";
    const { data, text } = await agent.done("apply_patch", { patch });
    expect(data.changedFiles[0]).not.toHaveProperty("afterSha256");
    expect(text).toBe("R link -> moved");
  });

  it("a file that is moved or restored is told with its sha256", async () => {
    const agent = linked();
    const expectedSha256 = await agent.sha("real");
    const moved = await agent.done("move_file", { fromPath: "real", toPath: "there", expectedSha256 });
    expect(moved.text).toBe(`Moved real to there, sha256=${expectedSha256}`);
    await agent.done("delete_file", { path: "there" });
    const restored = await agent.done("restore_file", { trashedPath: "there" });
    expect(restored.text).toBe(`Restored there — 4 bytes, sha256=${expectedSha256}`);
  });
});

const { root, session, done } = agentOnDisk(workspace, { "a/one.txt": "1\n", "b/one.txt": "2\n", "b/two.txt": "3\n" });

const warningsOf = async (tool: string, input: object) => (await done(tool, input)).warnings;

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

const RENAMED = `diff --git a/la b/lb
similarity index 50%
rename from la
rename to lb
--- a/la
+++ b/lb
@@ -1 +1 @@
-a.txt
\\ No newline at end of file
+/etc/passwd
\\ No newline at end of file
`;

it.each([
  ["in a later section", patchOf("*** Move File: la -> lb", "*** Update File: lb", "@@", "-a.txt", "+/etc/passwd")],
  ["while it moves", patchOf("*** Update File: la", "*** Move to: lb", "@@", "-a.txt", "+/etc/passwd")],
  ["in a diff of git", RENAMED],
])("a patch that changes where a link leads is refused: %s", async (_way, patch) => {
  const { root, done, call } = agentOnDisk(workspace, { "a.txt": "one\n" });
  symlinkSync("a.txt", join(root, "la"));
  const result = await call("apply_patch", { patch });
  expect(result).toMatchObject({ ok: false });
  expect(result.text).toContain("la is a link: a patch can move it as it is");
  expect(readlinkSync(join(root, "la"))).toBe("a.txt");
  await done("apply_patch", { patch: patchOf("*** Move File: la -> lb") });
  expect(readlinkSync(join(root, "lb"))).toBe("a.txt");
});
