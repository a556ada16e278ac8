import { describe, expect, it } from "vitest";
import { bind } from "../../src/surfaces/bind.ts";
import { files } from "../../src/surfaces/files/index.ts";
import { all, textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { firstLine } from "./001-004-followable.ts";
import { desk, edit, LS, read, remove, write } from "./003-support.ts";

describe.each(BACKENDS)("seed 003, store mode, session on %s", (_name, make) => {
  const open = (options = {}) => desk(make({ "on-disk.txt": "not in the store\n" }), options);

  it("is the default, and touches no file of the workspace", async () => {
    const { text, data, refused, workspace } = open();
    expect(await data(LS)).toEqual({ result: [] });
    expect(await refused(read("on-disk.txt"))).toContain("not found");
    await text(write("on-disk.txt", "mine"));
    await refused(edit("on-disk.txt", "theirs", "x"));
    await refused(edit("missing.txt", "a", "b"));
    expect(await textAt(workspace.backend, "on-disk.txt")).toBe("not in the store\n");
    expect(await all(workspace.log())).toEqual([]);
  });

  it("the examples of the seed run as written", async () => {
    const { text, use } = open();
    await text(write("docs/README.md", "hello\n"));
    await text(write("pyproject.toml", 'version = "0.1.0"\n'));
    const calls = [
      [{ params: { command: "ls" } }, "docs/README.md\npyproject.toml"],
      [{ params: { command: "read", file_path: "docs/README.md", offset: 0, limit: 200 } }, "     1\thello"],
      [{ params: { command: "write", file_path: "docs/note.md", content: "Hello" } }, "Updated file docs/note.md"],
      [
        { params: { command: "edit", file_path: "pyproject.toml", old_string: "0.1.0", new_string: "0.1.1" } },
        "Updated file pyproject.toml",
      ],
      [{ params: { command: "delete", file_path: "docs/note.md" } }, "Deleted file docs/note.md"],
    ] as const;
    for (const [input, expected] of calls) expect((await use(input)).text).toBe(expected);
    expect(await text(read("pyproject.toml"))).toBe('     1\tversion = "0.1.1"');
  });

  it("the flat form is accepted too, and params as a JSON string", async () => {
    const { use } = open();
    expect((await use({ command: "write", file_path: "a", content: "x" })).text).toBe("Updated file a");
    expect((await use({ params: '{"command":"read","file_path":"a","offset":"0","limit":null}' })).text).toBe(
      "     1\tx",
    );
    expect((await use('{"params":{"command":"ls"}}')).text).toBe("a");
  });

  it("bind gives a typed function", async () => {
    const tool = bind(files({ env: {} }), open().session);
    expect((await tool.files({ params: { command: "write", file_path: "a", content: "x" } })).ok).toBe(true);
  });

  it("ls lists keys in the order they were made, as they were written", async () => {
    const { text, data } = open();
    for (const path of ["z/last.txt", "/abs.txt", "a.txt", "z/again.txt"]) await text(write(path, "x"));
    await text(write("z/last.txt", "y"));
    expect(await data(LS)).toEqual({ result: ["z/last.txt", "/abs.txt", "a.txt", "z/again.txt"] });
    await text(remove("z/last.txt"));
    await text(write("z/last.txt", "back"));
    expect(await data(LS)).toEqual({ result: ["/abs.txt", "a.txt", "z/again.txt", "z/last.txt"] });
  });

  it.each([
    ["numbers six wide, a tab, the text", "a\nb\n", {}, "     1\ta\n     2\tb"],
    ["from offset, 0-based", "a\nb\nc\n", { offset: 1 }, "     2\tb\n     3\tc"],
    [
      "limit lines",
      "a\nb\nc\n",
      { limit: 2 },
      "     1\ta\n     2\tb\nWarning: 1 of 3 lines left: go on with offset 2.",
    ],
    ["without line endings", "a\r\nb", {}, "     1\ta\n     2\tb"],
  ])("read shows %s", async (_what, content, more, expected) => {
    const { text } = open();
    await text(write("p", content));
    expect(await text(read("p", more))).toBe(expected);
  });

  it("read shows 2000 lines by default and says how to go on", async () => {
    const { text, run } = open();
    await text(write("p", "x\n".repeat(2001)));
    const { text: shown } = await run(read("p"));
    expect(shown).toMatch(/ {2}2000\tx\nWarning: 1 of 2001 lines left: go on with offset 2000\.$/);
    expect(await text(read("p", { offset: 2000 }))).toBe("  2001\tx");
  });

  it("read cuts each line to 2000 characters, without an ellipsis, and says so", async () => {
    const { text, run } = open();
    await text(write("p", `${"é".repeat(1999)}😀tail\n${"y".repeat(2000)}\n`));
    const result = await run(read("p"));
    expect(result.ok && result.data).toEqual({ result: `     1\t${"é".repeat(1999)}😀\n     2\t${"y".repeat(2000)}` });
    expect(result.ok && result.warnings).toEqual([
      "Only 2000 characters are shown of line 1; go on in it with offset 0, limit 1 and start_column 2001.",
    ]);
  });

  it.each(["", "  \n\t\n"])("read of an empty or white file is a reminder (%j)", async (content) => {
    const { text } = open();
    await text(write("p", content));
    expect(await text(read("p"))).toBe("System reminder: File exists but has empty contents");
    expect(await text(read("p", { offset: 7 }))).toBe("System reminder: File exists but has empty contents");
  });

  it.each([
    ["read of a missing file", read("p"), "File 'p' not found. Please check the file path and ensure the file exists."],
    [
      "edit of a missing file",
      edit("p", "a", "b"),
      "File 'p' not found. Please check the file path and ensure the file exists.",
    ],
    [
      "offset behind the end",
      read("f", { offset: 9 }),
      "Line offset 9 exceeds file length (3 lines). Use an offset between 0 and 2.",
    ],
    [
      "offset at the end",
      read("f", { offset: 3 }),
      "Line offset 3 exceeds file length (3 lines). Use an offset between 0 and 2.",
    ],
    [
      "text that is not there",
      edit("f", "zz", "b"),
      "String 'zz' not found in file 'f'. Please check the exact text to replace.",
    ],
    ["expected_count", edit("f", "b", "B", { expected_count: 2 }), "ExpectedCountMismatch: expected 2, got 1"],
    [
      "expected_count with replace_all",
      edit("f", "b", "B", { expected_count: 1, replace_all: true }),
      "ExpectedCountMismatch: expected 1, got 2",
    ],
  ])("error: %s", async (_what, params, expected) => {
    const { text, refused } = open();
    await text(write("f", "a\nb\nb\n"));
    expect(firstLine(await refused(params))).toBe(expected);
    expect(await text(read("f"))).toBe("     1\ta\n     2\tb\n     3\tb");
  });

  it("errors are typed for programs", async () => {
    const { run } = open();
    expect(await run(read("p"))).toMatchObject({
      ok: false,
      error: { kind: "not_found", path: "p", details: { code: "FileNotFound" } },
    });
  });

  it("edit replaces the first occurrence only, without asking for uniqueness, and says how many are left", async () => {
    const { text, run } = open();
    await text(write("f", "b\r\nb\r\nb\r\n"));
    const result = await run(edit("f", "b", "one\ntwo"));
    expect(result.ok && result.data).toEqual({ result: "Updated file f" });
    expect(result.ok && result.warnings).toEqual([
      "old_string is in f 3 times; only the first was replaced. Set replace_all to replace every one.",
    ]);
    expect(await text(read("f"))).toBe("     1\tone\n     2\ttwo\n     3\tb\n     4\tb");
  });

  it("edit replaces all with replace_all", async () => {
    const { text } = open();
    await text(write("f", "b b b"));
    expect(await text(edit("f", "b", "c", { replace_all: true, expected_count: 3 }))).toBe("Updated file f");
    expect(await text(read("f"))).toBe("     1\tc c c");
  });

  it.each([0, -1, 2000, 2001, 5])("read with limit %d says how many lines are left", async (limit) => {
    const { run, text } = open();
    await text(write("a", "l\n".repeat(2500)));
    const shown = limit > 0 ? limit : 2000;
    const { warnings = [] } = (await run(read("a", { limit }))) as { warnings?: readonly string[] };
    expect(warnings).toEqual([`${2500 - shown} of 2500 lines left: go on with offset ${shown}.`]);
  });

  it("edit with dry_run speaks of what would happen", async () => {
    const { run, text } = open();
    await text(write("a", "x x"));
    const result = await run(edit("a", "x", "y", { dry_run: true }));
    expect(result.text).toContain("only the first would be replaced");
  });

  it("edit with dry_run changes nothing", async () => {
    const { text } = open();
    await text(write("f", "b b"));
    expect(await text(edit("f", "b", "c", { replace_all: true, dry_run: true }))).toBe(
      "(dry_run) Would update file f replacing 2 occurrence(s)",
    );
    expect(await text(read("f"))).toBe("     1\tb b");
  });

  it("delete is idempotent", async () => {
    const { text } = open();
    await text(write("p", "x"));
    expect(await text(remove("p"))).toBe("Deleted file p");
    expect(await text(remove("p"))).toBe("File p did not exist (delete operation was idempotent)");
  });

  it("there is no cap on size unless one is set", async () => {
    const { text } = open();
    await text(write("big", `${"x".repeat(999)}\n`.repeat(11_000)));
    expect(await text(read("big", { offset: 10_999, limit: 1 }))).toBe(` 11000\t${"x".repeat(999)}`);
  });

  it("a cap that is set holds for write and edit", async () => {
    const { text, refused } = open({ env: { STET_FS_MAX_BYTES: "1200" } });
    expect(await refused(write("p", "x".repeat(1500)))).toBe(
      "File content exceeds maximum size limit: 1,500 bytes > 1,200 bytes. Consider breaking the content into smaller files or increase INSPECT_AGENTS_FS_MAX_BYTES.\nNothing was changed.",
    );
    await text(write("p", "x".repeat(1199)));
    expect(await refused(edit("p", "x", "yyy"))).toContain("1,201 bytes > 1,200 bytes");
    expect(await text(edit("p", "x", "yy"))).toContain("Updated file p");
  });

  it("a path that leads up is refused in words that fit a store", async () => {
    expect(await open().refused(write("../up", "x"))).toBe(
      "Nothing was changed. '../up' leads outside the workspace. Use a path inside the workspace.",
    );
  });

  it("parallel edits of one file are all kept", async () => {
    const { text } = open();
    await text(write("f", Array.from({ length: 20 }, (_, n) => `<${n}>`).join("")));
    await Promise.all(Array.from({ length: 20 }, (_, n) => text(edit("f", `<${n}>`, `[${n}]`))));
    expect(await text(read("f"))).toBe(`     1\t${Array.from({ length: 20 }, (_, n) => `[${n}]`).join("")}`);
  });

  it("instances are separate key spaces; without one the store is shared by the sessions of a workspace", async () => {
    const { text, use, data, refused, workspace } = open();
    await text(write("p", "default"));
    await text({ ...write("p", "red"), instance: "red" });
    expect(await text(read("p"))).toContain("default");
    expect(await text({ ...read("p"), instance: "red" })).toContain("red");
    expect(await refused({ ...read("p"), instance: "blue" })).toContain("not found");
    expect(await data({ ...LS, instance: "blue" })).toEqual({ result: [] });
    expect((await use({ params: read("p") }, "files", workspace.session())).text).toContain("default");
  });

  it("what the policy of the workspace does not allow is not allowed in its stores", async () => {
    const policy = (given: object) => desk(make({}), {}, { policy: given });
    expect(await policy({ allowedActions: ["read"] }).run(LS)).toMatchObject({ error: { kind: "permission_denied" } });
    const readOnly = policy({ readOnly: true });
    expect(await readOnly.run(LS)).toMatchObject({ ok: true });
    expect(await readOnly.run(write("p", "x"))).toMatchObject({ error: { kind: "permission_denied" } });
  });

  it("other workspaces have other stores", async () => {
    await open().text(write("p", "x"));
    expect(await open().data(LS)).toEqual({ result: [] });
  });
});
