// A header that several lines read holds a hunk to their blocks, and one that no line reads is not passed over.
import { describe, expect, test } from "vitest";
import { patched, plans, refusal, unified, update } from "../support/patching.ts";

const RUNS =
  "class A:\n    def run(self):\n        x = 1\n\nclass B:\n    def run(self):\n        y = 2\n\ny = 2\nz = 3\n";

describe("a header that several lines read", () => {
  test("leads to the only block of them that has the lines", () => {
    const hunk = update("@@ def run(self):", "-        y = 2", "+        y = 3");
    expect(patched({ f: RUNS }, hunk)).toEqual({ f: RUNS.replace("        y = 2", "        y = 3") });
  });

  test("leads to no place outside of their blocks, though it is the only one with the lines", () => {
    const both = [refusal({ f: RUNS }, update("@@ def run(self):", "-z = 3", "+z = 4"))];
    both.push(refusal({ f: RUNS }, update("@@ def run(self):", "-z = 3", "+z = 4", "*** End of File")));
    for (const { kind, details } of both) {
      expect(kind).toBe("patch_apply_error");
      expect(details).toMatchObject({ reason: "header_mismatch", headerLine: 6, matchLine: 10 });
    }
  });

  test("is refused with the lines where the hunk fits below more than one", () => {
    const twins = RUNS.replace("x = 1", "y = 2");
    const { kind, message } = refusal({ f: twins }, update("@@ def run(self):", "-        y = 2", "+        y = 3"));
    expect([kind, message]).toEqual(["multiple_matches", expect.stringContaining("starting at lines 3, 7")]);
  });

  test("is told apart by the header of the block around it", () => {
    const twins = RUNS.replace("x = 1", "y = 2");
    const hunk = update("@@ class B:", "@@ def run(self):", "-        y = 2", "+        y = 3");
    expect(patched({ f: twins }, hunk)).toEqual({ f: twins.replace(/y = 2(?=\n\ny)/, "y = 3") });
  });

  test("may head several hunks of one block", () => {
    const file = RUNS.replace("        x = 1", "        x = 1\n        w = 0");
    const hunk = [
      "@@ def run(self):",
      "-        x = 1",
      "+        x = 5",
      "@@ def run(self):",
      "-        w = 0",
      "+        w = 6",
    ];
    expect(patched({ f: file }, update(...hunk))).toEqual({
      f: file.replace("x = 1", "x = 5").replace("w = 0", "w = 6"),
    });
  });
});

test("a heading behind line numbers that no line reads is told where several places are alike", () => {
  const file = "def a():\n  x\n\ndef b():\n  x\n";
  const [plan] = plans({ f: file }, unified("@@ -5 +5 @@ def gone():", "-  x", "+  z"));
  expect(plan).toMatchObject({
    newText: file.replace(/x\n$/, "z\n"),
    warnings: [expect.stringContaining('no line reads "def gone():"')],
  });
});
