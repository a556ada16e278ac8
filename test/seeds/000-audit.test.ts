// Seed 000: the audit log tells of every write operation.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { all } from "../../src/testing/assertions.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { type Done, deskIn, deskOn } from "./000-calls.ts";

describe.each(BACKENDS)("seed 000: audit log on %s", (_name, make) => {
  async function busyDesk() {
    const desk = deskOn(make({ a: "1\n" }));
    const sha = await desk.sha("a");
    const edited = await desk.ok("edit_file", {
      path: "a",
      edits: [{ oldText: "1", newText: "2" }],
      expectedSha256: sha,
    });
    const created = await desk.ok("create_file", { path: "b", content: "b\n" });
    await desk.ok("move_file", { fromPath: "b", toPath: "c", expectedSha256: created.data.sha256 });
    await desk.no("write_file", { path: "a", content: "x", expectedSha256: sha });
    const deleted = await desk.ok("delete_file", { path: "c" });
    await desk.ok("restore_file", { trashedPath: deleted.data.trashedTo });
    return { desk, sha, edited };
  }

  it("has one record for every write operation, newest first, rejections included", async () => {
    const { desk } = await busyDesk();
    const { data } = await desk.ok("audit_log", {});
    const told = data.entries.map(({ toolName, operation, path, success }) => [toolName, operation, path, success]);
    expect(told).toEqual([
      ["restore_file", "restore", "c", true],
      ["delete_file", "delete", "c", true],
      ["write_file", "update", "a", false],
      ["move_file", "move", "b", true],
      ["create_file", "create", "b", true],
      ["edit_file", "update", "a", true],
    ]);
  });

  it("a refused write is told under the operation that was asked for, a refused read not at all", async () => {
    const desk = deskOn(make({ a: "1\n", ".env": "K=1\n" }));
    const patch = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    const expectedSha256 = "0".repeat(64);
    for (const [tool, input] of [
      ["read_file", { path: ".env" }],
      ["read_file", { path: "../x" }],
      ["list_directory", { path: "../x" }],
      ["search_files", { query: "K", mode: "text", root: ".env" }],
      ["glob", { pattern: "*", root: "/abs" }],
      ["create_file", { path: "a", content: "" }],
      ["write_file", { path: ".env", content: "", expectedSha256 }],
      ["edit_file", { path: "a", edits: [], expectedSha256 }],
      ["delete_file", { path: "a", expectedSha256 }],
      ["move_file", { fromPath: "a", toPath: "b", expectedSha256 }],
      ["move_file", { fromPath: "a", toPath: "./a", expectedSha256 }],
      ["restore_file", { trashedPath: "never" }],
      ["restore_file", { trashedPath: "../x" }],
      ["apply_patch", { patch: patch("*** Add File: a", "+x") }],
      ["apply_patch", { patch: patch("*** Delete File: no") }],
      ["apply_patch", { patch: patch("*** Delete File: ../x") }],
      ["apply_patch", { patch: patch("*** Update File: a", "@@", "-no", "+x") }],
      ["apply_patch", { patch: patch("*** Update File: a", "@@", "-1", "+2", "*** Delete File: no") }],
      ["apply_patch", { patch: patch("*** Move File: a -> b", "*** Move File: no -> c") }],
      ["apply_patch", { patch: "no patch" }],
    ] as const)
      await desk.no(tool, input);
    const { data } = await desk.ok("audit_log", { maxResults: 100 });
    const told = data.entries.toReversed().map(({ toolName, operation, path, toPath, success, errorKind }) => {
      const to = toPath === undefined ? "" : ` -> ${toPath}`;
      return `${toolName} ${operation} ${path}${to} ${success} ${errorKind}`;
    });
    expect(told).toEqual([
      "create_file create a false already_exists",
      "write_file update .env false permission_denied",
      "edit_file update a false command_failed",
      "delete_file delete a false stale_file",
      "move_file move a -> b false stale_file",
      "move_file move a -> ./a false command_failed",
      "restore_file restore never false not_found",
      "restore_file restore ../x false outside_workspace",
      "apply_patch create a false already_exists",
      "apply_patch delete no false not_found",
      "apply_patch delete ../x false outside_workspace",
      "apply_patch update a false patch_apply_error",
      "apply_patch delete no false not_found",
      "apply_patch move no -> c false not_found",
      "apply_patch update  false patch_parse_error",
    ]);
    expect((await all(desk.workspace.log())).filter(({ tool }) => tool === "read_file")).toHaveLength(2);
  });

  it("a record says when, who, what, from which version to which", async () => {
    const { desk, sha, edited } = await busyDesk();
    const { data } = await desk.ok("audit_log", { includeDiff: true });
    const first = data.entries.at(-1)!;
    expect(first).toMatchObject({
      sessionId: "mine",
      agentName: "agent mine",
      beforeSha256: sha,
      afterSha256: edited.data.afterSha256,
    });
    expect(first.diff).toContain("-1\n+2\n");
    expect(new Date(first.timestamp).toISOString()).toBe(first.timestamp);
    expect(data.entries.find(({ operation }) => operation === "move")).toMatchObject({ path: "b", toPath: "c" });
    expect(data.entries.find(({ success }) => !success)).toMatchObject({
      errorKind: "stale_file",
      error: expect.stringContaining("not the version you saw"),
    });
    expect((await desk.ok("audit_log", {})).data.entries.some(({ diff }) => diff !== undefined)).toBe(false);
  });

  it.each([
    ["path", { path: "b" }, 2],
    ["path after a move", { path: "c" }, 3],
    ["success", { success: false }, 1],
    ["session", { sessionId: "nobody" }, 0],
    ["number", { maxResults: 2 }, 2],
  ])("can be asked by %s", async (_what, input, count) => {
    const { desk } = await busyDesk();
    const { data, text } = await desk.ok("audit_log", input);
    expect(data.entries).toHaveLength(count);
    expect(data.truncated).toBe("maxResults" in input);
    if (count > 0) expect(text.split("\n")[0]).toContain(`${data.entries[0]!.operation} ${data.entries[0]!.path}`);
  });

  it("keeps the files of one change on one page, so that beforeSeq reaches every record", async () => {
    const desk = deskOn(make({}));
    await desk.ok("create_file", { path: "zero", content: "0\n" });
    const add = ["a", "b", "c"].map((name) => `*** Add File: ${name}\n+1\n`).join("");
    await desk.ok("apply_patch", { patch: `*** Begin Patch\n${add}*** End Patch` });
    await desk.ok("create_file", { path: "last", content: "0\n" });
    for (const maxResults of [1, 2, 3, 4]) {
      const seen: string[] = [];
      let page: { beforeSeq?: number } | undefined = {};
      while (page !== undefined) {
        const { data }: Done<"audit_log"> = await desk.ok("audit_log", { maxResults, ...page });
        seen.push(...data.entries.map(({ path }) => path));
        page = data.truncated ? { beforeSeq: data.entries.at(-1)!.seq } : undefined;
      }
      expect(seen).toEqual(["last", "a", "b", "c", "zero"]);
    }
  });

  it("pages with beforeSeq", async () => {
    const { desk } = await busyDesk();
    const { data: first, text } = await desk.ok("audit_log", { maxResults: 4 });
    expect(text).toContain(`beforeSeq=${first.entries[3]!.seq}`);
    const { data: second } = await desk.ok("audit_log", { beforeSeq: first.entries[3]!.seq });
    expect([second.entries.length, second.truncated]).toEqual([2, false]);
  });

  it("apply_patch has one record per changed file", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    const patch = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Add File: b\n+b\n*** End Patch\n";
    await desk.ok("apply_patch", { patch });
    const { data } = await desk.ok("audit_log", {});
    expect(data.entries.map(({ path, operation }) => [operation, path])).toEqual([
      ["update", "a"],
      ["create", "b"],
    ]);
    expect(data.entries[0]?.details).toMatchObject({ atomic: true, hunkCount: 1, operations: 2 });
  });

  it("hides what a path rule hides, but tells that somebody tried", async () => {
    const backend = make({ "keys.txt": "hush 1\n" });
    const before = deskOn(backend);
    await before.ok("write_file", {
      path: "keys.txt",
      content: "hush 2\n",
      expectedSha256: await before.sha("keys.txt"),
    });
    const after = deskOn(backend, { policy: { deniedPaths: ["keys.txt"] } }, "later");
    await after.no("write_file", { path: "keys.txt", content: "3", expectedSha256: "0".repeat(64) });
    const { data, text } = await after.ok("audit_log", { includeDiff: true });
    expect(data.entries).toMatchObject([{ success: false, errorKind: "permission_denied", path: "keys.txt" }]);
    expect(text).not.toContain("hush");
  });

  it("a diff over several files is shown only where all of them may be, and so is a refusal over several", async () => {
    const backend = make({ a: "1\n", "keys.txt": "hush\n" });
    const before = deskOn(backend);
    const update = (from: string, to: string) =>
      `*** Begin Patch\n*** Update File: a\n@@\n-${from}\n+${to}\n*** Update File: keys.txt\n@@\n-hush\n+hush!\n*** End Patch\n`;
    await before.ok("apply_patch", { patch: update("1", "2") });
    await before.no("apply_patch", { patch: update("2", "3") });
    const open = (await before.ok("audit_log", { includeDiff: true, path: "keys.txt" })).data.entries;
    expect(open.map(({ success, path }) => [success, path])).toEqual([
      [false, "keys.txt"],
      [true, "keys.txt"],
    ]);
    expect((await before.ok("audit_log", { includeDiff: true })).text).toContain("+hush!");

    const after = deskOn(backend, { policy: { deniedPaths: ["keys.txt"] } }, "later");
    const { data, text } = await after.ok("audit_log", { includeDiff: true });
    expect(data.entries).toMatchObject([{ path: "a", success: true }]);
    expect(text).not.toContain("hush");
  });

  it("cannot be changed by any tool, and its chain verifies", async () => {
    const { desk } = await busyDesk();
    for (const [name, input] of [
      ["read_file", { path: ".stet/journal" }],
      ["create_file", { path: ".stet/x", content: "" }],
      ["delete_file", { path: ".stet/journal" }],
    ] as const) {
      expect((await desk.no(name, input)).kind).toBe("permission_denied");
    }
    expect((await desk.workspace.verify()).ok).toBe(true);
  });

  it("is shared by all sessions", async () => {
    const { desk } = await busyDesk();
    expect((await deskIn(desk.workspace, "other").ok("audit_log", {})).data.entries).toHaveLength(6);
  });
});

describe("seed 000: audit log and other programs", () => {
  it("a change by another program is told as such once it is noticed", async () => {
    const root = directoryWith({ a: "1\n" });
    const desk = deskOn(disk({ root, durability: "fast" }));
    await desk.ok("write_file", { path: "a", content: "2\n", expectedSha256: await desk.sha("a") });
    writeFileSync(join(root, "a"), "3\n");
    await desk.ok("read_file", { path: "a" });
    const { data } = await desk.ok("audit_log", {});
    expect(data.entries.map(({ toolName }) => toolName)).toEqual(["external", "write_file"]);
  });
});
