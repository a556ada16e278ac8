// Refusals and results of compact that speak of amounts and places: true of what they name, and of one as of many.
import { describe, expect, it } from "vitest";
import { call, compact } from "../../src/surfaces/index.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const FILE = ["first();", "const total = a + b;", "middle();", "const other = c - d;", "last();", ""].join("\n");

async function said(name: string, input: object, content = FILE): Promise<string> {
  const session = memoryWorkspace({ "a.ts": content }).session();
  await call(session, compact, "Read", { file_path: "a.ts" });
  return (await call(session, compact, name, { file_path: "a.ts", ...input })).text;
}

describe("an Edit that finds nothing", () => {
  const edit = { old_string: "const total = x + y;", new_string: "const sum = x;" };

  it("says that nothing is similar only where it has looked", async () => {
    expect(await said("Edit", edit)).toContain("Closest lines in the file:\n  line 2 (~");
    const unlooked = await said("Edit", { ...edit, max_suggestions: 0 });
    expect(unlooked).toMatch(/old_string not found in file\.\nRead the file again and copy the EXACT text/);
    const unlike = await said("Edit", { ...edit, old_string: "@@@@@@@@" });
    expect(unlike).toContain("nothing in it is similar");
  });

  it("tells where the new text stands already", async () => {
    const text = await said("Edit", {
      old_string: "something that was never here",
      new_string: "const other = c - d;",
    });
    expect(text).toContain("Text equal to new_string is at line 4.\nIf line 4 is this change, nothing is left to do.");
    const quiet = await said("Edit", {
      old_string: "never here",
      new_string: "const other = c - d;",
      max_suggestions: 0,
    });
    expect(quiet).toContain("not found in file.\nText equal to new_string is at line 4.");
  });
});

describe("an Edit that finds several places", () => {
  it("names a line once, and a way that works", async () => {
    const text = await said("Edit", { old_string: "ab", new_string: "c" }, "ab ab\n");
    expect(text).toContain("(appears 2 times at line [1])");
    expect(text).toContain("Fix: add text before or after it that only the right place has, or set replace_all");
    expect(await said("Edit", { old_string: "ab", new_string: "c", replace_all: true }, "ab ab\n")).toContain("+c c");
    expect(await said("Edit", { old_string: "x", new_string: "y" }, "x\nx\n")).toContain("2 times at lines [1, 2]");
  });
});

describe("amounts", () => {
  it.each([
    ["Read", { offset: 5 }, "one\n", "a.ts has 1 line."],
    ["Read", { limit: 1 }, "one\ntwo\n", "(line 1 of 2; continue with offset 1)"],
    [
      "Read",
      { limit: 1, pattern: "o" },
      "one\ntwo\n",
      "(the first 1 of at least 2 matching lines; continue with offset 1)",
    ],
    ["Write", { content: "x" }, "", "(1 line, 1 byte)"],
    ["Write", { content: "x\ny\n" }, "", "(2 lines, 4 bytes)"],
    ["Edit", { old_string: "", new_string: "x", insert_at_line: 9 }, "one\n", "Line 9 out of range (file has 1 line)."],
    ["Edit", { old_string: "", new_string: "x", insert_at_line: 9 }, "", "(file has 0 lines). The file is empty: give"],
    [
      "Edit",
      { old_string: "one   two", new_string: "x" },
      "one two\n",
      "it was found at line 1 by whitespace_collapse",
    ],
  ])("%s %j of %j", async (name, input, content, words) => {
    expect(await said(name, input, content)).toContain(words);
  });
});
