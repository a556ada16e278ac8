import { describe, expect, it } from "vitest";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { firstLine } from "./001-004-followable.ts";
import { caller } from "./001-support.ts";

describe.each(BACKENDS)("seed 001, messages and formats, on %s", (_name, make) => {
  const open = (files: Record<string, string | Uint8Array>) => caller(make(files));
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => `${from + n}\tline ${from + n}\n`).join("");
  const text2500 = Array.from({ length: 2500 }, (_, n) => `line ${n + 1}\n`).join("");

  it.each([
    ["lines as number, tab, text", "a\nb\n", {}, "1\ta\n2\tb\n"],
    ["a last line without a newline", "a\nb", {}, "1\ta\n2\tb\n"],
    ["an offset, 1-based", "a\nb\nc\n", { offset: 2 }, "2\tb\n3\tc\n"],
    ["an offset below 1 as 1", "a\nb\n", { offset: -3, limit: 1 }, "1\ta\n"],
    ["a limit", "a\nb\nc\n", { offset: 2, limit: 1 }, "2\tb\n"],
    ["numbers in quotes", "a\nb\nc\n", { offset: "2", limit: "1" }, "2\tb\n"],
    ["line endings left out", "a\r\nb\r\n", {}, "1\ta\n2\tb\n"],
    ["an empty file as empty text", "", {}, ""],
    ["an empty file at any offset", "", { offset: 5 }, ""],
    ["an empty line", "\n", {}, "1\t\n"],
  ])("Read shows %s", async (_what, content, input, expected) => {
    expect(await open({ f: content }).text("Read", { file_path: "f", ...input })).toBe(expected);
  });

  it("Read shows 2000 lines unless told otherwise, and says how to go on", async () => {
    const { text, use } = open({ f: text2500 });
    const first = await use("Read", { file_path: "f" });
    expect(first.text).toBe(`${numbered(1, 2000)}\nWarning: Lines 1-2000 of 2500 are shown; go on with offset 2001.`);
    expect(await text("Read", { file_path: "f", offset: 2001 })).toBe(numbered(2001, 2500));
    expect(first.ok && first.data).toMatchObject({ startLine: 1, endLine: 2000, totalLines: 2500 });
  });

  it("Read past the end of one line names the one offset that there is", async () => {
    const { text: refusal } = await open({ f: "a\n" }).use("Read", { file_path: "f", offset: 2 });
    expect(refusal).toBe("offset 2 exceeds line count 1\nNothing was read.\nUse offset 1.");
  });

  it("Read never shows a replacement character for a stray byte", async () => {
    expect(await open({ f: Buffer.from([0x61, 0xe9, 0x0a]) }).use("Read", { file_path: "f" })).toMatchObject({
      ok: true,
      data: { content: "1\ta\\xE9\n" },
    });
  });

  it.each([
    ["offset behind the end", "Read", { file_path: "f", offset: 9 }, "offset 9 exceeds line count 3"],
    ["directory", "Read", { file_path: "./d" }, "path is a directory: ./d"],
    ["directory", "Write", { file_path: "d", content: "" }, "path is a directory: d"],
    ["directory", "Edit", { file_path: "d", old_string: "a", new_string: "" }, "path is a directory: d"],
    ["the root", "Write", { file_path: ".", content: "" }, "path is a directory: ."],
    ["the root", "Edit", { file_path: "d/..", old_string: "a", new_string: "" }, "path is a directory: d/.."],
    ["the root", "Read", { file_path: "./" }, "path is a directory: ./"],
    ["missing file", "Read", { file_path: "no" }, "stat: no: no such file or directory"],
    [
      "missing file",
      "Edit",
      { file_path: "no", old_string: "a", new_string: "" },
      "stat: no: no such file or directory",
    ],
    ["outside", "Read", { file_path: "../x" }, "resolve path: path is outside workspace root"],
    ["outside", "Write", { file_path: "../x", content: "" }, "resolve path: path is outside workspace root"],
    [
      "outside",
      "Edit",
      { file_path: "../x", old_string: "a", new_string: "" },
      "resolve path: path is outside workspace root",
    ],
    ["outside", "Grep", { path: "../x", pattern: "a" }, "resolve path: path is outside workspace root"],
    ["empty path", "Read", { file_path: "" }, "resolve path: The path is empty"],
    ["file as directory", "Write", { file_path: "f/x", content: "" }, "resolve path: 'f' is not a directory"],
    ["empty old_string", "Edit", { file_path: "f", old_string: "", new_string: "x" }, "old_string must not be empty"],
  ])("%s: %s", async (_what, tool, input, expected) => {
    const lines = (await open({ f: "a\nb\nb\n", "d/x": "a" }).refused(tool, input)).split("\n");
    expect(lines[0]).toBe(expected);
    // What did not happen, and what to do next, on lines of their own.
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^(Nothing was|Edit rejected, file unchanged\.)/);
    expect(lines[2]).toMatch(/^[A-Z].*\.$/);
  });

  it("checks come in this order: arguments, path, existence, directory, tracker, count", async () => {
    const { refused, text } = open({ f: "a\nb\nb\n" });
    expect(firstLine(await refused("Edit", { file_path: "no", old_string: "", new_string: "" }))).toBe(
      "old_string must not be empty",
    );
    expect(await refused("Edit", { file_path: "f", old_string: "zzz", new_string: "" })).toBe(
      "refusing to edit f: Read it first",
    );
    await text("Read", { file_path: "f" });
    expect(firstLine(await refused("Edit", { file_path: "f", old_string: "zzz", new_string: "" }))).toBe(
      "old_string not found in f",
    );
  });

  it("Edit refuses several matches, and counts them", async () => {
    const { refused, text, workspace } = open({ "./f": "b\nb\nb\n" });
    await text("Read", { file_path: "f" });
    expect((await refused("Edit", { file_path: "./f", old_string: "b", new_string: "c" })).split("\n")).toEqual([
      "old_string matched 3 times in ./f; add context to make it unique or set replace_all=true",
      "Edit rejected, file unchanged. It is at lines 1, 2 and 3.",
      "Add lines before or after it that only the right place has, or set replace_all.",
    ]);
    expect(await textAt(workspace.backend, "f")).toBe("b\nb\nb\n");
  });

  it("a failed match shows the nearest text", async () => {
    const { use, text } = open({ f: "const total = 12;\n" });
    await text("Read", { file_path: "f" });
    const result = await use("Edit", { file_path: "f", old_string: "const total = 21;", new_string: "" });
    expect(result).toMatchObject({
      ok: false,
      error: { kind: "old_text_not_found", details: { candidates: [expect.anything()] } },
    });
    expect(result.text.split("\n")).toEqual([
      "old_string not found in f",
      "Edit rejected, file unchanged. The old text is not in the file. Nearest: line 1, 88 % alike (line 1: the file has `const total = 12;`, the old text `const total = 21;`).",
      "If line 1 is meant, copy the text from here exactly; else read the file again.",
    ]);
  });

  it("Edit replaces one, or all with replace_all, and counts", async () => {
    const { text, workspace } = open({ f: "a\nb\nb\n" });
    await text("Read", { file_path: "f" });
    expect(await text("Edit", { file_path: "f", old_string: "a\n", new_string: "" })).toBe(
      "replaced 1 occurrence(s) in f",
    );
    expect(await text("Edit", { file_path: "f", old_string: "b", new_string: "c", replace_all: true })).toBe(
      "replaced 2 occurrence(s) in f",
    );
    expect(await textAt(workspace.backend, "f")).toBe("c\nc\n");
  });

  it("Edit takes the text literally", async () => {
    const { text, workspace } = open({ f: "a.c $& abc\n" });
    await text("Read", { file_path: "f" });
    await text("Edit", { file_path: "f", old_string: "a.c", new_string: "$&$1" });
    expect(await textAt(workspace.backend, "f")).toBe("$&$1 $& abc\n");
  });

  it("Write takes empty content, and counts bytes", async () => {
    const { text } = open({});
    expect(await text("Write", { file_path: "e", content: "" })).toBe("wrote 0 bytes to e");
    expect(await text("Write", { file_path: "e", content: "€" })).toBe("wrote 3 bytes to e");
  });

  it("names that could break the line are printed escaped", async () => {
    const { refused } = open({});
    expect(firstLine(await refused("Read", { file_path: "a\u202eb" }))).toBe(
      "stat: a\\u{202e}b: no such file or directory",
    );
  });

  it.each([
    ["old_string not found", { old_string: "zzz" }, "Read the file again; check that it is the right one."],
    ["several", { old_string: "b" }, "Add lines before or after it that only the right place has, or set replace_all."],
    ["no file", { file_path: "no" }, "Check the path; Glob finds files by name."],
    ["a directory", { file_path: "d" }, "Name a file; Glob lists those of a directory."],
  ])("%s: the next action is one of these tools", async (_what, input, next) => {
    const { use, text } = open({ f: "a\nb\nb\n", "d/x": "" });
    await text("Read", { file_path: "f" });
    const edit = { file_path: "f", old_string: "a", new_string: "c", ...input };
    expect(await use("Edit", edit)).toMatchObject({ ok: false, error: { suggestedAction: next } });
  });

  it("missing arguments are named", async () => {
    const { refused } = open({});
    expect(await refused("Write", { file_path: "a" })).toContain("The required parameter `content` is missing");
  });
});
