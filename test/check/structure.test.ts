import { checkEdit, warningText } from "stet/check";
import { describe, expect, it } from "vitest";

const texts = async (path: string, before: string, after: string): Promise<string[]> =>
  (await checkEdit({ path, before, after })).map((warning) => `${warning.severity}: ${warningText(warning)}`);

const KOTLIN = "fun area(width: Int): Int {\n  return width\n}\n";

describe("delimiters, in code without a parser", () => {
  it("are suspicious when more than 1, 2, 2 are left open or closed", async () => {
    expect(await texts("a.kt", KOTLIN, `${KOTLIN}class A {\n  class B {\n`)).toEqual([
      "suspicious: unbalanced_braces: net +2",
    ]);
    expect(await texts("a.kt", KOTLIN, `${KOTLIN}}\nval x = y }\n`)).toEqual(["suspicious: unbalanced_braces: net -2"]);
    expect(await texts("a.swift", "f()\n", "f(((()\n")).toEqual(["suspicious: unbalanced_parens: net +3"]);
    expect(await texts("a.scala", "f\n", "f]]]\n")).toEqual(["suspicious: unbalanced_brackets: net -3"]);
  });

  it("are suspicious when one is left open or closed in a file that was in balance", async () => {
    expect(await texts("a.kt", KOTLIN, `${KOTLIN}class A {\n`)).toEqual(["suspicious: unbalanced_braces: net +1"]);
    expect(await texts("a.kt", KOTLIN, KOTLIN.replace("\n}", ""))).toEqual(["suspicious: unbalanced_braces: net +1"]);
    expect(await texts("a.swift", "f()\n", "f((\n")).toEqual(["suspicious: unbalanced_parens: net +2"]);
    expect(await texts("a.scss", "a { b: c; }\n", "} a { b: c;\n")).toEqual([
      "suspicious: unbalanced_braces: one closes nothing that is open above it",
    ]);
  });

  it("are left alone within the thresholds in a file that was not", async () => {
    expect(await texts("a.kt", `${KOTLIN}}\n`, `${KOTLIN}}\nval a = b }\n`)).toEqual([]);
    expect(await texts("a.swift", "f(\n", "f((\n")).toEqual([]);
  });

  it("are left alone where the edit repairs them", async () => {
    expect(await texts("a.kt", "f {{{\n", "f {{{\n}}}\n")).toEqual([]);
  });

  it.each([
    ["a.kt", 'val a = "{{{" + \'{\' + """ {{{\n{{{ """ // {{{\n/* {{{\n */\n'],
    ["a.swift", 'let a = "\\"{{{" // {{{\n'],
    ["a.dart", "var a = '{{{' + '''{{{\n{{{''';\n"],
    ["a.lua", "a = '{{{' -- {{{\nb = [[ {{{ ]] --[[ {{{\n{{{ ]]\n"],
    ["a.sql", "select '(((' -- ((((\n"],
    ["a.sql", "select 'it''s (((('\n"],
    ["a.tf", 'a = "{{{" # {{{\n'],
    ["a.ps1", "$a = '{{{' # {{{\n<# {{{\n#>\n"],
    ["a.scss", "a { b: '{{{'; } // {{{\n"],
    ["a.scss", "// {{{"],
    ["a.scss", 'a { content: "a""{{{"; }\n'],
  ])("in strings and comments do not count: %s", async (path, added) => {
    expect(await texts(path, "\n x \n", `\n x \n${added}`)).toEqual([]);
  });

  it("count after a string that may hold its mark twice", async () => {
    expect(await texts("a.sql", "select 1\n", "select 'a', f(\n")).toEqual(["suspicious: unbalanced_parens: net +1"]);
  });

  it("count after a string between three marks that ends in one more", async () => {
    expect(await texts("a.kt", KOTLIN, `${KOTLIN}val a = """say "hi"""" + b(\n`)).toEqual([
      "suspicious: unbalanced_parens: net +1",
    ]);
  });

  it.each(["a.txt", "a.md", "a.xyz", "a", "a.html", "a.pl", "a.csv", "a.zsh"])("never block %s", async (path) => {
    expect(await texts(path, "x\n", "x\n}}}} ((((( [[[[[\n")).toEqual([]);
  });

  it("add nothing to the verdict of a parser that refuses", async () => {
    expect(await texts("a.ts", "f();\n", "f();\nif (a) {{{\n")).toEqual([
      expect.stringMatching(/^suspicious: syntax at line 2: the file parsed before/),
    ]);
  });

  it("count where a grammar did not understand the old text either, and not where it accepts the new one", async () => {
    expect(await texts("a.c", "#define X\nint = f() {};\n", "#define X\nint = f() {;\n")).toEqual([
      "suspicious: unbalanced_braces: net +1",
    ]);
    expect(await texts("a.rb", "x = 1\n", "x = 1\ny = %q<{{{>\n")).toEqual([]);
  });
});

describe("line patterns", () => {
  it("notes new lines that are there more than once, only the first of a block", async () => {
    const before = "start\nstop\n";
    const block = "alpha = one\nbeta = two\n";
    expect(await texts("a.txt", before, `start\n${block}middle\nother\n${block}stop\n`)).toEqual([
      "note: duplicate_line: identical lines at 2, 6",
    ]);
    expect(await texts("a.txt", "alpha = one\n", "alpha = one\nx\nalpha = one\n")).toEqual([]);
    for (const little of ["});", "height", "return;", "# ------ #", "</div>"])
      expect(await texts("a.txt", before, `start\n${little}\nmid\n${little}\nstop\n`)).toEqual([]);
  });
});
