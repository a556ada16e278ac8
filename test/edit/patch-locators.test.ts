// Hunks of context only: they say where the next hunk is to be looked for, and change nothing.
import { describe, expect, it } from "vitest";
import { patched, plans, refusal, update } from "../support/patching.ts";

const FILE = `class One:
    name = "one"
    size = 1

class Two:
    name = "two"
    size = 1

class Three:
    name = "three"
    size = 1
`;

describe("a hunk of context only", () => {
  it.each([
    ["the last of several", [" class Three:"], FILE.replace(/size = 1\n$/, "size = 2\n")],
    ["inside what it opens", [" class Two:"], FILE.replace('"two"\n    size = 1', '"two"\n    size = 2')],
    ["several lines", [" class Two:", '     name = "two"'], FILE.replace('"two"\n    size = 1', '"two"\n    size = 2')],
  ])("tells equal places apart: %s", (_name, locator, after) => {
    expect(patched({ f: FILE }, update("@@", ...locator, "@@", "-    size = 1", "+    size = 2"))).toEqual({
      f: after,
    });
  });

  it("tells equal places apart where the next block follows at once", () => {
    const file = FILE.replaceAll("\n\n", "\n");
    const after = file.replace('"two"\n    size = 1', '"two"\n    size = 2');
    expect(patched({ f: file }, update("@@", " class Two:", "@@", "-    size = 1", "+    size = 2"))).toEqual({
      f: after,
    });
  });

  it("between hunks, before them and after them", () => {
    const patch = update(
      ...["@@", " class One:", "@@", '-    name = "one"', '+    name = "1"'],
      ...["@@", " class Two:", "@@", '-    name = "two"', '+    name = "2"', "@@", " class Three:"],
    );
    expect(patched({ f: FILE }, patch)).toEqual({ f: FILE.replace('"one"', '"1"').replace('"two"', '"2"') });
  });

  it("holds for the hunk right behind it", () => {
    const one = ["@@", " class One:", "@@", '-    name = "one"', '+    name = "1"'];
    const size = ["@@", "-    size = 1", "+    size = 2"];
    expect(refusal({ f: FILE }, update(...one, ...size))).toMatchObject({ kind: "multiple_matches" });
    const after = FILE.replace('"one"', '"1"').replace('"two"\n    size = 1', '"two"\n    size = 2');
    expect(patched({ f: FILE }, update(...one, "@@", " class Two:", ...size))).toEqual({ f: after });
  });

  it("keeps the file's bytes: CRLF, blanks and no final newline", () => {
    const file = "class A:\r\n  x = 1  \r\n  y = 2";
    expect(patched({ f: file }, update("@@", " class A:", "@@", "-  y = 2", "+  y = 3"))).toEqual({
      f: "class A:\r\n  x = 1  \r\n  y = 3",
    });
  });

  it("may itself stand in several places: the next hunk must then stand once in the file, behind the first of them", () => {
    const locator = ["@@", "     size = 1", "@@"];
    const two = update(...locator, '-    name = "two"', '+    name = "2"');
    expect(patched({ f: FILE }, two)).toEqual({ f: FILE.replace('"two"', '"2"') });
    const again = refusal({ f: FILE }, update(...locator, "-    size = 1", "+    size = 2"));
    expect(again).toMatchObject({ kind: "multiple_matches", details: { hunkIndex: 1 } });
    const above = refusal({ f: FILE }, update(...locator, '-    name = "one"', '+    name = "1"'));
    expect(above).toMatchObject({ kind: "patch_apply_error", details: { hunkIndex: 1, reason: "context_not_found" } });
  });

  const FUNCTIONS = `def a():
    x = 1
    return x

def b():
    x = 2
    return y

def c():
    x = 1
    return x
`;
  const RETURNS = ["-    return x", "+    return x + 1"];

  it("binds the hunk behind it: lines that stand outside what it opens, and elsewhere, are refused", () => {
    const said = refusal({ f: FUNCTIONS }, update("@@", " def b():", "@@", ...RETURNS));
    expect(said).toMatchObject({ kind: "multiple_matches", details: { hunkIndex: 1, locatorLines: [5] } });
    expect(said.message).toContain("starting at lines 3, 11. The hunk before it, at line 5, does not single one out.");
    expect(patched({ f: FUNCTIONS }, update("@@", " def c():", "@@", ...RETURNS))).toEqual({
      f: FUNCTIONS.replace(/return x\n$/, "return x + 1\n"),
    });
  });

  it("binds a hunk at the end of the file that begins where what it opens ends", () => {
    const file = "call(1)\ndef a():\n    x = 1\ncall(1)\n";
    const patch = update("@@", " def a():", "@@", "-call(1)", "+call(2)", "*** End of File");
    expect(refusal({ f: file }, patch)).toMatchObject({ kind: "multiple_matches" });
  });

  it("does not tell places apart that only a remark at the margin divides", () => {
    const file = "class A:\n    x = 1\nclass B:\n    x = 1\n# more\n    x = 1\nclass C:\n    y = 1\n";
    const { kind } = refusal({ f: file }, update("@@", " class B:", "@@", "-    x = 1", "+    x = 2"));
    expect(kind).toBe("multiple_matches");
  });

  it("takes the line that closes what it opens, and not the next", () => {
    const file = "all {\na() {\n  x();\n}\nb() {\n  x();\n}\n}\n";
    expect(patched({ f: file }, update("@@", " b() {", "@@", "-}", "+};"))).toEqual({
      f: "all {\na() {\n  x();\n}\nb() {\n  x();\n};\n}\n",
    });
  });

  it("in several places does not bind a hunk that reaches the end of the file", () => {
    const file = FUNCTIONS.replace("def b", "def a");
    expect(patched({ f: file }, update("@@", " def a():", "@@", ...RETURNS, "*** End of File"))).toEqual({
      f: file.replace(/return x\n$/, "return x + 1\n"),
    });
  });

  it("binds also a hunk that says that it reaches the end of the file", () => {
    const atEnd = ["@@", ...RETURNS, "*** End of File"];
    const { kind } = refusal({ f: FUNCTIONS }, update("@@", " def b():", ...atEnd));
    expect(kind).toBe("multiple_matches");
    for (const locator of [" def c():", "     return y"]) {
      expect(patched({ f: FUNCTIONS }, update("@@", locator, ...atEnd))).toEqual({
        f: FUNCTIONS.replace(/return x\n$/, "return x + 1\n"),
      });
    }
  });

  it("blank lines between hunks prove no place", () => {
    const file = "def b():\n    x = 1\n    y = 1\n\ndef c():\n    x = 1\n    z = 1\n\ndef d():\n    x = 1\n\nend()\n";
    const spaced = ["@@", " def b():", "@@", "-    x = 1", "+    x = 2", "", "@@", " end()"];
    expect(refusal({ f: file }, update(...spaced))).toMatchObject({ kind: "multiple_matches" });
  });

  it("in several places, of which none tells: refused with the lines of both", () => {
    const file = FUNCTIONS.replace("def b", "def a");
    const said = refusal({ f: file }, update("@@", " def a():", "@@", ...RETURNS));
    expect(said).toMatchObject({ kind: "multiple_matches", details: { hunkIndex: 1, locatorLines: [1, 5] } });
    expect(said.message).toContain("The hunk before it, at lines 1, 5, does not single one out.");
    expect(patched({ f: file }, update("@@", " def a():", "@@", "-    return y", "+    return z"))).toEqual({
      f: file.replace("return y", "return z"),
    });
  });

  it("behind another is itself looked for in what that one opens", () => {
    const file = ["A", "B", "C"]
      .map((n) => `class ${n}:\n    def go(self):\n        run()\n        end()\n`)
      .join("\n");
    const go = ["@@", "     def go(self):", "@@", "-        end()", "+        stop()"];
    expect(patched({ f: file }, update("@@", " class B:", ...go))).toEqual({
      f: file.replace(/(class B:[\s\S]*?)end/, "$1stop"),
    });
    expect(refusal({ f: file.replace("class B", "class A") }, update("@@", " class A:", ...go))).toMatchObject({
      kind: "multiple_matches",
    });
  });

  it("takes in the line that closes what it opens", () => {
    const file = ["a", "b", "c"].map((name) => `function ${name}() {\n  run();\n}\n`).join("");
    const patch = update("@@", " function b() {", "@@", "-  run();", "+  stop();", " }");
    expect(patched({ f: file }, patch)).toEqual({ f: file.replace("b() {\n  run", "b() {\n  stop") });
  });

  it("that stands in several places does not tell equal places apart, although each opens only one", () => {
    const file = FILE.replace("class Two:", "class One:");
    const { kind, details } = refusal({ f: file }, update("@@", " class One:", "@@", "-    size = 1", "+    size = 2"));
    expect(kind).toBe("multiple_matches");
    expect(details).toMatchObject({ hunkIndex: 1 });
  });

  it.each([
    ["is not in the file", [" class Four:"]],
    ["stands only above the hunk before", [" class One:"]],
  ])("refused when it %s", (_name, locator) => {
    const first = ["@@", " class Two:", '-    name = "two"', '+    name = "2"'];
    const { kind, details } = refusal({ f: FILE }, update(...first, "@@", ...locator));
    expect(kind).toBe("patch_apply_error");
    expect(details).toMatchObject({ hunkIndex: 1, reason: "context_not_found" });
  });

  it("does not say where lines without any context go", () => {
    const { kind, message } = refusal({ f: FILE }, update("@@", " class Two:", "@@", "+    more = 2"));
    expect(kind).toBe("patch_apply_error");
    expect(message).toContain("right behind the hunk before it, or at the end of the file");
  });

  it("alone changes nothing, and that is said", () => {
    const [plan] = plans({ f: FILE }, update("@@", " class Two:"));
    expect(plan).toMatchObject({ op: "update", splices: [], newText: FILE });
    expect(plan!.warnings.join()).toContain("nothing in it changes");
  });
});
