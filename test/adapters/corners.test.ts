// Claude's own tools, and storages, in what their frameworks' tests do not reach: names, limits, and what a policy leaves.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace, Refusal } from "stet";
import { surfaceFor } from "stet/adapters";
import { anthropicMemory, anthropicTextEditor, anthropicTools } from "stet/adapters/anthropic";
import { claudeTools } from "stet/adapters/claude";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { openaiEditor, openaiTools } from "stet/adapters/openai";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { open } from "./support/cases.ts";

describe("Claude's own tools", () => {
  it("show no more entries than a model can use, and nothing of node_modules", async () => {
    const names = Array.from({ length: 1001 }, (_, n) => [`many/f${n}.txt`, ""]);
    const { workspace } = open({ ...Object.fromEntries(names), "node_modules/x/index.js": "", "a.txt": "" });
    const editor = anthropicTextEditor(workspace.session());
    const many = String(await editor.run({ command: "view", path: "/many" }));
    expect(many.match(/^0\t\/many\/f\d+\.txt$/gm)).toHaveLength(1000);
    expect(many).toMatch(/Warning: Only the first 1000 entries are shown: view a directory below\.$/);
    const root = String(await editor.run({ command: "view", path: "/" }));
    expect(root).toContain("/a.txt");
    expect(root).not.toContain("node_modules");
    await workspace.close();
  });

  it("insert what is given under the older name too", async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const editor = anthropicTextEditor(workspace.session());
    await editor.run({ command: "view", path: "/a.txt" });
    await editor.run({ command: "insert", path: "/a.txt", insert_line: 1, new_str: "two\n" });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\n");
    await workspace.close();
  });

  it("rename no directory onto files that are there", async () => {
    const { root, workspace } = open({ "d/one.txt": "1\n", "e/one.txt": "mine\n" });
    const memory = anthropicMemory(workspace.session());
    const move = memory.run({ command: "rename", old_path: "/memories/d", new_path: "/memories/e" });
    await expect(move).rejects.toThrow(/^The memory is unchanged\. .*exists/);
    expect([readFileSync(join(root, "d/one.txt"), "utf8"), readFileSync(join(root, "e/one.txt"), "utf8")]).toEqual([
      "1\n",
      "mine\n",
    ]);
    await workspace.close();
  });

  it("refuse in words what a policy leaves nothing of", async () => {
    const root = directoryWith({ "a.txt": "one\n" });
    const workspace = openWorkspace({ root, policy: { allowedActions: ["search"] } });
    const session = workspace.session();
    for (const tool of [anthropicTextEditor(session), anthropicMemory(session)])
      await expect(tool.run({ command: "view", path: "/memories/a.txt" })).rejects.toThrow(/^Nothing was done\. /);
    await workspace.close();
  });
});

it.each(["/src", "/src/", "/./src", "/src/../src", "/src//", "src"])("a directory is viewed as %s", async (path) => {
  const { workspace } = open({ "src/a.ts": "1\n", "src/deep/b.ts": "2\n" });
  const session = workspace.session();
  const below = path.replace(/\/+$/, "");
  const seen = String(await anthropicTextEditor(session).run({ command: "view", path }));
  expect(seen.split("\n").slice(1)).toEqual([`-\t${below}/deep/`, `2\t${below}/a.ts`, `2\t${below}/deep/b.ts`]);
  await workspace.close();
});

it("anthropicMemory: a directory can be renamed to a name that ends with a slash", async () => {
  const { root, workspace } = open({ "d/one.txt": "1\n" });
  const memory = anthropicMemory(workspace.session());
  await memory.run({ command: "rename", old_path: "/memories/d/", new_path: "/memories/dd/" });
  expect(readFileSync(join(root, "dd/one.txt"), "utf8")).toBe("1\n");
  await workspace.close();
});

it("anthropicMemory: a view that finds nothing is no attempt at a change", async () => {
  const { workspace } = open({});
  const memory = anthropicMemory(workspace.session());
  await expect(memory.run({ command: "view", path: "/memories/none.txt" })).rejects.toThrow("does not exist");
  await expect(memory.run({ command: "delete", path: "/memories/none.txt" })).rejects.toThrow("does not exist");
  const entries: unknown[] = [];
  for await (const { outcome } of workspace.log()) entries.push(outcome);
  expect(entries).toEqual(["refused"]);
  await workspace.close();
});

it("native tools: words name only what the model has", async () => {
  const { workspace } = open({ "a.txt": "one\n", "b.txt": "two\n" });
  const session = workspace.session();
  const said = async (run: Promise<unknown>): Promise<string> => run.then(String, ({ message }) => message);
  const editor = anthropicTextEditor(session);
  await editor.run({ command: "view", path: "/a.txt" });
  const empty = await said(editor.run({ command: "str_replace", path: "/a.txt", old_str: "", new_str: "x" }));
  expect(empty).toMatch(/old_str/);
  expect(empty).not.toMatch(/old_string/);
  const rename = { command: "rename", old_path: "/memories/a.txt", new_path: "/memories/b.txt" };
  expect(await said(anthropicMemory(session).run(rename))).not.toMatch(/overwrite/);
  const patch = openaiEditor(session);
  const outputs = [
    await patch.createFile({ path: "a.txt", diff: "+x" }),
    await patch.updateFile({ path: "a.txt", diff: "@@\n-none\n+x" }),
    await patch.deleteFile({ path: "none.txt" }),
    await patch.deleteFile({ path: "b.txt" }),
    await patch.updateFile({ path: "b.txt", diff: "@@\n-two\n+x" }),
  ].map(({ output }) => output);
  expect(outputs.join("\n")).not.toMatch(/\w_file\b|apply_patch/);
  await workspace.close();
});

it("openaiEditor: what it refuses itself is in the journal", async () => {
  const { workspace } = open({ "a.txt": "one\n" });
  const editor = openaiEditor(workspace.session());
  await editor.createFile({ path: "b.txt", diff: "no plus" });
  await editor.updateFile({ path: "a.txt ", diff: "@@\n-one\n+x" });
  await editor.updateFile({ path: "a.txt", diff: "@@\n-one\n+x\n*** Delete File: a.txt" });
  const entries: string[] = [];
  for await (const { tool, outcome } of workspace.log()) entries.push(`${tool} ${outcome}`);
  expect(entries).toEqual(["apply_patch refused", "apply_patch refused", "apply_patch refused"]);
  await workspace.close();
});

it("openaiEditor: a diff may say that it reaches the end of the file", async () => {
  const { root, workspace } = open({ "a.txt": "one\ntwo\n" });
  const diff = "@@\n one\n-two\n+three\n*** End of File";
  expect(await openaiEditor(workspace.session()).updateFile({ path: "a.txt", diff })).toMatchObject({
    status: "completed",
  });
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\nthree\n");
  await workspace.close();
});

describe("deepagentsBackend", () => {
  it("lists hidden names too", async () => {
    const { workspace } = open({ ".hidden/x.txt": "", "a.txt": "" });
    const listed = await deepagentsBackend(workspace.session()).ls("/");
    expect(listed).toMatchObject({ files: expect.arrayContaining([expect.objectContaining({ path: "/.hidden/" })]) });
    await workspace.close();
  });

  it("searches for text as it stands, and uploads over nothing that was shown in part", async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join("");
    const { root, workspace } = open({ "a.txt": lines, "b.txt": "a.b\naxb\nA.B\n" });
    const backend = deepagentsBackend(workspace.session());
    expect(await backend.grep("a.b")).toEqual({
      matches: [{ path: "/b.txt", line: 1, text: "a.b" }],
      truncated: false,
    });
    expect(await backend.read("/a.txt", 0, 30)).not.toHaveProperty("nextOffset");
    const other = deepagentsBackend(workspace.session({ agent: "other" }));
    await other.read("/a.txt", 0, 3);
    const content = new TextEncoder().encode("short\n");
    expect(await other.uploadFiles([["/a.txt", content]])).toEqual([{ path: "/a.txt", error: "permission_denied" }]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(lines);
    // What was downloaded serves for one upload.
    await other.downloadFiles(["/a.txt"]);
    expect(await other.uploadFiles([["/a.txt", content]])).toEqual([{ path: "/a.txt", error: null }]);
    writeFileSync(join(root, "a.txt"), lines);
    expect(await other.uploadFiles([["/a.txt", content]])).toEqual([{ path: "/a.txt", error: "permission_denied" }]);
    expect(existsSync(join(root, "a.txt"))).toBe(true);
    await workspace.close();
  });
});

it("adapters refuse options that there are not, and functions where a framework asks by tool", async () => {
  const { workspace } = open({});
  const session = workspace.session();
  const made = [
    () => claudeTools(session, surfaceFor("x"), { approve: (() => true) as never }),
    () => claudeTools(session, surfaceFor("x"), { names: "x" } as never),
    () => openaiTools(session, surfaceFor("x"), { stricht: false } as never),
    () => anthropicTools(session, surfaceFor("x"), { onyl: [] } as never),
  ];
  for (const make of made) expect(make).toThrow(Refusal);
  expect(made[0]).toThrow("`approve` is no list of effects");
  expect(made[1]).toThrow("Did you mean name?");
  expect(made[2]).toThrow("Did you mean strict?");
  expect(Object.keys(claudeTools(session, surfaceFor("x"), { name: "mine", approve: ["write"] }).mcpServers)).toEqual([
    "mine",
  ]);
  await workspace.close();
});
