// stet as a storage, called as the tools of deepagents call it, without deepagents.
import { linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anthropicMemory, anthropicTextEditor } from "stet/adapters/anthropic";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { openaiEditor } from "stet/adapters/openai";
import { describe, expect, it } from "vitest";
import { open } from "./support/cases.ts";

describe("deepagentsBackend", () => {
  it("changes what was shown, as it still is, and loses no line that was not", async () => {
    const { root, workspace } = open({ "a.txt": "one\ntwo\nthree\n" });
    const backend = deepagentsBackend(workspace.session());
    expect(await backend.edit("/a.txt", "one", "1")).toEqual({ error: expect.stringContaining("Read it first") });
    expect(await backend.read("/a.txt", 0, 2)).toEqual({
      content: "one\ntwo",
      mimeType: "text/plain",
      totalLines: 3,
      startLine: 1,
      endLine: 2,
      nextOffset: 2,
    });
    expect(await backend.write("/a.txt", "")).toEqual({ error: expect.stringContaining("never shown") });
    expect(await backend.edit("/a.txt", "o", "0")).toEqual({ error: expect.stringMatching(/2 places/) });
    expect(await backend.edit("/a.txt", "o", "0", true)).toEqual({ path: "/a.txt", filesUpdate: null, occurrences: 2 });
    writeFileSync(join(root, "a.txt"), "changed\n");
    expect(await backend.edit("/a.txt", "changed", "x")).toEqual({
      error: expect.stringMatching(/^Edit rejected, file unchanged\. [\s\S]*\+changed/),
    });
    await workspace.close();
  });

  it("says that a file is empty, gives long lines whole, and raw bytes without showing them", async () => {
    const long = `${"x".repeat(100_000)}\n`;
    const { root, workspace } = open({ "empty.txt": "", "long.txt": `${long}end\n` });
    const backend = deepagentsBackend(workspace.session());
    expect(await backend.read("/empty.txt")).toMatchObject({ content: expect.stringContaining("empty contents") });
    expect(await backend.read("/long.txt")).toMatchObject({ content: long.trim(), endLine: 1, nextOffset: 1 });
    writeFileSync(join(root, "raw.txt"), "raw");
    expect(await backend.readRaw("/raw.txt")).toMatchObject({ data: { content: "raw", mimeType: "text/plain" } });
    expect(await backend.write("/raw.txt", "")).toEqual({ error: expect.stringContaining("Read it first") });
    linkSync(join(root, "raw.txt"), join(root, "other.txt"));
    await backend.read("/raw.txt");
    expect(await backend.write("/raw.txt", "")).toEqual({ error: expect.stringContaining("hard links") });
    await workspace.close();
  });
});

describe("deepagentsBackend: files as programs take them", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const text = (content: Uint8Array | null | undefined) => new TextDecoder().decode(content ?? undefined);

  it("gives whole files, which do not count as shown", async () => {
    const lines = "line\n".repeat(900);
    const { workspace } = open({ "AGENTS.md": lines, "d/x.txt": "x" });
    const backend = deepagentsBackend(workspace.session());
    const got = await backend.downloadFiles(["/AGENTS.md", "/none.md", "/d", "/../x"]);
    expect(got.map(({ path, error }) => [path, error])).toEqual([
      ["/AGENTS.md", null],
      ["/none.md", "file_not_found"],
      ["/d", "is_directory"],
      ["/../x", "invalid_path"],
    ]);
    expect(text(got[0]!.content)).toBe(lines);
    expect(await backend.write("/AGENTS.md", "")).toEqual({ error: expect.stringContaining("Read it first") });
    await workspace.close();
  });

  it("adds to a file what was made of what is there, and nothing else", async () => {
    const { root, workspace } = open({ "a.txt": "mine\n" });
    const backend = deepagentsBackend(workspace.session());
    const upload = (path: string, content: string) => backend.uploadFiles([[path, bytes(content)]]);
    expect(await upload("/h/history.md", "one\n")).toEqual([{ path: "/h/history.md", error: null }]);
    // As deepagents keeps what it leaves out of a conversation.
    const again = async (more: string) => {
      const [file] = await backend.downloadFiles(["/h/history.md"]);
      return upload("/h/history.md", text(file!.content) + more);
    };
    expect(await again("two\n")).toEqual([{ path: "/h/history.md", error: null }]);
    expect(readFileSync(join(root, "h/history.md"), "utf8")).toBe("one\ntwo\n");
    await backend.downloadFiles(["/h/history.md"]);
    writeFileSync(join(root, "h/history.md"), "other\n");
    expect(await upload("/h/history.md", "one\ntwo\nthree\n")).toEqual([
      { path: "/h/history.md", error: "permission_denied" },
    ]);
    expect(await upload("/a.txt", "gone\n")).toEqual([{ path: "/a.txt", error: "permission_denied" }]);
    expect(await upload("/../a.txt", "x")).toEqual([{ path: "/../a.txt", error: "invalid_path" }]);
    expect([readFileSync(join(root, "h/history.md"), "utf8"), readFileSync(join(root, "a.txt"), "utf8")]).toEqual([
      "other\n",
      "mine\n",
    ]);
    await workspace.close();
  });

  it("shows the agent nothing of what a program uploads, which may be uploaded again", async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const backend = deepagentsBackend(workspace.session());
    const upload = (path: string, content: string) => backend.uploadFiles([[path, bytes(content)]]);
    await backend.downloadFiles(["/a.txt"]);
    for (const path of ["/a.txt", "/new.txt"]) {
      expect(await upload(path, "by a program\n")).toEqual([{ path, error: null }]);
      expect(await backend.write(path, "mine\n")).toEqual({ error: expect.stringContaining("Read it first") });
      expect(await upload(path, "once more\n")).toEqual([{ path, error: null }]);
      expect(readFileSync(join(root, path), "utf8")).toBe("once more\n");
    }
    await workspace.close();
  });

  it("takes what a program uploads for another version than the one that the agent was shown", async () => {
    const { workspace } = open({ "a.txt": "one\n" });
    const backend = deepagentsBackend(workspace.session());
    await backend.read("/a.txt");
    await backend.uploadFiles([["/a.txt", bytes("by a program\n")]]);
    expect(await backend.write("/a.txt", "mine\n")).toEqual({ error: expect.stringContaining("+by a program") });
    await workspace.close();
  });
});

it("anthropicMemory: a directory is not moved into itself", async () => {
  const { root, workspace } = open({ "d/one.txt": "1\n", "d/sub/two.txt": "2\n" });
  const memory = anthropicMemory(workspace.session());
  const move = memory.run({ command: "rename", old_path: "/memories/d", new_path: "/memories/d/sub/d" });
  await expect(move).rejects.toThrow(/^The memory is unchanged\. d cannot be moved into itself\./);
  expect(readFileSync(join(root, "d/one.txt"), "utf8")).toBe("1\n");
  await memory.run({ command: "rename", old_path: "/memories/d", new_path: "/memories/d2" });
  expect(readFileSync(join(root, "d2/sub/two.txt"), "utf8")).toBe("2\n");
  await workspace.close();
});

it("openaiEditor: patches the file that is named, and takes no operation that is not whole", async () => {
  const { root, workspace } = open({ "a.txt": "one\n", "a.txt ": "one\n" });
  const editor = openaiEditor(workspace.session());
  const diff = "@@\n-one\n+two\n";
  expect(await editor.updateFile({ path: "a.txt ", diff })).toMatchObject({ status: "failed" });
  for (const operation of [{ path: "b.txt" }, { path: 7, diff }, { path: "b.txt", diff: 7 }] as never[]) {
    expect(await editor.createFile(operation)).toMatchObject({ status: "failed" });
    expect(await editor.updateFile(operation)).toMatchObject({ status: "failed" });
  }
  expect([readFileSync(join(root, "a.txt"), "utf8"), readFileSync(join(root, "a.txt "), "utf8")]).toEqual([
    "one\n",
    "one\n",
  ]);
  await workspace.close();
});

describe("native tools without the SDK", () => {
  it("refuse in words, and do it when it was viewed", async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const editor = anthropicTextEditor(workspace.session());
    const edit = { command: "str_replace", path: "/a.txt", old_str: "one", new_str: "two" };
    await expect(editor.run(edit)).rejects.toThrow(/^Nothing was changed\. .*View it first/);
    expect(await editor.run({ command: "view", path: "/a.txt" })).toContain("1\tone");
    expect(await editor.run(edit)).toMatch(/^The file \/a\.txt has been edited\./);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two\n");
    await workspace.session().create("long.txt", "x\n".repeat(2500));
    const cut = await editor.run({ command: "view", path: "/long.txt" });
    expect(cut).toMatch(/Warning: Lines 1-2000 of 2500 are shown; go on with view_range \[2001, -1\]\.$/);
    expect(await editor.run({ command: "view", path: "/long.txt", view_range: [2001, 2002] })).not.toContain("Warning");
    const beyond = editor.run({ command: "view", path: "/long.txt", view_range: [2600, -1] });
    await expect(beyond).rejects.toThrow("Ask for lines from 1 to 2500.");
    const insert = editor.run({ command: "insert", path: "/a.txt", insert_line: 9, insert_text: "x" });
    await expect(insert).rejects.toThrow("insert_line is 9, and the file has 1 line. Give a number from 0 to 1.");
    await expect(anthropicMemory(workspace.session()).run({ command: "view", path: "/x" })).rejects.toThrow(
      "/memories",
    );
    expect(
      await openaiEditor(workspace.session()).updateFile({ path: "a.txt", diff: "@@\n-two\n+three\n" }),
    ).toMatchObject({
      status: "completed",
    });
    await workspace.close();
  });
});
