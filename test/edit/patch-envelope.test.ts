// Parsing the *** Begin Patch envelope: what is tolerated, what is refused and with which words.

import { describe, expect, test } from "vitest";
import { envelope, patched, plans, refusal, update } from "../support/patching.ts";

describe("envelope", () => {
  test("add, update, delete and both spellings of move in one patch", () => {
    const files = { u: "a\nb\n", d: "x\n", m: "1\n", n: "2\n" };
    const patch = envelope(
      "*** Add File: dir/new",
      "+first",
      "+",
      "+*** third",
      "*** Update File: u",
      "@@",
      " a",
      "-b",
      "+B",
      "*** Delete File: d",
      "*** Move File: m -> moved/m",
      "*** Update File: n",
      "*** Move to: moved/n",
      "@@",
      "-2",
      "+two",
    );
    expect(plans(files, patch).map((plan) => plan.op)).toEqual(["add", "update", "delete", "move", "move"]);
    expect(patched(files, patch)).toEqual({
      "dir/new": "first\n\n*** third\n",
      u: "a\nB\n",
      "moved/m": "1\n",
      "moved/n": "two\n",
    });
  });

  test("an added file ends with a newline unless the marker says otherwise, and may be empty", () => {
    expect(patched({}, envelope("*** Add File: f", "+a"))).toEqual({ f: "a\n" });
    expect(patched({}, envelope("*** Add File: f", "+a", "\\ No newline at end of file"))).toEqual({ f: "a" });
    expect(patched({}, envelope("*** Add File: f"))).toEqual({ f: "" });
  });

  test("wrapped in a heredoc or a fence, padded, in CRLF, without the first @@", () => {
    const patch = update("@@", "-a", "+b");
    const expected = { f: "b\n" };
    expect(patched({ f: "a\n" }, `<<'EOF'\n${patch}EOF\n`)).toEqual(expected);
    expect(patched({ f: "a\n" }, `apply_patch <<"PATCH"\n${patch}PATCH`)).toEqual(expected);
    expect(patched({ f: "a\n" }, `cat <<EOF | apply_patch\n${patch}\nEOF\n\n`)).toEqual(expected);
    expect(patched({ f: "a\n" }, `\`\`\`patch\n${patch}\`\`\`\n`)).toEqual(expected);
    expect(patched({ f: "a\n" }, `\n\n  ${patch.replaceAll("\n", "\r\n")}\r\n`)).toEqual(expected);
    expect(patched({ f: "a\n" }, update("-a", "+b"))).toEqual(expected);
  });

  test("line numbers in the header of a hunk are not text to look for", () => {
    expect(patched({ f: "a\n" }, update("@@ -1,1 +1,1 @@", "-a", "+b"))).toEqual({ f: "b\n" });
    expect(patched({ f: "a\n" }, update("@@ -1 +1,2 @@", "+b"))).toEqual({ f: "a\nb\n" });
  });

  test("a new file, or a move, from a patch in CRLF or with padded headers", () => {
    const crlf = (patch: string) => patch.replaceAll("\n", "\r\n");
    expect(patched({}, crlf(envelope("*** Add File: f", "+a", "+b")))).toEqual({ f: "a\nb\n" });
    const moved = envelope("*** Update File:  f ", "  *** Move to:  g ", "@@", "-a", "+b");
    for (const patch of [moved, crlf(moved)]) expect(patched({ f: "a\n" }, patch)).toEqual({ g: "b\n" });
  });

  test("inside a hunk a leading space is context, not padding", () => {
    const files = { f: "*** Delete File: g\nold\n", g: "keep\n" };
    expect(patched(files, update("@@", " *** Delete File: g", "-old", "+new"))).toEqual({
      f: "*** Delete File: g\nnew\n",
      g: "keep\n",
    });
  });

  test("blank lines of the patch: context where the file has them, spacing where it has not", () => {
    const patch = envelope("*** Update File: f", "", "@@", " a", "", "-b", "+B", "", "", "*** Delete File: g", "");
    expect(patched({ f: "a\n\nb\n", g: "" }, patch)).toEqual({ f: "a\n\nB\n" });
    expect(patched({ f: "a\n\nb\n\n\nc\n", g: "" }, patch)).toEqual({ f: "a\n\nB\n\n\nc\n" });
  });

  const errors: readonly (readonly [string, string, number, RegExp])[] = [
    ["nothing at all", "", 1, /Begin Patch/],
    ["prose first", `Here it is:\n${update("@@", "-a", "+b")}`, 1, /Begin Patch/],
    ["no end", "*** Begin Patch\n*** Delete File: f\n", 3, /End Patch/],
    ["text after the end", `${envelope("*** Delete File: f")}done`, 4, /nothing behind "\*\*\* End Patch"/],
    ["no section", envelope(), 2, /at least one section/],
    ["an unknown section", envelope("*** Frobnicate File: f"), 2, /Add File/],
    ["no path", envelope("*** Add File: ", "+x"), 2, /a path/],
    ["an update without a hunk", envelope("*** Update File: f"), 3, /hunk/],
    ["an empty hunk", update("@@", "*** Delete File: g"), 4, /"-" or "\+"/],
    ["an empty hunk", update("@@"), 4, /starting with " ", "-" or "\+"/],
    ["a hunk of blank lines", update("@@", "", ""), 6, /starting with " ", "-" or "\+"/],
    ["a hunk line without a sign", update("@@", "-a", "b"), 5, /starting with " ", "-" or "\+"/],
    ["a line of a new file without +", envelope("*** Add File: f", "+a", "b"), 4, /starting with "\+"/],
    ["an empty line of a new file without +", envelope("*** Add File: f", "+a", "", "", "+b"), 5, /where it is empty/],
    ["a move with two arrows", envelope("*** Move File: a -> b -> c"), 2, /one " -> "/],
    ["a move to nowhere", envelope("*** Move File: a"), 2, /a path/],
    ["lines after the missing newline", update("@@", "+a", "\\ No newline at end of file", "+b"), 6, /no more lines/],
    ["a padded section in place of a hunk", envelope("*** Update File: f", " *** Delete File: g"), 3, /hunk/],
    [
      "the missing newline of no line",
      envelope("*** Add File: g", "\\ No newline at end of file", "+b"),
      3,
      /the marker after the last/,
    ],
    [
      "lines of a new file after the missing newline",
      envelope("*** Add File: g", "+a", "\\ No newline at end of file", "+b"),
      5,
      /no more lines/,
    ],
    ["an unclosed heredoc", `<<EOF\n${update("@@", "-a", "+b")}`, 8, /"EOF"/],
  ];
  test("a parse error shows the beginning of a long line", () => {
    const { message } = refusal({}, envelope("*** Add File: f", `b${"x".repeat(80)}`));
    expect(message).toContain(`"b${"x".repeat(79)}…"`);
  });
  for (const [name, patch, line, expected] of errors) {
    test(`parse error: ${name}`, () => {
      const failure = refusal({ f: "a\n" }, patch);
      expect(failure).toMatchObject({ kind: "patch_parse_error", recoverable: true });
      expect(failure.details).toEqual({ line, expected: expect.stringMatching(expected) });
      expect(failure.message).toContain(`Line ${line} `);
      expect(failure.suggestedAction).toBeTruthy();
    });
  }
});
