// Absolute paths: those in the directory of the workspace are paths of it for every tool, all others are outside.
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anchors, compact, files, tracked, workspace } from "stet/surfaces";
import { beforeEach, describe, expect, it } from "vitest";
import { type Agent, agentIn, patchOf } from "../support/agent.ts";
import { tempDir } from "../support/temp.ts";
import { workspaceIn } from "../support/workspace.ts";

const sandbox = files({ mode: "sandbox", legacy: true });
const edits = [{ oldText: "two", newText: "2" }];

let real: string;
let link: string;
let agent: Agent;

beforeEach(() => {
  const directory = realpathSync(tempDir());
  real = join(directory, "root");
  link = join(directory, "link");
  mkdirSync(join(real, "sub"), { recursive: true });
  mkdirSync(`${real}2`);
  writeFileSync(`${real}2/b.txt`, "not of the workspace\n");
  writeFileSync(join(real, "a.txt"), "one\ntwo\nthree\n");
  writeFileSync(join(real, "sub", "b.ts"), "export const b = 1;\n");
  symlinkSync(real, link);
  agent = agentIn(workspaceIn(link), workspace);
});

it("by its real path, which it was not opened with", async () => {
  expect(await agent.data("read_file", { path: join(real, "a.txt") })).toMatchObject({ path: "a.txt" });
  expect(await agent.data("glob", { pattern: join(real, "sub/*.ts") })).toMatchObject({
    matches: [{ path: "sub/b.ts" }],
  });
  expect(await agent.call("read_file", { path: `${real}2/b.txt` })).toMatchObject({ ok: false });
});

describe("by the path it was opened with", () => {
  const root = () => link;
  const at = (path: string) => `${root()}/${path}`;

  it("workspace: reading and searching", async () => {
    expect(await agent.data("read_file", { path: at("a.txt") })).toMatchObject({ path: "a.txt" });
    for (const path of [root(), `${root()}/`, at("."), at("sub/.."), at("/")])
      expect(await agent.data("list_directory", { path })).toMatchObject({ path: "." });
    expect(await agent.data("list_directory", { path: at("sub//") })).toMatchObject({ path: "sub" });
    const b = { matches: [{ path: "sub/b.ts" }] };
    expect(await agent.data("glob", { pattern: at("sub/*.ts") })).toMatchObject(b);
    expect(await agent.data("glob", { pattern: "*.ts", root: at("sub") })).toMatchObject(b);
    expect(await agent.data("glob", { pattern: at("**/*.ts"), root: "sub" })).toMatchObject(b);
    expect(await agent.data("search_files", { query: at("sub/*.ts"), mode: "path" })).toMatchObject(b);
    expect(await agent.data("search_files", { query: at("sub/b"), mode: "path" })).toMatchObject(b);
    const text = { query: "export", mode: "text" };
    expect(await agent.data("search_files", { ...text, root: at("sub/b.ts") })).toMatchObject(b);
    expect(await agent.data("search_files", { ...text, includeGlobs: [at("sub/**")] })).toMatchObject(b);
    expect(await agent.data("search_files", { ...text, includeGlobs: [at("*.ts")] })).toEqual(
      expect.objectContaining({ matches: [] }),
    );
    expect(await agent.data("search_files", { ...text, excludeGlobs: [at("sub")] })).toEqual(
      expect.objectContaining({ matches: [] }),
    );
  });

  it("workspace: changing, in every tool and in patches", async () => {
    const path = at("a.txt");
    const version = async () => ({ expectedSha256: await agent.sha("a.txt") });
    expect(await agent.data("edit_file", { path, edits, ...(await version()) })).toMatchObject({ path: "a.txt" });
    const written = { path, content: "one\ntwo\n", ...(await version()) };
    expect(await agent.data("write_file", written)).toMatchObject({ path: "a.txt" });
    expect(await agent.data("create_file", { path: at("sub/new.txt"), content: "n\n" })).toMatchObject({
      path: "sub/new.txt",
    });
    const moved = { fromPath: path, toPath: at("sub/c.txt"), ...(await version()) };
    expect(await agent.data("move_file", moved)).toMatchObject({ fromPath: "a.txt", toPath: "sub/c.txt" });
    expect(await agent.data("delete_file", { path: at("sub/c.txt") })).toMatchObject({ path: "sub/c.txt" });
    expect(await agent.data("list_trash", { path: at("sub/c.txt") })).toMatchObject({
      entries: [{ originalPath: "sub/c.txt" }],
    });
    const restored = { trashedPath: at("sub/c.txt"), targetPath: at("back.txt") };
    expect(await agent.data("restore_file", restored)).toMatchObject({ path: "back.txt" });
    expect(await agent.data("audit_log", { path: at("back.txt"), maxResults: 1 })).toMatchObject({
      entries: [{ path: "back.txt" }],
    });
    const changed = await agent.data("apply_patch", {
      patch: patchOf(
        ...[`*** Update File: ${at("back.txt")}`, "@@", " one", "-two", "+2"],
        ...[`*** Add File: ${at("added.txt")}`, "+x", `*** Move File: ${at("sub/new.txt")} -> ${at("moved.txt")}`],
        `*** Delete File: ${at("sub/b.ts")}`,
      ),
      expectedSha256ByPath: { [at("added.txt")]: "", "back.txt": await agent.sha("back.txt") },
    });
    expect(changed.changedFiles).toMatchObject([
      { path: "back.txt" },
      { path: "added.txt" },
      { path: "sub/new.txt", toPath: "moved.txt" },
      { path: "sub/b.ts" },
    ]);
    expect(readFileSync(join(real, "back.txt"), "utf8")).toBe("one\n2\n");
  });

  it("workspace: the same file under two spellings is one file", async () => {
    const twice = patchOf(`*** Delete File: ${at("a.txt")}`, "*** Delete File: a.txt");
    const result = await agent.call("apply_patch", { patch: twice });
    expect(result).toMatchObject({ ok: false, error: { kind: "not_found", path: "a.txt" } });
    const same = { fromPath: at("a.txt"), toPath: "a.txt", expectedSha256: await agent.sha("a.txt") };
    expect(await agent.call("move_file", same)).toMatchObject({ ok: false });
  });

  it("workspace: a refusal names the path in the workspace", async () => {
    const path = at("a.txt");
    const hunk = ["@@", "-never there", "+x"];
    const expectedSha256 = "0".repeat(64);
    for (const [tool, input] of [
      ["apply_patch", { patch: patchOf(`*** Update File: ${path}`, "@@", "-two", "+2", ...hunk) }],
      ["apply_patch", { patch: patchOf(`*** Add File: ${path}`, "+x") }],
      ["apply_patch", { patch: patchOf(`*** Delete File: ${path}`), expectedSha256ByPath: { [path]: expectedSha256 } }],
      ["read_file", { path: at("gone.txt") }],
      ["edit_file", { path, edits, expectedSha256 }],
      ["create_file", { path, content: "" }],
      ["delete_file", { path, expectedSha256 }],
      ["move_file", { fromPath: path, toPath: at("c.txt"), expectedSha256 }],
    ] as const) {
      const result = await agent.call(tool, input);
      expect(result.ok, result.text).toBe(false);
      expect(result.text).toMatch(/\b(?:a|gone)\.txt/);
      expect(result.text).not.toContain(root());
    }
  });

  it("a refusal is in the journal under the path in the workspace", async () => {
    const wrong = {
      path: at("a.txt"),
      edits: [{ oldText: "none", newText: "x" }],
      expectedSha256: await agent.sha("a.txt"),
    };
    expect((await agent.call("edit_file", wrong)).ok).toBe(false);
    expect(await agent.data("audit_log", { path: "a.txt", success: false })).toMatchObject({
      entries: [{ path: "a.txt" }],
    });
  });

  it("tracked", async () => {
    expect(await agent.as(tracked).data("Read", { file_path: at("a.txt") })).toMatchObject({ path: "a.txt" });
    await agent.as(tracked).done("Edit", { file_path: "a.txt", old_string: "two", new_string: "2" });
    await agent.as(tracked).done("Edit", { file_path: at("sub/../a.txt"), old_string: "one", new_string: "1" });
    expect(await agent.as(tracked).data("Write", { file_path: at("new.txt"), content: "n" })).toMatchObject({
      path: "new.txt",
    });
    expect(await agent.as(tracked).data("Glob", { pattern: at("**/*.ts") })).toMatchObject({ files: ["sub/b.ts"] });
    expect(await agent.as(tracked).data("Glob", { pattern: "*", path: at("sub") })).toMatchObject({
      files: ["sub/b.ts"],
    });
    for (const where of [{ path: at("sub") }, { path: root() }, { glob: at("sub/*.ts") }])
      expect(await agent.as(tracked).data("Grep", { pattern: "export", ...where })).toMatchObject({
        results: [{ path: "sub/b.ts" }],
      });
  });

  it("compact", async () => {
    await agent.as(compact).done("Read", { file_path: at("a.txt") });
    await agent.as(compact).done("Edit", { file_path: at("a.txt"), old_string: "two", new_string: "2" });
    await agent.as(compact).done("Write", { file_path: at("d/new.txt"), content: "n" });
    const b = { metadata: { relative_paths: ["sub/b.ts"] } };
    expect(await agent.as(compact).data("Glob", { pattern: at("**/*.ts") })).toMatchObject(b);
    expect(await agent.as(compact).data("Glob", { pattern: "*.ts", path: at("sub") })).toMatchObject(b);
    expect(await agent.as(compact).data("Grep", { pattern: "export", path: root(), glob: at("sub/*") })).toMatchObject({
      metadata: { files: [{ path: "sub/b.ts" }] },
    });
  });

  it("anchors", async () => {
    expect(await agent.as(anchors).data("read_file", { path: at("a.txt") })).toMatchObject({ path: "a.txt" });
    const shown = await agent.as(anchors).call("read_file", { path: at("a.txt"), hashes: true });
    const [, hash] = /2#([0-9a-f]{6})/.exec(shown.text) ?? [];
    expect(hash, shown.text).toBeDefined();
    await agent
      .as(anchors)
      .done("edit", { path: at("a.txt"), operations: [{ op: "replace_line", hash, content: "2" }] });
    await agent.as(anchors).done("write_file", { path: at("new.txt"), content: "n\n" });
    expect(readFileSync(join(real, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
  });

  it("files", async () => {
    const run = (params: object) => agent.as(sandbox).done("files", { params });
    await run({ command: "read", file_path: at("a.txt") });
    await run({ command: "edit", file_path: at("a.txt"), old_string: "two", new_string: "2" });
    await run({ command: "write", file_path: at("new.txt"), content: "n" });
    await agent.as(sandbox).done("read_file", { file_path: at("new.txt") });
    expect(readFileSync(join(real, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
  });

  it("outside: refused as such, and nothing of it is told", async () => {
    for (const path of [
      `${root()}2/b.txt`,
      at("../root2/b.txt"),
      "/",
      "/etc/hostname",
      at("../../x"),
      at("sub/../../x"),
    ]) {
      for (const [surface, tool, input] of [
        [workspace, "read_file", { path }],
        [workspace, "create_file", { path, content: "" }],
        [workspace, "apply_patch", { patch: patchOf(`*** Delete File: ${path}`) }],
        [workspace, "glob", { pattern: "*", root: path }],
        [tracked, "Read", { file_path: path }],
        [tracked, "Grep", { pattern: "x", path }],
        [compact, "Write", { file_path: path, content: "" }],
        [anchors, "read_file", { path }],
        [sandbox, "files", { params: { command: "read", file_path: path } }],
      ] as const) {
        const result = await agent.as(surface).call(tool, input);
        expect(result, `${tool} ${path}: ${result.text}`).toMatchObject({
          ok: false,
          error: { kind: "outside_workspace" },
        });
        expect(result.text).not.toContain("not of the workspace");
      }
    }
    for (const pattern of [`${root()}2/*`, "/etc/*"])
      for (const [surface, tool] of [
        [workspace, "glob"],
        [tracked, "Glob"],
        [compact, "Glob"],
      ] as const)
        expect(await agent.as(surface).call(tool, { pattern })).toMatchObject({
          ok: false,
          error: { kind: "outside_workspace" },
        });
  });

  it("a NUL is no path, wherever it stands", async () => {
    const result = await agent.as(tracked).call("Read", { file_path: at("a.txt\0/../../x") });
    expect(result).toMatchObject({ ok: false, error: { kind: "invalid_path" } });
  });

  it("a link in the workspace is no way out", async () => {
    symlinkSync(`${real}2`, join(real, "out"));
    const result = await agent.call("read_file", { path: at("out/b.txt") });
    expect(result).toMatchObject({ ok: false, error: { kind: "outside_workspace" } });
  });
});
