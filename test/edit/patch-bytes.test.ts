// Which bytes a patch changes: line ends, final newlines, lines that only look the same.

import { describe, expect, test } from "vitest";
import { envelope, patched, plans, refusal, unified, update } from "../support/patching.ts";

const NO_NEWLINE = "\\ No newline at end of file";

describe("bytes", () => {
  test("added lines take the line ends around them", () => {
    expect(patched({ f: "a\r\nb\r\n" }, update("@@", " a", "+new", " b"))).toEqual({ f: "a\r\nnew\r\nb\r\n" });
    expect(patched({ f: "a\rb\nc\n" }, update("@@", "-a\rb", "+A\rB", "+new"))).toEqual({ f: "A\rB\nnew\nc\n" });
    expect(refusal({ f: "a\rb\n" }, update("@@", "-a", "-b", "+x")).kind).toBe("patch_apply_error");
    expect(patched({ f: "a\r\nb\r\nc\nd\n" }, update("@@", " c", "+new", " d"))).toEqual({
      f: "a\r\nb\r\nc\nnew\nd\n",
    });
    expect(patched({ f: "a\r\nb\r\n" }, update("@@ a", "+new"))).toEqual({ f: "a\r\nnew\r\nb\r\n" });
  });

  test("a patch in CRLF on a file in LF adds LF, and the other way round", () => {
    expect(patched({ f: "a\nb\n" }, update("@@", " a", "+new").replaceAll("\n", "\r\n"))).toEqual({ f: "a\nnew\nb\n" });
    const diff = unified("@@ -1,2 +1,3 @@", " a", "+new", " b");
    expect(patched({ f: "a\nb\n" }, diff.replaceAll("\n", "\r\n"))).toEqual({ f: "a\nnew\nb\n" });
    expect(patched({ f: "a\r\nb\r\n" }, diff)).toEqual({ f: "a\r\nnew\r\nb\r\n" });
  });

  test("of lines added where the final newline goes, only the last is taken to the letter", () => {
    const diff = unified("@@ -1,2 +1,3 @@", " a", "-b", "+new", "+b", NO_NEWLINE);
    expect(patched({ f: "a\r\nb\r\n" }, diff)).toEqual({ f: "a\r\nnew\r\nb" });
  });

  test("a diff that changes line ends changes them", () => {
    const diff = unified("@@ -1,2 +1,2 @@", " a\r", "-b\r", "+b");
    expect(patched({ f: "a\r\nb\r\n" }, diff)).toEqual({ f: "a\r\nb\n" });
  });

  test("a last line without a newline does not bring LF into a file in CRLF", () => {
    const file = "a\r\nb\r\nc";
    const longer = unified("@@ -3,1 +3,2 @@", "-c", NO_NEWLINE, "+C", "+d", NO_NEWLINE);
    expect(patched({ f: file }, longer)).toEqual({ f: "a\r\nb\r\nC\r\nd" });
    const shorter = unified("@@ -1,3 +1,3 @@", " a", "+new", " b", "-c", NO_NEWLINE);
    expect(patched({ f: file }, shorter)).toEqual({ f: "a\r\nnew\r\nb\r\n" });
    const ended = unified("@@ -2,2 +2,2 @@", " b", "-c", NO_NEWLINE, "+c");
    expect(patched({ f: file }, ended)).toEqual({ f: "a\r\nb\r\nc\r\n" });
  });

  test("context and lines removed and added again keep their bytes", () => {
    const file = "a\r\nb\nc\r\nd\r\n";
    const [plan] = plans({ f: file }, update("@@", "-a", "-b", "-c", "+a", "+b", "+C", " d"));
    expect(plan).toMatchObject({ newText: "a\r\nb\nC\r\nd\r\n", splices: [{ start: 5, end: 8, text: "C\r\n" }] });
  });

  test("a missing final newline stays missing, and is not made by adding lines", () => {
    expect(patched({ f: "a\nb" }, update("@@", "-b", "+B"))).toEqual({ f: "a\nB" });
    expect(patched({ f: "a\nb" }, update("@@", "-a", "+A"))).toEqual({ f: "A\nb" });
    expect(patched({ f: "a\nb" }, update("@@", " b", "+c"))).toEqual({ f: "a\nb\nc" });
    expect(patched({ f: "a\r\nb" }, update("@@", "-b", "+b", "+c"))).toEqual({ f: "a\r\nb\r\nc" });
    expect(patched({ f: "a" }, update("@@", "+b", "*** End of File"))).toEqual({ f: "a\nb" });
    expect(patched({ f: "a\nb" }, unified("@@ -1,2 +1,2 @@", " a", "-b", "+B"))).toEqual({ f: "a\nB" });
  });

  test("a removed last line takes only its own bytes with it", () => {
    expect(patched({ f: "a\nb" }, update("@@", " a", "-b"))).toEqual({ f: "a\n" });
    expect(patched({ f: "a\nb" }, update("@@", "-b", "@@", "+c"))).toEqual({ f: "a\nc" });
  });

  test("the marker adds and removes the final newline", () => {
    expect(patched({ f: "a\nb\n" }, update("@@", "-b", "+b", NO_NEWLINE))).toEqual({ f: "a\nb" });
    expect(patched({ f: "a\nb" }, update("@@", "-b", NO_NEWLINE, "+b"))).toEqual({ f: "a\nb\n" });
    expect(patched({ f: "a\nb" }, update("@@", "-b", NO_NEWLINE, "+B", NO_NEWLINE))).toEqual({ f: "a\nB" });
    const both = unified("@@ -1,2 +1 @@", "-a", "-b", NO_NEWLINE, "+a", NO_NEWLINE);
    expect(patched({ f: "a\nb" }, both)).toEqual({ f: "a" });
  });

  test("replacement text is literal", () => {
    expect(patched({ f: "a\n" }, update("@@", "-a", "+$& $1 \\n ======="))).toEqual({ f: "$& $1 \\n =======\n" });
  });

  test("NUL, lone surrogates and a line of a million characters pass through", () => {
    const odd = `\0\n\ud800\n${"x".repeat(1_000_000)}\n`;
    const hunk = update("@@", " \ud800", ` ${"x".repeat(1_000_000)}`, "-a", "+\udc00");
    expect(patched({ f: `${odd}a\n` }, hunk).f === `${odd}\udc00\n`).toBe(true);
    const manyCr = "\r".repeat(300_000);
    expect(patched({ f: manyCr }, update("@@", "+end", "*** End of File")).f === `${manyCr}\nend`).toBe(true);
    expect(patched({}, envelope("*** Add File: f", `+${manyCr}x`)).f === `${manyCr}x\n`).toBe(true);
    expect(patched({ f: "a\n" }, update("@@", "-a", `+${manyCr}x`)).f === `${manyCr}x\n`).toBe(true);
  });

  test("a byte order mark stays, and the first line is found without it", () => {
    const marked = "\uFEFFa\nb\n";
    expect(plans({ f: marked }, update("@@", "-a", "+A"))).toMatchObject([
      { newText: "\uFEFFA\nb\n", splices: [{ start: 1, end: 3, text: "A\n" }] },
    ]);
    expect(patched({ f: marked }, update("@@", "+new", " a"))).toEqual({ f: "\uFEFFnew\na\nb\n" });
    expect(patched({ f: marked }, unified("@@ -1,2 +1 @@", "-a", "-b", "+c"))).toEqual({ f: "\uFEFFc\n" });
    expect(patched({ f: "\uFEFF" }, update("@@", "+a"))).toEqual({ f: "\uFEFFa\n" });
    expect(patched({ f: marked }, update("@@", "-a", "+\uFEFFA"))).toEqual({ f: "\uFEFFA\nb\n" });
    expect(patched({ f: marked }, "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n")).toEqual({});
    expect(refusal({ f: "\uFEFFa\na\n" }, update("@@", "-a", "+b")).details).toMatchObject({
      matchRanges: [{ startOffset: 1, endOffset: 3 }, { startOffset: 3 }],
    });
  });

  test("a diff that spells the mark out is taken at its word", () => {
    const marked = "\uFEFFa\nb\n";
    expect(patched({ f: marked }, unified("@@ -1,2 +1,2 @@", " \uFEFFa", "-b", "+B"))).toEqual({ f: "\uFEFFa\nB\n" });
    expect(patched({ f: marked }, unified("@@ -1 +1 @@", "-\uFEFFa", "+a"))).toEqual({ f: "a\nb\n" });
    expect(patched({ f: "a\nb\n" }, unified("@@ -1 +1 @@", "-a", "+\uFEFFa"))).toEqual({ f: marked });
    expect(patched({ f: marked }, "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-\uFEFFa\n-b\n")).toEqual({});
  });

  test("a stray byte is named as reads show it, in the lines that stay as well", () => {
    const stray = "na\udcefve";
    for (const eol of ["\n", "\r\n"]) {
      const file = ["one", stray, "b na\\xEFve", "last", ""].join(eol);
      const changed = update("@@", " one", "-na\\xEFve", "+na\\xEFve 2", "+\\xE9", " b na\\xEFve", "");
      const withByte = (text: string) => file.replace(stray, text.replaceAll("\n", eol));
      // Both ways to write it in one hunk: the file has no such lines.
      expect(refusal({ f: file }, changed).kind).toBe("patch_apply_error");
      const shorter = update("@@", " one", "-na\\xEFve", "+na\\xEFve 2", "+\\xE9", "");
      expect(patched({ f: file }, shorter)).toEqual({ f: withByte(`${stray} 2\n\\xE9`) });
      expect(patched({ f: file }, update("@@", " na\\xEFve", "+new"))).toEqual({ f: withByte(`${stray}\nnew`) });
      const literal = file.replace("b na\\xEFve", "b");
      expect(patched({ f: file }, update("@@", "-b na\\xEFve", "+b"))).toEqual({ f: literal });
      expect(patched({ f: `${stray}${eol}` }, `--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-na\\xEFve\n`)).toEqual({});
    }
  });
});
