// What an "@@ text" header proves: the block that a hunk belongs to.

import { describe, expect, test } from "vitest";
import { patched, refusal, update } from "../support/patching.ts";

const TWO = "def one():\n    pass\n\ndef two():\n    return 1\n";
const CHANGE = ["-    return 1", "+    return 2"];

describe("headers and blocks", () => {
  test("a hunk whose lines stand in another block than the header names is refused", () => {
    for (const end of [[], ["*** End of File"]]) {
      const failure = refusal({ f: TWO }, update("@@ def one():", ...CHANGE, ...end));
      expect(failure).toMatchObject({
        kind: "patch_apply_error",
        message: expect.stringContaining("line 5"),
        details: { reason: "header_mismatch", headerLine: 1, matchLine: 5 },
      });
    }
    expect(patched({ f: TWO }, update("@@ def two():", ...CHANGE))).toEqual({ f: TWO.replace("return 1", "return 2") });
  });

  test("a place behind the block is no place inside it", () => {
    const braces = "function one() {\n  a();\n}\nb();\nfunction two() {\n  b();\n}\n";
    for (const [line, at] of [
      ["b();", 4],
      ["  b();", 6],
    ] as const) {
      expect(refusal({ f: braces }, update("@@ function one() {", `-${line}`, "+c"))).toMatchObject({
        details: { reason: "header_mismatch", headerLine: 1, matchLine: at },
      });
    }
    const yaml = "one:\n  a: 1\ntwo:\n  b: 1\n";
    expect(refusal({ f: yaml }, update("@@ one:", "-  b: 1", "+  b: 2"))).toMatchObject({
      details: { reason: "header_mismatch", matchLine: 4 },
    });
  });

  const inside: readonly (readonly [name: string, text: string, header: string, line: string])[] = [
    ["the closing brace", "f() {\n  a\n}\nb\n", "f() {", "}"],
    ["a label and a directive at the margin", "int f()\n{\n  a;\n#ifdef X\n  b;\nout:\n  c;\n}\n", "int f()", "  c;"],
    ["an access label", "class A {\n  int x;\npublic:\n  int y;\n};\n", "class A {", "  int y;"],
    ["text at the margin of a string", "f() {\n  s = `\nmargin\n`;\n  b();\n}\n", "f() {", "  b();"],
    ["another branch", "if (x) {\n  a\n} else {\n  b\n}\n", "if (x) {", "  b"],
    ["another branch without braces", "try:\n    a\nexcept E:\n    b\n", "try:", "    b"],
    ["a comment at the margin", "def f():\n    a\n# note\n    b\n", "def f():", "    b"],
    ["parameters on their own lines", "def f(\n    a,\n) -> int:\n    b\n", "def f(", "    b"],
    ["a closing tag", "<ul>\n  <li/>\n</ul>\n<p/>\n", "<ul>", "</ul>"],
    ["destructured parameters", "f({\n  a,\n}: P) {\n  b\n}\n", "f({", "  b"],
    ["an END in capitals", "BEGIN\n  a\nEND;\nb\n", "BEGIN", "END;"],
    ["the end of a Ruby block", "def f\n  a\nend\nb\n", "def f", "end"],
  ];
  for (const [name, text, header, line] of inside) {
    test(`inside: ${name}`, () => {
      const expected = text.replace(`\n${line}\n`, "\nnew\n");
      expect(patched({ f: text }, update(`@@ ${header}`, `-${line}`, "+new"))).toEqual({ f: expected });
    });
  }

  test("a hunk may begin in the block and end behind it", () => {
    const expected = TWO.replace("pass", "skip");
    const hunk = ["@@ def one():", "-    pass", "+    skip", " ", " def two():"];
    expect(patched({ f: TWO }, update(...hunk))).toEqual({ f: expected });
  });

  test("a header that opens no block only says what comes before", () => {
    const text = "import a\n\ndef two():\n    return 1\n";
    expect(patched({ f: text }, update("@@ import a", ...CHANGE)).f).toContain("return 2");
    const prose = "# One\n    code\ntext\n";
    expect(patched({ f: prose }, update("@@ # One", "-text", "+new"))).toEqual({ f: "# One\n    code\nnew\n" });
  });

  test("added lines without context are refused by the last header where it is not found", () => {
    const failure = refusal({ f: TWO }, update("@@ def one():", "@@ no such line", "+new"));
    expect(failure.message).toContain('reads "no such line"');
  });

  test("a header is found as whole words", () => {
    const more = "def one_more():\n    return 1\n\ndef one():\n    return 1\n\ndef someone():\n    return 1\n";
    const expected = "def one_more():\n    return 1\n\ndef one():\n    return 2\n\ndef someone():\n    return 1\n";
    expect(patched({ f: more }, update("@@ def one", ...CHANGE))).toEqual({ f: expected });
    expect(patched({ f: more }, update("@@ one", ...CHANGE))).toEqual({ f: expected });
    expect(refusal({ f: more }, update("@@ def on", ...CHANGE)).kind).toBe("patch_apply_error");
    const { kind } = refusal({ f: "def éa():\n    return 1\n" }, update("@@ def é", ...CHANGE));
    expect(kind).toBe("patch_apply_error");
  });
});
