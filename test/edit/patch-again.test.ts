// A patch that is sent a second time, and additions that only look like it.

import { describe, expect, test } from "vitest";
import { patched, refusal, unified, update } from "../support/patching.ts";

const BARE = "\\ No newline at end of file";

describe("a hunk that only adds lines, sent twice", () => {
  test.each([
    ["at the end, after context", unified("@@ -1,2 +1,3 @@", " a", " b", "+c"), "a\nb\nc\n"],
    ["at the end, without numbers", update("@@", " b", "+c"), "a\nb\nc\n"],
    ["at the end, without context", update("@@", "+c", "+d"), "a\nb\nc\nd\n"],
    ["at the end, by its marker", update("@@", "+c", "*** End of File"), "a\nb\nc\n"],
    ["at the start, before context", unified("@@ -1,2 +1,3 @@", "+z", " a", " b"), "z\na\nb\n"],
    ["at the start, without numbers", update("@@", "+y", "+z", " a"), "y\nz\na\nb\n"],
    ["at both ends", unified("@@ -1,2 +1,4 @@", "+z", " a", " b", "+c"), "z\na\nb\nc\n"],
    ["below the line that its header names", update("@@ a", "+x"), "a\nx\nb\n"],
    ["after a line that it removes and adds again", update("@@", "-b", "+b", "+c"), "a\nb\nc\n"],
    ["before a line that it removes and adds again", update("@@", "-a", "+z", "+a"), "z\na\nb\n"],
    ["between lines", update("@@", " a", "+x", " b"), "a\nx\nb\n"],
  ])("%s: lands once", (_where, patch, after) => {
    expect(patched({ f: "a\nb\n" }, patch)).toEqual({ f: after });
    expect(refusal({ f: after }, patch)).toMatchObject({ kind: "patch_apply_error", path: "f" });
  });

  test.each([
    ["that replaces", unified("@@ -1,2 +1,2 @@", " x", "-y", "+Y"), "x\nY\n1\n2\n3\nx\ny\n"],
    ["that deletes", unified("@@ -1,2 +1,1 @@", " x", "-y"), "x\n1\n2\n3\nx\ny\n"],
    ["that inserts", unified("@@ -1,2 +1,3 @@", " x", "+new", " y"), "x\nnew\ny\n1\n2\n3\nx\ny\n"],
  ])("a numbered hunk %s leaves the other place that has its old lines alone", (_what, patch, after) => {
    expect(patched({ f: "x\ny\n1\n2\n3\nx\ny\n" }, patch)).toEqual({ f: after });
    expect(refusal({ f: after }, patch)).toMatchObject({ details: { reason: "already_applied" } });
  });

  test("is told where its lines are, and what to do", () => {
    expect(refusal({ f: "a\nb\nc\n" }, update("@@", " b", "+c"))).toMatchObject({
      message: expect.stringContaining("the file already has its new lines at line 2."),
      suggestedAction: expect.stringMatching(/^Nothing is left to do for it:/),
      details: { reason: "already_applied", alreadyAppliedAtLine: 2 },
    });
  });

  test("can add the same lines once more: those that are there are its context", () => {
    expect(patched({ f: "a\nb\nc\n" }, update("@@", " b", " c", "+c"))).toEqual({ f: "a\nb\nc\nc\n" });
    expect(patched({ f: "z\na\n" }, update("@@", "+z", " z", " a"))).toEqual({ f: "z\nz\na\n" });
    expect(patched({ f: "a\nb\n" }, update("@@", " a", "+b", " b"))).toEqual({ f: "a\nb\nb\n" });
  });

  test.each([
    [
      "a line like the last ones",
      "x\nx\nx\nx\n",
      unified("@@ -2,3 +2,4 @@", " x", " x", " x", "+x"),
      "x\nx\nx\nx\nx\n",
    ],
    ["a line like one further up", "b\na\n", update("@@", " a", "+b"), "b\na\nb\n"],
    ["only the first of the lines is there", "a\nb\n", update("@@", " a", "+b", "+c"), "a\nb\nc\nb\n"],
    ["a last line without a newline", "a\nb", unified("@@ -2 +2,2 @@", "-b", BARE, "+b", "+b", BARE), "a\nb\nb"],
    [
      "a line from further up becomes the open last one",
      "a\nb\nd",
      update("@@", " a", "-b", "-d", BARE, "+b", BARE),
      "a\nb",
    ],
    [
      "so it does with CRLF",
      "a\r\nc\r\nb\r\nd",
      unified("@@ -1,4 +1,2 @@", " a", "-c", "-b", "-d", BARE, "+b", BARE),
      "a\r\nb",
    ],
    ["to an empty file", "", update("@@", "+a"), "a\n"],
  ])("lands: %s", (_what, before, patch, after) => {
    expect(patched({ f: before }, patch)).toEqual({ f: after });
  });
});

test("a line that replaces another has its line ending, also among others", () => {
  expect(patched({ f: "a\nb\r\nc\nd\n" }, update("@@", " a", "-b", "+B", " c"))).toEqual({ f: "a\nB\r\nc\nd\n" });
  expect(patched({ f: "a\r\nb\nc\r\n" }, update("@@", " a", "-b", "+B", "+more", " c"))).toEqual({
    f: "a\r\nB\nmore\r\nc\r\n",
  });
});

describe("numbered hunks that are not in the order of the file", () => {
  test.each([
    ["one that goes back", unified("@@ -3 +3 @@", "-c", "+C", "@@ -1 +1 @@", "-a", "+A")],
    ["one that goes back to a line that is there twice", unified("@@ -3,0 +4 @@", "+d", "@@ -1 +1 @@", "-a", "+A")],
    ["the same one twice", unified("@@ -2 +2 @@", "-b", "+B", "@@ -2 +2 @@", "-b", "+B")],
    ["one that overlaps", unified("@@ -1,2 +1,2 @@", "-a", "+A", " b", "@@ -2,2 +2,2 @@", "-b", "+B", " c")],
    ["in an envelope", update("@@ -3 +3 @@", "-c", "+C", "@@ -1 +1 @@", "-a", "+A")],
  ])("%s: refused", (_what, patch) => {
    for (const f of ["a\nb\nc\n", "a\na\nb\n", "a\nb\nc\na\nb\nc\n"]) {
      expect(["patch_apply_error", "multiple_matches"]).toContain(refusal({ f }, patch).kind);
    }
  });
});

test("a hunk without context that only deletes, sent again, takes no equal line elsewhere", () => {
  const patch = unified("@@ -3 +2,0 @@", "-x");
  expect(patched({ f: "x\na\nx\nb\n" }, patch)).toEqual({ f: "x\na\nb\n" });
  const again = refusal({ f: "x\na\nb\n" }, patch);
  expect(again).toMatchObject({ kind: "patch_apply_error", details: { reason: "already_applied" } });
});
