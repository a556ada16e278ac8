import { describe, expect, it } from "vitest";
import { deleteFile, moveFile } from "../../src/kernel/verbs.ts";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { caller } from "./001-support.ts";

const edit = (file_path: string, old_string = "two", new_string = "2") => ({ file_path, old_string, new_string });

describe.each(BACKENDS)("seed 001, the contract, on %s", (_name, make) => {
  const open = (files: Record<string, string>, options = {}) => caller(make(files), options);
  const FILES = { "foo.txt": "one\ntwo\n", "sub/bar.txt": "two\n" };

  it("Write refuses to overwrite a file that was not read", async () => {
    const { refused, workspace } = open(FILES);
    expect(await refused("Write", { file_path: "foo.txt", content: "x" })).toBe(
      "refusing to overwrite foo.txt: Read it first",
    );
    expect(await textAt(workspace.backend, "foo.txt")).toBe(FILES["foo.txt"]);
  });

  it("Edit refuses to edit a file that was not read", async () => {
    const { refused, workspace } = open(FILES);
    expect(await refused("Edit", edit("foo.txt"))).toBe("refusing to edit foo.txt: Read it first");
    expect(await textAt(workspace.backend, "foo.txt")).toBe(FILES["foo.txt"]);
  });

  it.each(["./foo.txt", "sub/../foo.txt", "sub/bar.txt"])("refusals name the path as typed: %s", async (path) => {
    const { refused } = open(FILES);
    expect(await refused("Write", { file_path: path, content: "x" })).toBe(
      `refusing to overwrite ${path}: Read it first`,
    );
    expect(await refused("Edit", edit(path))).toBe(`refusing to edit ${path}: Read it first`);
  });

  it("the typed error keeps its kind, path and next action", async () => {
    const { use } = open(FILES);
    const result = await use("Edit", edit("./foo.txt"));
    expect(result.ok ? undefined : result.error).toMatchObject({
      kind: "unread_file",
      message: "refusing to edit ./foo.txt: Read it first",
      path: "./foo.txt",
      suggestedAction: "Read it first.",
      recoverable: true,
    });
  });

  it("Read marks on success: Write and Edit follow", async () => {
    const { text, workspace } = open(FILES);
    await text("Read", { file_path: "foo.txt" });
    await text("Edit", edit("foo.txt"));
    await text("Write", { file_path: "foo.txt", content: "all new\n" });
    expect(await textAt(workspace.backend, "foo.txt")).toBe("all new\n");
  });

  it("Write of a new file needs no Read", async () => {
    const { text, workspace } = open({});
    expect(await text("Write", { file_path: "deep/er/new.txt", content: "héllo\n" })).toBe(
      "wrote 7 bytes to deep/er/new.txt",
    );
    expect(await textAt(workspace.backend, "deep/er/new.txt")).toBe("héllo\n");
  });

  it("Write marks: Write then Edit without a Read", async () => {
    const { text, workspace } = open({});
    await text("Write", { file_path: "new.txt", content: "one\ntwo\n" });
    expect(await text("Edit", edit("new.txt"))).toBe("replaced 1 occurrence(s) in new.txt");
    await text("Write", { file_path: "new.txt", content: "three\n" });
    expect(await textAt(workspace.backend, "new.txt")).toBe("three\n");
  });

  it("a Write that was refused does not mark", async () => {
    const { refused } = open(FILES);
    await refused("Write", { file_path: "foo.txt", content: "x" });
    expect(await refused("Edit", edit("foo.txt"))).toBe("refusing to edit foo.txt: Read it first");
  });

  it.each([
    ["an offset behind the end", { file_path: "foo.txt", offset: 9 }],
    ["a directory", { file_path: "sub" }],
    ["a column behind the end of the line", { file_path: "foo.txt", start_column: 99 }],
  ])("a Read that failed does not mark: %s", async (_what, input) => {
    const { refused, session } = open(FILES);
    await refused("Read", input);
    const target = input.file_path === "sub" ? "sub/bar.txt" : input.file_path;
    expect(await refused("Edit", edit(target))).toBe(`refusing to edit ${target}: Read it first`);
    expect(await session.ledger.get((await session.resolve(target, "read")).path)).toBeUndefined();
  });

  it("a Read that failed takes no earlier mark away", async () => {
    const { text, refused } = open(FILES);
    await text("Read", { file_path: "foo.txt" });
    await refused("Read", { file_path: "foo.txt", offset: 9 });
    await text("Edit", edit("foo.txt"));
  });

  it("a partial Read marks the whole file", async () => {
    const { text, use } = open(FILES);
    await text("Read", { file_path: "foo.txt", offset: 1, limit: 1 });
    await text("Edit", edit("foo.txt"));
    const written = await use("Write", { file_path: "foo.txt", content: "x\n" });
    expect(written.ok).toBe(true);
  });

  it("a whole-file Write after a partial Read says which lines were never shown; strict refuses it", async () => {
    const { text, use } = open(FILES);
    await text("Read", { file_path: "foo.txt", offset: 2 });
    const written = await use("Write", { file_path: "foo.txt", content: "x\n" });
    expect(written).toMatchObject({ ok: true, warnings: [expect.stringContaining("lines 1 were never shown")] });

    const strict = open(FILES, { strict: true });
    await strict.text("Read", { file_path: "foo.txt", offset: 2 });
    expect(await strict.use("Write", { file_path: "foo.txt", content: "x\n" })).toMatchObject({
      ok: false,
      error: { kind: "unseen_content" },
    });
  });

  it("other spellings of a path share the mark", async () => {
    const { text } = open(FILES);
    await text("Read", { file_path: "sub/../foo.txt" });
    expect(await text("Edit", edit("./foo.txt"))).toBe("replaced 1 occurrence(s) in ./foo.txt");
  });

  it("one tracker per session: what another agent read does not count", async () => {
    const { text, use, workspace } = open(FILES);
    await text("Read", { file_path: "foo.txt" });
    const other = await use("Edit", edit("foo.txt"), workspace.session({ id: "other" }));
    expect(other.text).toBe("refusing to edit foo.txt: Read it first");
  });

  it("no eviction: the first of many files read may still be edited", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, "two\n"]));
    const { text } = open(many);
    for (const path of Object.keys(many)) await text("Read", { file_path: path });
    await text("Edit", edit("f0"));
  });

  it("concurrent calls are safe", async () => {
    const { text, workspace } = open({ a: Array.from({ length: 20 }, (_, n) => `<${n}>\n`).join("") });
    await Promise.all(Array.from({ length: 5 }, () => text("Read", { file_path: "a" })));
    await Promise.all(Array.from({ length: 20 }, (_, n) => text("Edit", edit("a", `<${n}>`, `[${n}]`))));
    expect(await textAt(workspace.backend, "a")).toBe(Array.from({ length: 20 }, (_, n) => `[${n}]\n`).join(""));
  });

  it("delete drops the entry: the path is new again, and needs no Read", async () => {
    const { text, session, workspace } = open(FILES);
    await text("Read", { file_path: "foo.txt" });
    await deleteFile(session, "foo.txt");
    expect(await session.ledger.get((await session.resolve("foo.txt", "read")).path)).toBeUndefined();
    await text("Write", { file_path: "foo.txt", content: "new\n" });
    expect(await textAt(workspace.backend, "foo.txt")).toBe("new\n");
  });

  it("move carries the mark along", async () => {
    const { text, refused, session } = open(FILES);
    await text("Read", { file_path: "foo.txt" });
    await moveFile(session, "foo.txt", "moved.txt");
    await text("Edit", edit("moved.txt"));
    expect(await refused("Edit", edit("foo.txt"))).toBe("stat: foo.txt: no such file or directory");
  });

  it("not security: a file that was deleted can be written again unseen", async () => {
    const { text, session } = open(FILES);
    await deleteFile(session, "foo.txt", { proof: { by: "waived" } });
    expect(await text("Write", { file_path: "foo.txt", content: "x" })).toBe("wrote 1 bytes to foo.txt");
  });

  it("read-only offers the tools that change nothing", async () => {
    const { use } = open(FILES, { policy: { readOnly: true } });
    expect((await use("Write", { file_path: "new", content: "" })).text).toContain("Use one of Read, Glob, Grep.");
  });
});
