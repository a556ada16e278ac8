// Seed 002, Write and lint: whole files, never gated, with the metadata of the seed.
import { describe, expect, it } from "vitest";
import { compactSurface, type Linter } from "../../src/surfaces/compact/index.ts";
import { all, textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { numberedLines, opened } from "./002-calling.ts";

describe.each(BACKENDS)("seed 002: Write on %s", (_name, make) => {
  it("creates a file and its parent directories", async () => {
    const { ok, absolute, workspace } = opened(make, {});
    const { data, text } = await ok("Write", { file_path: "deep/er/a.txt", content: "grün\nzwei\n" });
    const path = absolute("deep/er/a.txt");
    expect(data).toEqual({ metadata: { path, size: 11, lines: 2, operation: "create", bytes_written: 11 } });
    expect(text).toBe(`Created ${path} (2 lines, 11 bytes).`);
    expect(await textAt(workspace.backend, "deep/er/a.txt")).toBe("grün\nzwei\n");
  });

  it("overwrites an unread file of any size: Write is never gated", async () => {
    const { ok, workspace } = opened(make, { a: numberedLines(1000) });
    const { data, warnings } = await ok("Write", { file_path: "a", content: "x\n" });
    expect(data.metadata).toMatchObject({ operation: "update", size: 2, bytes_written: 2 });
    expect(warnings).toEqual([]);
    expect(await textAt(workspace.backend, "a")).toBe("x\n");
  });

  it("keeps what it replaced", async () => {
    const { ok, workspace } = opened(make, { a: "old\n" });
    await ok("Write", { file_path: "a", content: "new\n" });
    const [entry] = await all(workspace.log());
    expect(entry).toMatchObject({ tool: "Write", changes: [{ path: "a", proof: "waived" }] });
    const kept = await workspace.backend.recall(entry!.changes[0]!.from!);
    expect(Buffer.concat(kept!.parts as Uint8Array[]).toString()).toBe("old\n");
  });

  it("adds the path to what was read, so that Edit works without a prior Read", async () => {
    const { ok } = opened(make, {});
    await ok("Write", { file_path: "a", content: numberedLines(200) });
    await ok("Edit", { file_path: "a", old_string: "line 150\n", new_string: "changed\n" });
  });

  it("create_dirs: false refuses a missing parent directory", async () => {
    const { refused, workspace } = opened(make, {});
    const failure = await refused("Write", { file_path: "no/a", content: "x", create_dirs: false });
    expect(failure.kind).toBe("not_found");
    expect(failure.text).toMatch(/^Write rejected, nothing was written\./);
    expect(await textAt(workspace.backend, "no/a")).toBeNull();
  });

  it("encoding: the one asked for, else the file's own with its line endings, else utf-8", async () => {
    const { ok, bytes } = opened(make, { a: Buffer.from("\ufeffalt\r\n", "utf16le") });
    await ok("Write", { file_path: "a", content: "neu\n" });
    expect(await bytes("a")).toBe(Buffer.from("\ufeffneu\r\n", "utf16le").toString("latin1"));
    await ok("Write", { file_path: "b", content: "grün\n", encoding: "latin1" });
    expect(await bytes("b")).toBe("gr\xfcn\n");
    await ok("Write", { file_path: "c", content: "grün\n" });
    expect(await bytes("c")).toBe(Buffer.from("grün\n").toString("latin1"));
  });

  it("atomic: accepted either way", async () => {
    const { ok } = opened(make, {});
    await ok("Write", { file_path: "a", content: "1\n", atomic: true });
    await ok("Write", { file_path: "a", content: "2\n", atomic: false });
  });

  it("replaces a binary file as a whole", async () => {
    const { ok, bytes } = opened(make, { a: Uint8Array.from([0, 1, 2]) });
    await ok("Write", { file_path: "a", content: "text\n" });
    expect(await bytes("a")).toBe("text\n");
  });

  it("says which lines were overwritten unseen, and when the file had changed since it was read", async () => {
    const { ok, workspace } = opened(make, { a: numberedLines(10), b: "1\n" });
    await ok("Read", { file_path: "a", limit: 4 });
    expect((await ok("Write", { file_path: "a", content: "x\n" })).warnings).toEqual([
      "a was overwritten as a whole although its lines 5-10 were never shown to this session.",
    ]);
    await ok("Read", { file_path: "b" });
    const other = workspace.session();
    await other.change([{ path: "b", proof: { by: "waived" }, action: "write" }], () => [{ body: "2\n" }]);
    expect((await ok("Write", { file_path: "b", content: "3\n" })).warnings).toEqual([
      "b had changed since it was read; that newer content was overwritten and is kept in the history.",
    ]);
  });

  it("strict: an existing file must have been read, all of it", async () => {
    const { ok, refused } = opened(make, { a: numberedLines(10) }, { strict: true });
    expect((await refused("Write", { file_path: "a", content: "x\n" })).kind).toBe("unread_file");
    await ok("Read", { file_path: "a", limit: 4 });
    expect((await refused("Write", { file_path: "a", content: "x\n" })).kind).toBe("unseen_content");
    await ok("Read", { file_path: "a" });
    await ok("Write", { file_path: "a", content: "x\n" });
  });

  it("writing the same content again changes nothing", async () => {
    const { ok, workspace } = opened(make, { a: "1\n" });
    expect((await ok("Write", { file_path: "a", content: "1\n" })).data.metadata.operation).toBe("update");
    expect(await all(workspace.log())).toEqual([]);
  });
});

describe.each(BACKENDS)("seed 002: lint on %s", (_name, make) => {
  const silent: Linter = async () => null;
  const withLinter = (linter: Linter) => opened(make, {}, {}, compactSurface({ linter }));

  it("vanilla does not lint", async () => {
    const { ok } = opened(make, {});
    expect((await ok("Write", { file_path: "a.json", content: "{" })).data).not.toHaveProperty("lint");
    const edited = await ok("Edit", { file_path: "a.json", old_string: "{", new_string: "[" });
    expect(edited.data).not.toHaveProperty("lint");
  });

  it("a linter that is plugged in is asked first, with the path and the text", async () => {
    const asked: string[][] = [];
    const item = { line: 1, column: 2, severity: "warning" as const, message: "unused", code: "F401", source: "ruff" };
    const { ok, absolute } = withLinter(async (...given) => {
      asked.push(given);
      return [item];
    });
    const { data, text } = await ok("Write", { file_path: "a.py", content: "import os\n" });
    expect(asked).toEqual([[absolute("a.py"), "import os\n"]]);
    expect(data.lint).toEqual({ errors: 0, warnings: 1, items: [item] });
    expect(text).toMatch(/\nLint: 0 errors, 1 warning\n {2}1:2 warning: unused \(ruff\)$/);
  });

  it.each([
    ["a.json", "{ // no comment\n}", "json"],
    ["a.jsonc", "{ // comment\n", "jsonc"],
    ["a.yaml", "a: [1\n", "yaml"],
    ["a.yml", "a: 1\na: 2\n", "yaml"],
    ["a.toml", "a = \n", "toml"],
    ["a.ts", "let a: = 1;\n", "typescript"],
  ])("the built-in validator of %s is the fallback", async (file_path, content, source) => {
    const { ok } = withLinter(silent);
    const { data } = await ok("Write", { file_path, content });
    expect(data.lint.errors).toBeGreaterThan(0);
    expect(data.lint.items[0]).toMatchObject({ severity: "error", source });
  });

  it("Edit has the field, too", async () => {
    const { ok } = withLinter(silent);
    const written = await ok("Write", { file_path: "a.json", content: "{}" });
    expect(written.data.lint).toEqual({ errors: 0, warnings: 0, items: [] });
    const { data } = await ok("Edit", { file_path: "a.json", old_string: "{}", new_string: "{" });
    expect(data.lint.errors).toBe(1);
  });

  it("a linter that fails does not turn a write that happened into a failure", async () => {
    const { ok } = withLinter(() => Promise.reject(new Error("no server")));
    const { data, warnings } = await ok("Write", { file_path: "a.json", content: "{" });
    expect(data.lint.errors).toBe(1);
    expect(warnings).toEqual(["The linter gave up (no server)."]);
  });

  it.each([[{}], [[7]], ["broken"]])(
    "a linter that says %j is told of, and the built-in validator stands in",
    async (said) => {
      const { ok } = withLinter(async () => said as never);
      const { data, warnings } = await ok("Write", { file_path: "a.json", content: "{" });
      expect(data.lint.errors).toBe(1);
      expect(warnings).toEqual(["The linter said something that is not a list of findings."]);
    },
  );

  it("no verdict, no field", async () => {
    const { ok } = withLinter(silent);
    expect((await ok("Write", { file_path: "a.txt", content: "x" })).data).not.toHaveProperty("lint");
  });
});
