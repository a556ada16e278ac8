// Symbolic links: what the answers of `workspace` say about them can be gone on from.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { deskOn } from "../seeds/000-calls.ts";
import { directoryWith } from "../support/workspace.ts";

describe.skipIf(process.platform === "win32")("a symbolic link that is moved or restored", () => {
  function linked() {
    const root = directoryWith({ real: "one\n" });
    symlinkSync("real", join(root, "link"));
    return deskOn(disk({ root, durability: "fast" }));
  }

  it("move_file hands out no sha256 that the next edit would be refused for", async () => {
    const desk = linked();
    const expectedSha256 = await desk.sha("link");
    const { data, text } = await desk.ok("move_file", { fromPath: "link", toPath: "moved", expectedSha256 });
    expect(data).not.toHaveProperty("sha256");
    expect(text).toBe("Moved link to moved, a symbolic link");
    const edit = { path: "moved", edits: [{ oldText: "one", newText: "two" }], expectedSha256 };
    await desk.ok("edit_file", edit);
    expect(await desk.textAt("real")).toBe("two\n");
  });

  it("restore_file hands out none either", async () => {
    const desk = linked();
    await desk.ok("delete_file", { path: "link" });
    const { data, text } = await desk.ok("restore_file", { trashedPath: "link" });
    expect(data).not.toHaveProperty("sha256");
    expect(text).toBe("Restored link — a symbolic link");
  });

  it("nor does a patch that moves it", async () => {
    const desk = linked();
    const patch = "*** Begin Patch\n*** Move File: link -> moved\n*** End Patch\n";
    const { data, text } = await desk.ok("apply_patch", { patch });
    expect(data.changedFiles[0]).not.toHaveProperty("afterSha256");
    expect(text).toBe("R link -> moved");
  });

  it("a file that is moved or restored is told with its sha256", async () => {
    const desk = linked();
    const expectedSha256 = await desk.sha("real");
    const moved = await desk.ok("move_file", { fromPath: "real", toPath: "there", expectedSha256 });
    expect(moved.text).toBe(`Moved real to there, sha256=${expectedSha256}`);
    await desk.ok("delete_file", { path: "there" });
    const restored = await desk.ok("restore_file", { trashedPath: "there" });
    expect(restored.text).toBe(`Restored there — 4 bytes, sha256=${expectedSha256}`);
  });
});
