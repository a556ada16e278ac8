// Where a hunk lands: whole lines, one place only, in order, with the help of headers and line numbers.

import { describe, expect, test } from "vitest";
import { envelope, patched, plans, refusal, unified, update } from "../support/patching.ts";

describe("placing hunks", () => {
  test("whole lines are compared: foo is not foobar", () => {
    expect(patched({ f: "foobar\nfoo\n" }, update("@@", "-foo", "+new"))).toEqual({ f: "foobar\nnew\n" });
    expect(refusal({ f: "foobar\n" }, update("@@", "-foo", "+new"))).toMatchObject({
      kind: "patch_apply_error",
      details: { reason: "context_not_found" },
    });
  });

  test("no blank, no case, no quote is forgiven", () => {
    for (const line of ["foo ", " foo", "Foo", "foo\t"]) {
      expect(refusal({ f: `${line}\n` }, update("@@", "-foo", "+new")).kind).toBe("patch_apply_error");
    }
  });

  test("two places are refused, with their ranges", () => {
    expect(refusal({ f: "a\nx\na\n" }, update("@@", "-a", "+b"))).toMatchObject({
      kind: "multiple_matches",
      path: "f",
      details: {
        hunkIndex: 0,
        matchCount: 2,
        matchRanges: [
          { startLine: 1, endLine: 1, startOffset: 0, endOffset: 2 },
          { startLine: 3, endLine: 3, startOffset: 4, endOffset: 6 },
        ],
      },
    });
    expect(refusal({ f: "a\na\na\n" }, update("@@", " a", "-a", "+b")).kind).toBe("multiple_matches");
  });

  test("hunks go in the order of the file, each after the one before", () => {
    const file = "start\nx\nmiddle\nx\nend\n";
    expect(patched({ f: file }, update("@@", " middle", "-x", "+y"))).toEqual({ f: "start\nx\nmiddle\ny\nend\n" });
    expect(patched({ f: file }, update("@@", "-middle", "+MIDDLE", "@@", "-x", "+y"))).toEqual({
      f: "start\nx\nMIDDLE\ny\nend\n",
    });
    expect(refusal({ f: file }, update("@@", "-middle", "+m", "@@", "-start", "+s"))).toMatchObject({
      kind: "patch_apply_error",
      message: expect.stringContaining("stand at line 1, above"),
      details: { hunkIndex: 1, reason: "context_not_found", foundAtLine: 1 },
    });
  });

  const CLASSES =
    "class A:\n    def f():\n        x = 1\n    def g():\n        x = 1\n\nclass B:\n    def f():\n        x = 1\n";

  test("headers choose among equal places", () => {
    const change = ["-        x = 1", "+        x = 2"];
    const at = (n: number) => {
      const lines = CLASSES.split("\n");
      return { f: lines.with(n - 1, "        x = 2").join("\n") };
    };
    expect(patched({ f: CLASSES }, update("@@ class B:", ...change))).toEqual(at(9));
    expect(patched({ f: CLASSES }, update("@@ class B", ...change))).toEqual(at(9));
    expect(patched({ f: CLASSES }, update("@@ class A:", "@@ def f():", ...change))).toEqual(at(3));
    expect(patched({ f: CLASSES }, update("@@     def g():", ...change))).toEqual(at(5));
    expect(refusal({ f: CLASSES }, update("@@ def f():", ...change)).kind).toBe("multiple_matches");
    expect(refusal({ f: CLASSES }, update("@@ class A:", ...change)).kind).toBe("multiple_matches");
    expect(refusal({ f: CLASSES }, update("@@ class C:", ...change)).kind).toBe("patch_apply_error");
  });

  test("a brace on its own line belongs to the head of its block", () => {
    const file = "int f()\n{\n  x;\n}\nint g()\n{\n  x;\n}\nint h()\n{\n  x;\n}\n";
    expect(patched({ f: file }, update("@@ int g()", "-  x;", "+  y;"))).toEqual({
      f: "int f()\n{\n  x;\n}\nint g()\n{\n  y;\n}\nint h()\n{\n  x;\n}\n",
    });
  });

  test("places by the dozen are refused, and a header still finds its own among them", () => {
    const many = "  x\n".repeat(50);
    const change = ["-  x", "+  y"];
    const failure = refusal({ f: many }, update("@@", ...change));
    expect(failure.message).toContain("and maybe more");
    expect(failure.details).toMatchObject({ matchCount: 20, more: true });
    expect(patched({ f: `${many}head\n  x\n` }, update("@@ head", ...change))).toEqual({ f: `${many}head\n  y\n` });
    expect(patched({ f: `${many}head\n  x\ntail\n${many}` }, update("@@ head", ...change))).toEqual({
      f: `${many}head\n  y\ntail\n${many}`,
    });
    const twice = `${"  x\n".repeat(19)}head\n  x\n  x\n`;
    expect(refusal({ f: twice }, update("@@ head", ...change)).kind).toBe("multiple_matches");
  });

  test("a header that occurs again counts from the hunk before", () => {
    const file = "head:\n  a\nmid\nhead:\n  b\n  c\nlast:\n  b\n";
    expect(patched({ f: file }, update("@@", "-mid", "+MID", "@@ head:", "-  b", "+  B"))).toEqual({
      f: "head:\n  a\nMID\nhead:\n  B\n  c\nlast:\n  b\n",
    });
    expect(patched({ f: file }, update("@@ last:", "-  b", "+  B"))).toEqual({ f: file.replace(/b\n$/, "B\n") });
  });

  test("a header below the only place contradicts it", () => {
    expect(
      refusal({ f: "def a():\n    x\ndef b():\n    y\n" }, update("@@ def b():", "-    x", "+    z")),
    ).toMatchObject({
      kind: "patch_apply_error",
      details: { reason: "header_mismatch", headerLine: 3, matchLine: 2 },
    });
  });

  test("a header that no line reads is refused: its lines may be those of another block", () => {
    const change = ["-    x", "+    z"];
    const file = { f: "class A:\n    x\n" };
    for (const hunk of [
      ["@@ class B:", ...change],
      ["@@ class B:", ...change, "*** End of File"],
    ]) {
      const failure = refusal(file, update(...hunk));
      expect(failure).toMatchObject({ kind: "patch_apply_error", details: { reason: "header_mismatch" } });
      expect(failure.message).toContain('names "class B:", and no line there reads so.');
    }
    expect(refusal({ f: "class A:\n    z\n" }, update("@@ class B:", ...change)).details).toMatchObject({
      reason: "already_applied",
    });
  });

  test("added lines alone need a header, the end of the file, or go to the end with a warning", () => {
    const files = { f: "one\ntwo\nthree\n" };
    expect(patched(files, update("@@ two", "+new"))).toEqual({ f: "one\ntwo\nnew\nthree\n" });
    expect(patched(files, update("@@", "+new", "*** End of File"))).toEqual({ f: "one\ntwo\nthree\nnew\n" });
    expect(plans(files, update("@@", "+new", "", ""))).toMatchObject([
      { newText: "one\ntwo\nthree\nnew\n", warnings: [expect.stringContaining("end of the file")] },
    ]);
    expect(refusal(files, update("@@ gone", "+new")).details).toMatchObject({ reason: "insert_without_context" });
    expect(refusal({ f: "two\n\ntwo\n" }, update("@@ two", "+new")).kind).toBe("multiple_matches");
  });

  test("End of File holds a hunk to the end", () => {
    expect(patched({ f: "a\nb\na\n" }, update("@@", "-a", "+c", "*** End of File"))).toEqual({ f: "a\nb\nc\n" });
    expect(refusal({ f: "a\nb\n" }, update("@@", "-a", "+c", "*** End of File"))).toMatchObject({
      message: expect.stringContaining("end of the file"),
      details: { reason: "context_not_found", foundAtLine: 1 },
    });
  });

  test("line numbers decide between equal places, exactly or not at all", () => {
    const file = "a\nx\na\nx\na\n";
    expect(patched({ f: file }, unified("@@ -3 +3 @@", "-a", "+b"))).toEqual({ f: "a\nx\nb\nx\na\n" });
    expect(refusal({ f: file }, unified("@@ -2 +2 @@", "-a", "+b")).kind).toBe("multiple_matches");
    const shifted = unified("@@ -1 +1 @@", "-only", "+ONLY", "@@ -3 +3 @@", "-a", "+b");
    expect(patched({ f: `new\nnew\nonly\na\na\na\n` }, shifted)).toEqual({ f: "new\nnew\nONLY\na\nb\na\n" });
  });

  const THREE = "def a():\n  x\n\ndef b():\n  x\n\nx = 1\ndef b_c():\n  y\n";
  test.each([
    ["names the other place", "@@ -2 +2 @@ def b():", ["-  x", "+  z"], THREE.replace("b():\n  x", "b():\n  z")],
    ["agrees", "@@ -5 +5 @@ def b():", ["-  x", "+  z"], THREE.replace("b():\n  x", "b():\n  z")],
    ["is not in the file", "@@ -2 +2 @@ def gone():", ["-  x", "+  z"], THREE.replace("  x", "  z")],
    [
      "stands on the other side of the only place",
      "@@ -2 +2 @@ def b_c():",
      ["-x = 1", "+x"],
      THREE.replace("x = 1", "x"),
    ],
    ["decides where the number is off", "@@ -9 +9 @@ def a():", ["-  x", "+  z"], THREE.replace("  x", "  z")],
  ])("a heading behind line numbers that %s", (_what, header, lines, after) => {
    for (const make of [unified, update]) expect(patched({ f: THREE }, make(header, ...lines))).toEqual({ f: after });
  });

  test("git's heading is the nearest above, also of what stands behind its block", () => {
    const file = "def a():\n  x\n\ny\n\nz\n\ny\n";
    expect(patched({ f: file }, unified("@@ -8 +8 @@ def a():", "-y", "+Y"))).toEqual({
      f: file.replace(/y\n$/, "Y\n"),
    });
  });

  test("a block whose end is not plain does not move a hunk, and two places in doubt are none", () => {
    const file = "export const A: B<\n  x\n> = {\n  y\n  z\n  y\n};\n";
    const hunk = (line: string) => unified("@@ -4 +4 @@ export const A: B<", `-  ${line}`, "+  new");
    expect(patched({ f: file }, hunk("y")).f).toBe(file.replace("  y", "  new"));
    const both = file.replaceAll("  y", "  x");
    expect(refusal({ f: both }, hunk("x")).kind).toBe("multiple_matches");
  });

  test("a number does not choose in a block that the heading does not name", () => {
    const file = "def a():\n  y\ndef b():\n  x\ndef c():\n  x\n";
    expect(refusal({ f: file }, unified("@@ -4 +4 @@ def a():", "-  x", "+  z")).kind).toBe("multiple_matches");
  });

  test("no number chooses among places where another hunk shows that numbers are off", () => {
    const file = "x\nnew\nx\n1\nonly\nx\n";
    const hunks = ["@@ -1 +1 @@", "-x", "+X", "@@ -3 +3 @@", "-only", "+ONLY"];
    expect(refusal({ f: file }, unified(...hunks))).toMatchObject({
      kind: "multiple_matches",
      details: { hunkIndex: 0 },
    });
    expect(patched({ f: file }, unified(...hunks.slice(3), "@@ -4 +4 @@", "-x", "+X")).f).toBe(
      "x\nnew\nx\n1\nONLY\nX\n",
    );
  });

  test("a unique place wins over a wrong line number", () => {
    expect(patched({ f: "1\n2\n3\nold\n" }, unified("@@ -1 +1 @@", "-old", "+new"))).toEqual({ f: "1\n2\n3\nnew\n" });
  });

  test("a line number alone is no proof of a place, but the end is the end", () => {
    const files = { f: "1\n2\n" };
    expect(refusal(files, unified("@@ -1,0 +2 @@", "+new")).details).toMatchObject({
      reason: "insert_without_context",
    });
    expect(refusal(files, unified("@@ -0,0 +1 @@", "+new")).details).toMatchObject({
      reason: "insert_without_context",
    });
    expect(patched(files, unified("@@ -2,0 +3 @@", "+new"))).toEqual({ f: "1\n2\nnew\n" });
    expect(patched({ f: "" }, unified("@@ -0,0 +1 @@", "+new"))).toEqual({ f: "new\n" });
  });

  test("a refusal shows the nearest lines and what differs, blanks made visible", () => {
    const file = "function f() {\n\treturn 1;\n}\n";
    const failure = refusal({ f: file }, update("@@", " function f() {", "-    return 1;", "+    return 2;", " }"));
    expect(failure.message).toContain('its lines are not in the file; they begin with "function f() {". Nearest: ');
    expect(failure.message).toContain(
      "(line 2: the file has `→return·1;`, the old text `····return·1;` (· is a space, → a tab))",
    );
    expect(failure.message).toContain("```\nfunction f() {\n\treturn 1;\n}\n```");
    expect(failure.details).toMatchObject({ hunkIndex: 0, path: "f", patchLine: 3, nearestLine: 1 });
    expect(failure.suggestedAction).toContain("Read f again");
    expect(refusal({ f: "new\n" }, update("@@", "-old", "+new")).details).toMatchObject({ alreadyAppliedAtLine: 1 });
  });

  test("equal lines by the thousand are searched in good time", () => {
    const same = "x\n".repeat(20_000);
    const hunk = [...Array(10_000).fill(" x"), "-y", "+z", ...Array(5000).fill(" x")];
    expect(refusal({ f: `${same}y\n` }, update("@@", ...hunk)).kind).toBe("patch_apply_error");
    expect(patched({ f: `${same}y\n${same}` }, update("@@", ...hunk))).toEqual({ f: `${same}z\n${same}` });
    expect(refusal({ f: same }, update("@@", ...hunk.slice(0, 10_000), "+z")).kind).toBe("multiple_matches");
  });

  test("two files with the same hunk are told apart in a refusal", () => {
    const patch = envelope("*** Update File: f", "@@", "-a", "+b", "*** Update File: g", "@@", "-a", "+b");
    expect(refusal({ f: "a\n", g: "c\n" }, patch)).toMatchObject({
      path: "g",
      details: { hunkIndex: 0, patchLine: 7 },
    });
  });
});
