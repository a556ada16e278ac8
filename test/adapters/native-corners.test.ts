// Claude's own tools and the editor of applyPatchTool: ranges, what is warned of, names, and what is said of a refusal.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { anthropicMemory, anthropicTextEditor } from "stet/adapters/anthropic";
import { openaiEditor } from "stet/adapters/openai";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { open } from "./support/cases.ts";

function editing(files: Record<string, string>) {
  const { root, workspace } = open(files);
  const editor = anthropicTextEditor(workspace.session());
  const run = async (input: object): Promise<string> => editor.run(input).then(String, ({ message }) => message);
  return { root, workspace, run, view: (path: string, more: object = {}) => run({ command: "view", path, ...more }) };
}

describe("a view", () => {
  it("of a range has just these lines, and warns of none that were not asked for", async () => {
    const { workspace, view } = editing({ "a.txt": "1\n2\n3\n" });
    const head = "Here's the content of /a.txt with line numbers:\n";
    expect(await view("/a.txt", { view_range: [2, 2] })).toBe(`${head}2\t2\n`);
    expect(await view("/a.txt", { view_range: [1, 2] })).toBe(`${head}1\t1\n2\t2\n`);
    expect(await view("/a.txt", { view_range: [2, 9] })).toBe(`${head}2\t2\n3\t3\n`);
    expect(await view("/a.txt", { view_range: [1, 2, 3] })).toMatch(/^Nothing was changed\. view_range is \[1, 2, 3\]/);
    await workspace.close();
  });

  it("tells that it cut a line that is too long, in words of this tool", async () => {
    const { workspace, view } = editing({ "a.txt": `${"x".repeat(2 ** 21)}\nend\n` });
    const seen = await view("/a.txt");
    const said = seen.replace(/x{9,}/, ({ length }) => `(${length})`);
    const [, shown] = /^1\t\((\d+)\)$/m.exec(said)!;
    expect(Number(shown)).toBeLessThan(2 ** 21);
    expect(said).toContain("Warning: Line 1 has 2097153 bytes, and only its start is shown");
    expect(said).toContain("go on with view_range [2, -1]");
    expect(said).not.toContain("offset");
    await workspace.close();
  });

  it("of a directory has all entries up to the most, none of node_modules anywhere, and each on a line", async () => {
    const many = Array.from({ length: 1000 }, (_, n) => [`many/f${n}.txt`, ""]);
    const files = { ...Object.fromEntries(many), "p/node_modules/x.js": "", "p/my_node_modules": "", "p/a\nb.txt": "" };
    const { workspace, view } = editing(files);
    const full = await view("/many");
    expect(full.match(/^0\t\/many\/f\d+\.txt$/gm)).toHaveLength(1000);
    expect(full).not.toContain("Warning");
    expect((await view("/p")).split("\n").slice(1)).toEqual([
      expect.stringMatching(/^0\t\/p\/a.+b\.txt$/),
      "0\t/p/my_node_modules",
    ]);
    await workspace.close();
  });

  it("of a directory leaves out names that begin with a dot", async () => {
    const { workspace, view } = editing({ ".hidden/a.txt": "", ".b": "", "c.txt": "" });
    expect((await view("/")).split("\n").slice(1)).toEqual(["0\t/c.txt"]);
    await workspace.close();
  });

  it("that finds nothing is no attempt at a change", async () => {
    const { workspace, view } = editing({});
    expect(await view("/none.txt")).toMatch("does not exist");
    for await (const { tool, outcome } of workspace.log()) expect.unreachable(`${tool} ${outcome}`);
    await workspace.close();
  });
});

describe("a change", () => {
  it("says whether the file was there, and deletes where nothing is put in the place", async () => {
    const { root, workspace, run, view } = editing({});
    const create = (file_text: string) => run({ command: "create", path: "/a.txt", file_text });
    expect(await create("one\n")).toBe("File created successfully at: /a.txt");
    expect(await create("one\ntwo\n")).toMatch(/^The file \/a\.txt has been overwritten\./);
    await view("/a.txt");
    expect(await run({ command: "str_replace", path: "/a.txt", old_str: "one\n" })).toMatch(/has been edited/);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two\n");
    await workspace.close();
  });

  it("of text that is there twice is refused with what can be done about it by this tool", async () => {
    const { root, workspace, run, view } = editing({ "a.txt": "one\none\n" });
    await view("/a.txt");
    const refused = await run({ command: "str_replace", path: "/a.txt", old_str: "one", new_str: "two" });
    expect(refused).toMatch(/2 places.*Add lines before or after it that only the right place has\./);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\none\n");
    await workspace.close();
  });

  it("that breaks a file is warned of, also where it only inserts", async () => {
    const root = directoryWith({ "a.json": '{\n  "a": 1\n}\n' });
    const workspace = openWorkspace({ root, limits: { checkMs: 60_000 } });
    const editor = anthropicTextEditor(workspace.session());
    await editor.run({ command: "view", path: "/a.json" });
    const inserted = await editor.run({ command: "insert", path: "/a.json", insert_line: 1, insert_text: "  broken" });
    expect(inserted).toMatch(/^The file \/a\.json has been edited\.\n+Warning: /);
    await workspace.close();
  });
});

it("the memory is what lies below /memories, and nothing that merely begins like it", async () => {
  const { root, workspace } = open({ "a.txt": "one\n", "x/a.txt": "one\n" });
  const memory = anthropicMemory(workspace.session());
  for (const path of ["/memoriesx/a.txt", "/memoriesa.txt", "/memories2", "memories/a.txt", "/x/memories/a.txt"])
    for (const command of ["view", "delete"])
      await expect(memory.run({ command, path })).rejects.toThrow(/^The memory is unchanged\. .*is not in \/memories/);
  expect(await memory.run({ command: "view", path: "/memories//x/a.txt" })).toContain("1\tone");
  expect(readFileSync(join(root, "x/a.txt"), "utf8")).toBe("one\n");
  await workspace.close();
});

describe("openaiEditor", () => {
  it("does nothing where the policy allows nothing, and says so", async () => {
    const root = directoryWith({ "a.txt": "one\n" });
    const workspace = openWorkspace({ root, policy: { readOnly: true } });
    const editor = openaiEditor(workspace.session());
    const refused = (action: string, path: string) => ({
      status: "failed",
      output: expect.stringMatching(
        `^Nothing was changed\\. The policy denies "${action}" on ${path}: .*rule: readOnly.* ask the owner`,
      ),
    });
    expect(await editor.createFile({ path: "b.txt", diff: "+b" })).toEqual(refused("create", "b.txt"));
    expect(await editor.updateFile({ path: "a.txt", diff: "@@\n-one\n+two" })).toEqual(refused("edit", "a.txt"));
    expect(await editor.deleteFile({ path: "a.txt" })).toEqual(refused("delete", "a.txt"));
    await workspace.close();
  });

  it("makes an empty file of an empty diff, and says of nothing that it was deleted which is not there", async () => {
    const { root, workspace } = open({});
    const editor = openaiEditor(workspace.session());
    expect(await editor.createFile({ path: "a.txt", diff: "" })).toMatchObject({ status: "completed" });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("");
    const missing = await editor.deleteFile({ path: "none.txt" });
    expect(missing).toEqual({ status: "failed", output: expect.stringContaining("does not exist") });
    expect(missing.output).not.toContain("Deleted");
    expect(await editor.deleteFile({ path: "a.txt" })).toEqual({
      status: "completed",
      output: "Deleted a.txt. It is kept in the trash.",
    });
    expect(existsSync(join(root, "a.txt"))).toBe(false);
    await workspace.close();
  });

  it("patches no file by a name of two lines, however these end", async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    writeFileSync(join(root, "a\rb.txt"), "one\n");
    const editor = openaiEditor(workspace.session());
    for (const path of ["a\rb.txt", "a\r\nb.txt", "a\nb.txt", "a.txt\r*** Delete File: a.txt"])
      expect(await editor.updateFile({ path, diff: "@@\n-one\n+two" })).toEqual({
        status: "failed",
        output: "Nothing was changed. A diff is about one file. Make a call for each file.",
      });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
    await workspace.close();
  });
});
