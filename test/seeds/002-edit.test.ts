// Seed 002, Edit: find and replace, the cascade, hidden parameters, metadata and the words of a failure.
import { describe, expect, it } from "vitest";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { numberedLines, opened } from "./002-calling.ts";

const CODE = `function area(width, height) {
    const product = width * height;
    return product;
}

function volume(width, height, depth) {
    const product = width * height * depth;
    return product;
}
`;

const SLIPPED = CODE.slice(CODE.indexOf("function volume"))
  .replace("height * depth", "heigth * depth")
  .replace("return", "retrun");
const SLIPS = { file_path: "a", old_string: SLIPPED, new_string: `${SLIPPED}// end\n` };

describe.each(BACKENDS)("seed 002: Edit on %s", (_name, make) => {
  it("replaces and returns path, size, lines, diff, insertions and deletions", async () => {
    const { ok, absolute, workspace } = opened(make, { a: "one\ntwo\nthree\n" });
    const { data, text, warnings } = await ok("Edit", { file_path: "a", old_string: "two\n", new_string: "2\n2b\n" });
    expect(data).toEqual({
      metadata: {
        path: absolute("a"),
        size: 15,
        lines: 4,
        diff: "--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n",
        insertions: 2,
        deletions: 1,
        operation: "replace",
      },
    });
    expect(text).toContain("(+2 -1).\n--- a/a");
    expect(warnings).toEqual([]);
    expect(await textAt(workspace.backend, "a")).toBe("one\n2\n2b\nthree\n");
  });

  it("refuses a file that is not there, and a binary one", async () => {
    const { refused } = opened(make, { b: Uint8Array.from([0, 1]) });
    const input = { old_string: "a", new_string: "b" };
    expect(await refused("Edit", { ...input, file_path: "a" })).toMatchObject({ kind: "not_found" });
    expect(await refused("Edit", { ...input, file_path: "b" })).toMatchObject({ kind: "binary_file" });
  });

  const LINE = "const product = width * height;";
  const BLOCK = `function area(width, height) {\n    ${LINE}\n`;
  const shifted = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");

  it.each([
    ["1 exact", LINE, LINE, undefined],
    ["2 trailing whitespace", BLOCK.replaceAll("\n", "  \n"), BLOCK, "trailing_whitespace"],
    ["3 CRLF", BLOCK.replaceAll("\n", "\r\n"), BLOCK.replaceAll("\n", "\r\n"), "line_endings"],
    ["4 whitespace collapse", LINE.replace("product =", "product   ="), LINE, "whitespace_collapse"],
    ["5 indentation", shifted(BLOCK), shifted(BLOCK), "indentation"],
  ])("strategy %s", async (_which, old_string, wanted, strategy) => {
    const { ok, workspace } = opened(make, { a: CODE });
    await ok("Read", { file_path: "a" });
    const new_string = wanted.replace("height;", "height * 2;");
    const { data, warnings } = await ok("Edit", { file_path: "a", old_string, new_string });
    expect(await textAt(workspace.backend, "a")).toBe(CODE.replace("width * height;", "width * height * 2;"));
    expect(data.metadata.strategy).toBe(strategy);
    const silent = strategy === undefined || strategy === "line_endings";
    expect(warnings).toEqual(silent ? [] : [expect.stringContaining(`by ${strategy}. Check the diff.`)]);
    if (strategy !== undefined) expect(data.metadata.matched_text).toContain(LINE);
  });

  it("strategy 6, fuzzy block: reported with strategy, similarity and matched_text", async () => {
    const { ok, workspace } = opened(make, { a: CODE });
    await ok("Read", { file_path: "a" });
    const { data, warnings } = await ok("Edit", SLIPS);
    expect(data.metadata).toMatchObject({ strategy: "fuzzy_block", similarity: expect.closeTo(0.98, 1) });
    expect(data.metadata.matched_text).toContain("const product = width * height * depth;");
    expect(warnings.at(-1)).toMatch(/at lines 6-9 by fuzzy_block \(9\d% similar\)\. Check the diff\.$/);
    expect(await textAt(workspace.backend, "a")).toBe(`${CODE}// end\n`);
  });

  it("fuzzy matching does not take one function for another", async () => {
    const users = "def get_user(session, name):\n    return session.query(User).filter_by(name=name).one()\n";
    const { ok, refused, workspace } = opened(make, { a: users });
    await ok("Read", { file_path: "a" });
    const old_string = users.replace("get_user", "del_user");
    await refused("Edit", { file_path: "a", old_string, new_string: "pass\n" });
    expect(await textAt(workspace.backend, "a")).toBe(users);
  });

  it("new_string is indented like the place that was found", async () => {
    const { ok, workspace } = opened(make, { a: "class A:\n    def b(self):\n        return 1\n" });
    const old_string = "def b(self):\n    return 1\n";
    const new_string = "def b(self):\n    if self.c:\n        return 2\n    return 1\n";
    await ok("Read", { file_path: "a" });
    await ok("Edit", { file_path: "a", old_string, new_string });
    expect(await textAt(workspace.backend, "a")).toBe(
      "class A:\n    def b(self):\n        if self.c:\n            return 2\n        return 1\n",
    );
  });

  it("an inexact match keeps what stands before and behind it on its lines", async () => {
    const { ok, workspace } = opened(make, { a: "x = call(foo(bar))  \nnext_line = 1\n" });
    await ok("Read", { file_path: "a" });
    await ok("Edit", { file_path: "a", old_string: "bar))\nnext_line", new_string: "baz))\nlast_line" });
    expect(await textAt(workspace.backend, "a")).toMatch(/^x = call\(foo\(baz\)\) *\nlast_line = 1\n$/);
  });

  it("line numbers pasted from Read are not part of the text", async () => {
    const { ok, workspace } = opened(make, { a: "first line\nsecond line\nthird line\n" });
    const { data } = await ok("Read", { file_path: "a", limit: 2 });
    const new_string = "1\tfirst line\n2\t2nd line";
    await ok("Edit", { file_path: "a", old_string: data.content, new_string });
    expect(await textAt(workspace.backend, "a")).toBe("first line\n2nd line\nthird line\n");
  });

  it("bytes outside the match never change", async () => {
    const { ok, bytes } = opened(make, { a: "\xef\xbb\xbfone\r\ntwo\nthree".replaceAll("\xef\xbb\xbf", "\ufeff") });
    await ok("Edit", { file_path: "a", old_string: "two", new_string: "2" });
    expect(await bytes("a")).toBe("\xef\xbb\xbfone\r\n2\nthree");
  });
});

describe.each(BACKENDS)("seed 002: hidden parameters of Edit on %s", (_name, make) => {
  it("replace_all replaces every occurrence, also of an inexact match", async () => {
    const { ok, workspace } = opened(make, { a: "x = 1\ny = 2\nx = 1\n", b: "call( one )\ncall( one )\n" });
    const { data } = await ok("Edit", { file_path: "a", old_string: "x = 1", new_string: "x = 3", replace_all: true });
    expect(data.metadata).toMatchObject({ occurrences: 2, insertions: 2, deletions: 2 });
    expect(await textAt(workspace.backend, "a")).toBe("x = 3\ny = 2\nx = 3\n");
    await ok("Read", { file_path: "b" });
    await ok("Edit", { file_path: "b", old_string: "call(  one  )", new_string: "call(  two  )", replace_all: true });
    expect(await textAt(workspace.backend, "b")).not.toContain("one");
  });

  it.each([
    [1, "new\n1\n2\n3\n"],
    [2, "1\nnew\n2\n3\n"],
    [4, "1\n2\n3\nnew\n"],
  ])("insert_at_line %d inserts before that line (1-based)", async (insert_at_line, after) => {
    const { ok, workspace } = opened(make, { a: "1\n2\n3\n" });
    const { data } = await ok("Edit", { file_path: "a", insert_at_line, new_string: "new" });
    expect(data.metadata).toMatchObject({ operation: "insert", insertions: 1, deletions: 0, lines: 4 });
    expect(await textAt(workspace.backend, "a")).toBe(after);
  });

  it("insert_at_line: a line that is not there is refused", async () => {
    const { refused } = opened(make, { a: "1\n2\n3\n" });
    expect(await refused("Edit", { file_path: "a", insert_at_line: 5, new_string: "new" })).toMatchObject({
      kind: "line_out_of_range",
      text: "Edit rejected, file unchanged. Line 5 out of range (file has 3 lines). Give a line from 1 to 4.",
    });
  });

  it("insert_at_line is gated like any Edit, and not mixed with old_string", async () => {
    const { refused } = opened(make, { a: numberedLines(100), b: "1\n" });
    expect((await refused("Edit", { file_path: "a", insert_at_line: 1, new_string: "x" })).kind).toBe("unread_file");
    const both = { file_path: "b", insert_at_line: 1, old_string: "1", new_string: "x" };
    expect((await refused("Edit", both)).kind).toBe("invalid_input");
  });

  it("fuzzy_threshold is the least similarity of strategy 6; 1 turns it off", async () => {
    const { ok, refused } = opened(make, { a: CODE });
    await ok("Read", { file_path: "a" });
    for (const fuzzy_threshold of [1, 0.995]) {
      expect((await refused("Edit", { ...SLIPS, fuzzy_threshold })).kind).toBe("old_text_not_found");
    }
    await ok("Edit", SLIPS);
  });

  it("max_suggestions limits the closest places", async () => {
    const { refused } = opened(make, { a: numberedLines(30) });
    for (const [given, most] of [
      [undefined, 3],
      [1, 1],
      [0, 0],
    ] as const) {
      const failure = await refused("Edit", {
        file_path: "a",
        old_string: "line 1x7",
        new_string: "y",
        max_suggestions: given,
      });
      expect(failure.details?.closest_matches).toHaveLength(most);
    }
  });

  it("encoding: as told", async () => {
    const { ok, bytes } = opened(make, { a: Buffer.from("gr\xfcn\n", "latin1") });
    const { warnings } = await ok("Edit", {
      file_path: "a",
      old_string: "grün",
      new_string: "blöd",
      encoding: "latin1",
    });
    expect([await bytes("a"), warnings]).toEqual(["bl\xf6d\n", []]);
  });

  it("encoding: as told where the bytes say another, with a word", async () => {
    const { ok, bytes } = opened(make, { a: "gr grün\n" });
    const edit = { file_path: "a", old_string: "gr ", new_string: "\u00fc ", encoding: "latin1" };
    expect((await ok("Edit", edit)).warnings).toEqual(["a reads as utf-8, but was edited as iso-8859-1, as asked."]);
    expect(await bytes("a")).toBe("\xfc gr\xc3\xbcn\n");
  });
});

describe.each(BACKENDS)("seed 002: failures of Edit on %s", (_name, make) => {
  it("not found: the closest lines with line numbers and similarity", async () => {
    const { ok, refused, workspace } = opened(make, { a: CODE });
    await ok("Read", { file_path: "a" });
    const old_string = "function area(w, h) {\n    const product = w + h;\n    return product;\n";
    const failure = await refused("Edit", { file_path: "a", old_string, new_string: "x" });
    expect(failure.kind).toBe("old_text_not_found");
    const lines = failure.text.split("\n");
    expect(lines[0]).toBe("Edit rejected, file unchanged. old_string not found in file. Closest lines in the file:");
    expect(lines[1]).toMatch(/^ {2}lines 1-3 \(~\d\d% match\): 'function area\(width, height\) \{\\n .*…'$/);
    expect(lines[1]!.length).toBeLessThan(80 + 40);
    expect(lines.at(-1)).toBe("Read the file again and copy the EXACT text to replace into old_string.");
    expect(failure.details).toMatchObject({
      suggestion: lines.at(-1),
      closest_matches: [
        { line_range: "1-3", similarity: expect.stringMatching(/^\d\d%$/), text: expect.stringMatching(/^function/) },
        ...(failure.details!.closest_matches as unknown[]).slice(1),
      ],
    });
    for (const { text } of failure.details!.closest_matches as { text: string }[])
      expect(text.length).toBeLessThanOrEqual(100);
    expect(await textAt(workspace.backend, "a")).toBe(CODE);
  });

  it("not found and nothing similar", async () => {
    const { refused } = opened(make, { a: "1\n" });
    const failure = await refused("Edit", { file_path: "a", old_string: "something else entirely", new_string: "x" });
    expect(failure.text).toMatch(
      /^Edit rejected, file unchanged\. old_string not found in file, and nothing in it is similar\.\n/,
    );
    expect(failure.details?.closest_matches).toEqual([]);
  });

  it("not unique: how often and where", async () => {
    const { refused } = opened(make, { a: CODE });
    const failure = await refused("Edit", { file_path: "a", old_string: "    return product;\n", new_string: "x" });
    expect(failure.kind).toBe("multiple_matches");
    expect(failure.text).toMatch(
      /^Edit rejected, file unchanged\. old_string is not unique \(appears 2 times at lines \[3, 8\]\)\. Fix: /,
    );
    expect(failure.details).toMatchObject({ occurrences_count: 2, line_numbers: [3, 8] });
  });

  it("an inexact match must be unique, too", async () => {
    const { ok, refused } = opened(make, { a: CODE });
    await ok("Read", { file_path: "a" });
    const failure = await refused("Edit", { file_path: "a", old_string: "return   product;", new_string: "return 0;" });
    expect(failure.details).toMatchObject({ occurrences_count: 2, strategy: "whitespace_collapse" });
  });

  it("old_string and new_string that are the same", async () => {
    const { refused } = opened(make, { a: "1\n" });
    expect((await refused("Edit", { file_path: "a", old_string: "1", new_string: "1" })).kind).toBe("no_change");
  });
});
