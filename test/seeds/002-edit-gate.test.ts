// Seed 002, the read-before-edit gate: 500 bytes, what counts as read, and files that changed since.
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/kernel/workspace.ts";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { callsOf, numberedLines, opened } from "./002-calling.ts";

const sized = (bytes: number): string => `start\n${"x".repeat(bytes - 7)}\n`;
const edit = { file_path: "a", old_string: "start\n", new_string: "begun\n" };

describe.each(BACKENDS)("seed 002: the gate on %s", (_name, make) => {
  it("refuses Edit on an unread file larger than 500 bytes", async () => {
    const { refused, workspace } = opened(make, { a: sized(501) });
    expect(await refused("Edit", edit)).toMatchObject({
      kind: "unread_file",
      text: "Edit rejected, file unchanged. a has not been read in this session and is larger than 500 bytes. Read it first.",
    });
    expect(await textAt(workspace.backend, "a")).toBe(sized(501));
  });

  it.each([8, 499, 500])("a file of %d bytes can be edited without prior read", async (bytes) => {
    const { ok } = opened(make, { a: sized(bytes) });
    await ok("Edit", edit);
  });

  it("a file that was read can be edited, also when only a part of it was shown", async () => {
    const { ok } = opened(make, { a: sized(501), b: numberedLines(300) });
    await ok("Read", { file_path: "a" });
    await ok("Edit", edit);
    await ok("Read", { file_path: "b", limit: 1 });
    await ok("Edit", { file_path: "b", old_string: "line 300\n", new_string: "end\n" });
  });

  it("a file just created by Write can be edited", async () => {
    const { ok } = opened(make, {});
    await ok("Write", { file_path: "a", content: sized(2000) });
    await ok("Edit", edit);
  });

  it("one Edit after the other needs no further Read", async () => {
    const { ok } = opened(make, { a: sized(2000) });
    await ok("Read", { file_path: "a" });
    await ok("Edit", edit);
    await ok("Edit", { file_path: "a", old_string: "begun\n", new_string: "done\n" });
  });

  it("what another session has read does not count", async () => {
    const { ok, workspace } = opened(make, { a: sized(501) });
    await ok("Read", { file_path: "a" });
    expect((await callsOf(workspace).refused("Edit", edit)).kind).toBe("unread_file");
  });
});

describe.each(BACKENDS)("seed 002: a file that changed since it was read, on %s", (_name, make) => {
  const TEXT = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
  const changeBy = async (workspace: Workspace, body: string) => {
    const other = workspace.session();
    await other.read("a");
    await other.change([{ path: "a", proof: { by: "session" }, action: "write" }], () => [{ body }]);
  };

  async function changed(options = {}) {
    const calls = opened(make, { a: TEXT }, options);
    await calls.ok("Read", { file_path: "a" });
    await changeBy(calls.workspace, `# new first line\n${TEXT}`);
    return calls;
  }

  it("is edited where old_string still stands to the letter, with a warning", async () => {
    const { ok, workspace } = await changed();
    const { warnings } = await ok("Edit", { file_path: "a", old_string: "return 2", new_string: "return 3" });
    expect(warnings).toEqual([expect.stringContaining("a has changed since")]);
    expect(await textAt(workspace.backend, "a")).toBe(`# new first line\n${TEXT.replace("return 2", "return 3")}`);
  });

  it.each([
    ["blanks at line ends", "def one():  \n    return 1", "def one():\n    return 7"],
    ["indentation", "  def one():\n      return 1\n", "  def one():\n      return 7\n"],
  ])("is not edited by a match that overlooks %s", async (_what, old_string, new_string) => {
    const { refused, workspace } = await changed();
    const failure = await refused("Edit", { file_path: "a", old_string, new_string });
    expect(failure.kind).toBe("stale_file");
    expect(failure.text).toContain(
      "old_string is no longer in it to the letter. Read the file again and re-apply your edit.",
    );
    expect(failure.text).toContain("+# new first line");
    expect(await textAt(workspace.backend, "a")).toBe(`# new first line\n${TEXT}`);
  });

  it("is not edited where old_string is gone, and shows what changed", async () => {
    const { refused, workspace } = await changed();
    const failure = await refused("Edit", { file_path: "a", old_string: "return 99", new_string: "return 1" });
    expect(failure).toMatchObject({
      kind: "stale_file",
      message: "a has changed since you read it. old_string is no longer in it.",
      details: { diff: expect.stringContaining("+# new first line"), changedSinceRead: true },
    });
    expect(failure.text).toContain("+# new first line");
    expect(await textAt(workspace.backend, "a")).toBe(`# new first line\n${TEXT}`);
  });

  it("takes no insertion by line number", async () => {
    const { refused } = await changed();
    const failure = await refused("Edit", { file_path: "a", insert_at_line: 2, new_string: "x\n" });
    expect(failure).toMatchObject({
      kind: "stale_file",
      message: expect.stringContaining("line numbers may have moved"),
    });
  });

  it("strict: is refused, and shows what changed", async () => {
    const { refused } = await changed({ strict: true });
    const failure = await refused("Edit", { file_path: "a", old_string: "return 2", new_string: "return 3" });
    expect(failure.kind).toBe("stale_file");
    expect(failure.text).toContain("+# new first line");
    expect(failure.text).not.toContain("sha256");
  });

  it("strict with rebase: an edit is made to the version that was read, and merged", async () => {
    const { ok } = await changed({ strict: true, onStale: "rebase" });
    const loose = { file_path: "a", old_string: "def one():  \n    return 1", new_string: "def one():\n    return 7" };
    await ok("Edit", loose);
    const { warnings } = await ok("Edit", { file_path: "a", old_string: "return 2", new_string: "return 3" });
    expect(warnings[0]).toContain("applied to the newer version");
  });
});
