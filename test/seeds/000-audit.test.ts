// Seed 000: what a record of the audit log says, and who may see it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { type Agent, agentIn, agentWith, patchOf } from "../support/agent.ts";
import { all } from "../support/assertions.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

interface Log {
  readonly entries: readonly { readonly path: string; readonly seq: number }[];
  readonly truncated: boolean;
}

async function newest(agent: Agent<typeof workspace>) {
  return (await agent.done("audit_log", { maxResults: 1 })).data.entries[0]!;
}

describe("seed 000: records of the audit log", () => {
  it.each([
    ["a header that is none", patchOf("*** Update File: a", "@@", "-1", "+2", "*** Bogus"), "update a"],
    ["an Add", patchOf("*** Update File: a", "@@", "-1", "+2", "*** Add File: new", "oops"), "update a"],
    ["no end", "*** Begin Patch\n*** Delete File: a\n", "delete a"],
    ["a Move", patchOf("*** Delete File: b", "*** Move File: a -> c", "oops"), "delete b"],
    ["a move below an Update", patchOf("*** Update File: a", "*** Move to: c", "oops"), "move a -> c"],
    ["a unified diff", "--- a/a\n+++ b/a\n@@ nonsense @@\n-1\n+2\n", "update a"],
    ["a unified diff of a new file", "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+1\n", "create new"],
    ["nothing that can be read", "garbage", "update "],
  ])("a patch that cannot be read names what can be named: %s", async (_what, text, told) => {
    const agent = agentWith(workspace, { a: "1\n", b: "2\n" });
    const refused = await agent.refused("apply_patch", { patch: text });
    expect(refused.kind).toBe("patch_parse_error");
    const { operation, path, toPath, success, errorKind } = await newest(agent);
    expect([operation, path, success, errorKind]).toEqual([
      told.split(" ")[0],
      told.split(" ")[1],
      false,
      "patch_parse_error",
    ]);
    expect(toPath).toBe(told.split(" -> ")[1]);
    expect((await agent.done("audit_log", {})).text).toContain(path === "" ? "update (no file named) REFUSED" : told);
  });

  it.each([
    ["write_file", { filename: "a", content: "" }, "update a"],
    ["move_file", { to: "c", from: "a" }, "move a -> c"],
    ["delete_file", JSON.stringify({ file_path: "a", permanent: "perhaps" }), "delete a"],
    ["apply_patch", { input: patchOf("*** Delete File: a"), atomic: "perhaps" }, "delete a"],
    ["restore_file", { id: "a", targetPath: 7 }, "restore a"],
  ] as const)("arguments that are wrong name what can be named: %s", async (tool, input, told) => {
    const agent = agentWith(workspace, { a: "1\n" });
    await agent.refused(tool, input as never);
    const { operation, path, toPath } = await newest(agent);
    expect(`${operation} ${path}${toPath === undefined ? "" : ` -> ${toPath}`}`).toBe(told);
  });

  it("a refused patch of many files is told for the file that it was refused for", async () => {
    const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const agent = agentWith(workspace, Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    for (const at of [0, 18, 19, 20, 29]) {
      const sections = names.map((name, n) => `*** ${n % 2 === 0 ? "Update" : "Delete"} File: ${name}\n${hunk(n)}`);
      const bad = at % 2 === 0 ? `*** Update File: f${at}\n@@\n-no\n+x` : `*** Delete File: gone${at}`;
      await agent.refused("apply_patch", { patch: patchOf(...sections.with(at, bad).map((each) => each.trimEnd())) });
      const { operation, path } = await newest(agent);
      expect(`${operation} ${path}`).toBe(at % 2 === 0 ? `update f${at}` : `delete gone${at}`);
    }
    const moves = names.map((name) => `*** Move File: ${name} -> ${name}.new`);
    await agent.refused("apply_patch", {
      patch: patchOf("*** Delete File: f0", ...moves.slice(1, -1), "*** Move File: x -> y"),
    });
    expect(await newest(agent)).toMatchObject({ operation: "move", path: "x", toPath: "y" });

    function hunk(n: number): string {
      return n % 2 === 0 ? `@@\n-f${n}\n+F` : "";
    }
  });

  it("a delete names where the old version is, as long as it is there", async () => {
    const agent = agentWith(workspace, { a: "1\n", b: "2\n", c: "3\n" });
    await agent.done("apply_patch", { patch: patchOf("*** Delete File: a", "*** Delete File: b") });
    const [ofA, ofB] = (await agent.done("audit_log", {})).data.entries;
    expect([ofA!.path, ofB!.path]).toEqual(["a", "b"]);
    expect((await agent.done("audit_log", { path: "a" })).text).toContain(
      `(without proof; in the trash as ${ofA!.trashedTo})`,
    );
    await agent.done("restore_file", { trashedPath: ofB!.trashedTo! });
    expect(await agent.content("b")).toBe("2\n");
    await agent.done("delete_file", { path: "c", permanent: true, expectedSha256: await agent.sha("c") });
    const { data } = await agent.done("audit_log", {});
    const told = data.entries.map(({ operation, path, trashedTo }) => [operation, path, trashedTo]);
    expect(told).toEqual([
      ["delete", "c", undefined],
      ["restore", "b", undefined],
      ["delete", "a", ofA!.trashedTo],
      ["delete", "b", undefined],
    ]);
    const listed = (await agent.done("list_trash", {})).data.entries.map(({ trashedPath }) => trashedPath);
    expect(listed).toEqual([ofA!.trashedTo]);
  });
});

describe("seed 000: records of what other programs did", () => {
  it("an external change is not shown under the session that noticed it", async () => {
    const root = directoryWith({ a: "1\n" });
    const agent = agentIn(workspaceIn(root), workspace);
    await agent.done("write_file", { path: "a", content: "2\n", expectedSha256: await agent.sha("a") });
    writeFileSync(join(root, "a"), "3\n");
    await agent.another("noticing").done("read_file", { path: "a" });
    const { data, text } = await agent.done("audit_log", {});
    expect(data.entries.map(({ toolName, sessionId }) => [toolName, sessionId])).toEqual([
      ["external", undefined],
      ["write_file", "mine"],
    ]);
    expect(Object.keys(data.entries[0]!)).not.toContain("agentName");
    expect(text).not.toContain("noticing");
    expect((await agent.done("audit_log", { sessionId: "noticing" })).data.entries).toEqual([]);
  });

  it("the text names a session at the first record of each run of its records", async () => {
    const root = directoryWith({ a: "1\n", b: "1\n" });
    const agent = agentIn(workspaceIn(root), workspace);
    const write = async (by: Agent<typeof workspace>, path: string, content: string) =>
      by.done("write_file", { path, content, expectedSha256: await by.sha(path) });
    await write(agent.another("other"), "b", "2\n");
    await write(agent, "a", "2\n");
    await write(agent, "a", "3\n");
    writeFileSync(join(root, "a"), "4\n");
    await write(agent, "a", "5\n");
    const lines = (await agent.done("audit_log", {})).text.split("\n");
    const told = lines.map(
      (line) => `${/ (external|write_file)/.exec(line)?.[1]} ${/\(session (.*?)\)/.exec(line)?.[1]}`,
    );
    expect(told).toEqual([
      "write_file mine",
      "external undefined",
      "write_file mine",
      "write_file undefined",
      "write_file other",
    ]);
  });
});

describe("seed 000: audit log", () => {
  async function busyAgent() {
    const agent = agentWith(workspace, { a: "1\n" });
    const sha = await agent.sha("a");
    const edited = await agent.done("edit_file", {
      path: "a",
      edits: [{ oldText: "1", newText: "2" }],
      expectedSha256: sha,
    });
    const created = await agent.done("create_file", { path: "b", content: "b\n" });
    await agent.done("move_file", { fromPath: "b", toPath: "c", expectedSha256: created.data.sha256 });
    await agent.refused("write_file", { path: "a", content: "x", expectedSha256: sha });
    const deleted = await agent.done("delete_file", { path: "c" });
    await agent.done("restore_file", { trashedPath: deleted.data.trashedTo });
    return { agent, sha, edited };
  }

  it("a refused write is told under the operation that was asked for, a refused read not at all", async () => {
    const agent = agentWith(workspace, { a: "1\n", ".env": "K=1\n" });

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
      ["apply_patch", { patch: patchOf("*** Add File: a", "+x") }],
      ["apply_patch", { patch: patchOf("*** Delete File: no") }],
      ["apply_patch", { patch: patchOf("*** Delete File: ../x") }],
      ["apply_patch", { patch: patchOf("*** Update File: a", "@@", "-no", "+x") }],
      ["apply_patch", { patch: patchOf("*** Update File: a", "@@", "-1", "+2", "*** Delete File: no") }],
      ["apply_patch", { patch: patchOf("*** Move File: a -> b", "*** Move File: no -> c") }],
      ["apply_patch", { patch: "no patch" }],
    ] as const)
      await agent.refused(tool, input);
    const { data } = await agent.done("audit_log", { maxResults: 100 });
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
    expect((await all(agent.workspace.log())).filter(({ tool }) => tool === "read_file")).toHaveLength(2);
  });

  it("a record says when, who, what, from which version to which", async () => {
    const { agent, sha, edited } = await busyAgent();
    const { data } = await agent.done("audit_log", { includeDiff: true });
    const first = data.entries.at(-1)!;
    expect(first).toMatchObject({
      sessionId: "mine",
      agentName: "mine",
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
    expect((await agent.done("audit_log", {})).data.entries.some(({ diff }) => diff !== undefined)).toBe(false);
  });

  it("has room for the largest diff in 64 KiB, with all that is said around it", async () => {
    const agent = agentWith(workspace, { a: "old line of text\n".repeat(9000), b: "old\n" });
    for (const path of ["b", "a"]) {
      const { sha256 } = (await agent.done("read_file", { path, endLine: 1 })).data;
      const edits = [{ oldText: "old", newText: "new", replaceAll: true }];
      await agent.done("edit_file", { path, expectedSha256: sha256, edits });
    }
    const { text } = await agent.done("audit_log", { includeDiff: true });
    expect(text).toMatch(/…\(truncated, full diff exceeded \d+ bytes\)\nThere are more: ask with beforeSeq=2\.$/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
  });

  it("keeps the files of one change on one page, so that beforeSeq reaches every record", async () => {
    const agent = agentWith(workspace, {});
    await agent.done("create_file", { path: "zero", content: "0\n" });
    const add = ["a", "b", "c"].map((name) => `*** Add File: ${name}\n+1\n`).join("");
    await agent.done("apply_patch", { patch: `*** Begin Patch\n${add}*** End Patch` });
    await agent.done("create_file", { path: "last", content: "0\n" });
    for (const maxResults of [1, 2, 3, 4]) {
      const seen: string[] = [];
      let page: { readonly beforeSeq?: number } = {};
      for (let truncated = true; truncated; ) {
        const { data }: { data: Log } = await agent.done("audit_log", { maxResults, ...page });
        seen.push(...data.entries.map(({ path }) => path));
        page = { beforeSeq: data.entries.at(-1)!.seq };
        truncated = data.truncated;
      }
      expect(seen).toEqual(["last", "a", "b", "c", "zero"]);
    }
  });

  it("hides what a path rule hides, but tells that somebody tried", async () => {
    const backend = memory({ files: { "keys.txt": "hush 1\n" } });
    const before = agentIn(new Workspace(backend), workspace);
    await before.done("write_file", {
      path: "keys.txt",
      content: "hush 2\n",
      expectedSha256: await before.sha("keys.txt"),
    });
    const after = agentIn(new Workspace(backend, { policy: { deniedPaths: ["keys.txt"] } }), workspace, "later");
    await after.refused("write_file", { path: "keys.txt", content: "3", expectedSha256: "0".repeat(64) });
    const { data, text } = await after.done("audit_log", { includeDiff: true });
    expect(data.entries).toMatchObject([{ success: false, errorKind: "permission_denied", path: "keys.txt" }]);
    expect(text).not.toContain("hush");
  });

  it("a diff over several files is shown only where all of them may be, and so is a refusal over several", async () => {
    const backend = memory({ files: { a: "1\n", "keys.txt": "hush\n" } });
    const before = agentIn(new Workspace(backend), workspace);
    const update = (from: string, to: string) =>
      `*** Begin Patch\n*** Update File: a\n@@\n-${from}\n+${to}\n*** Update File: keys.txt\n@@\n-hush\n+hush!\n*** End Patch\n`;
    await before.done("apply_patch", { patch: update("1", "2") });
    await before.refused("apply_patch", { patch: update("2", "3") });
    const open = (await before.done("audit_log", { includeDiff: true, path: "keys.txt" })).data.entries;
    expect(open.map(({ success, path }) => [success, path])).toEqual([
      [false, "keys.txt"],
      [true, "keys.txt"],
    ]);
    expect((await before.done("audit_log", { includeDiff: true })).text).toContain("+hush!");

    const after = agentIn(new Workspace(backend, { policy: { deniedPaths: ["keys.txt"] } }), workspace, "later");
    const { data, text } = await after.done("audit_log", { includeDiff: true });
    expect(data.entries).toMatchObject([{ path: "a", success: true }]);
    expect(text).not.toContain("hush");
  });
});
