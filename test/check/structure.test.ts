import { checkEdit, warningText } from "stet/check";
import { describe, expect, it } from "vitest";

const texts = async (path: string, before: string, after: string): Promise<string[]> =>
  (await checkEdit({ path, before, after })).map((warning) => `${warning.severity}: ${warningText(warning)}`);

const KOTLIN = "fun area(width: Int): Int {\n  return width\n}\n";

describe("blocks of Lua", () => {
  const LUA =
    'local function f(x)\n  if x then\n    return "end"\n  elseif y then -- end\n    for i = 1, 2 do g(i) end\n  else\n    while x do x = nil end\n  end\n  repeat\n    local z = function() return [[ end ]] end\n  until z\n  do local a = t.b end\nend\n';

  it.each([
    ["  if x then\n", "  if x\n", '"elseif" where "if" wants "then"'],
    ["  do local", "  local", '"end" where no block is open'],
    ["  until z\n", "", '"end" where "repeat" wants "until"'],
    ["for i = 1, 2 do", "for i = 1, 2", '"end" where "for" wants "do"'],
    ["\nend\n", "\n", '"function" has no "end"'],
    ["local function f(x)\n", "", '"end" where no block is open'],
  ])("%j → %j", async (from, to, said) => {
    const [first] = await texts("a.lua", LUA, LUA.replace(from, to));
    expect(first).toContain(said);
  });

  it("that are in order, or were not before", async () => {
    expect(await texts("a.lua", LUA, LUA.replace("g(i)", "g(i, { 1 })"))).toEqual([]);
    expect(await texts("a.lua", `${LUA}if a\n`, `${LUA}if a\nlocal b = 1\n`)).toEqual([]);
    expect(await texts("a.luau", "local a = 1\n", "local a = if b then 1 else 2\n")).toEqual([]);
  });
});

describe("delimiters, in code without a parser", () => {
  it("are suspicious when more than 1, 2, 2 are left open or closed", async () => {
    expect(await texts("a.kt", KOTLIN, `${KOTLIN}class A {\n  class B {\n`)).toEqual([
      "suspicious: unbalanced_braces: net +2",
    ]);
    expect(await texts("a.kt", KOTLIN, `${KOTLIN}}\nval x = y }\n`)).toEqual([
      "suspicious: unbalanced_braces: net -2",
      "note: suspicious_extra_brace at line 4",
    ]);
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
    ["a.ex", 'a = "{{{" # {{{\n'],
    ["a.ps1", "$a = '{{{' # {{{\n<# {{{\n#>\n"],
    ["a.clj", '(f "{{{") ; {{{\n'],
    ["a.scss", "a { b: '{{{'; } // {{{\n"],
    ["a.scss", "// {{{"],
    ["a.scss", 'a { content: "a""{{{"; }\n'],
  ])("in strings and comments do not count: %s", async (path, added) => {
    expect(await texts(path, "\n x \n", `\n x \n${added}`)).toEqual([]);
  });

  it("count after a string that may hold its mark twice", async () => {
    expect(await texts("a.sql", "select 1\n", "select 'a', f(\n")).toEqual(["suspicious: unbalanced_parens: net +1"]);
  });

  it("a brace alone is extra only where none is open", async () => {
    expect(await texts("a.kt", KOTLIN, `${KOTLIN}fun b() {\n  c()\n}\n}\n`)).toEqual([
      "suspicious: unbalanced_braces: net -1",
      "note: suspicious_extra_brace at line 7",
    ]);
  });

  it("count after a string between three marks that ends in one more", async () => {
    expect(await texts("a.kt", KOTLIN, `${KOTLIN}val a = """say "hi"""" + b(\n`)).toEqual([
      "suspicious: unbalanced_parens: net +1",
    ]);
  });

  it.each(["a.txt", "a.md", "a.xyz", "a", "a.html", "a.pl", "a.csv", "a.zsh"])("never block %s", async (path) => {
    expect(await texts(path, "x\n", "x\n}}}} ((((( [[[[[\n")).toEqual([]);
  });

  it("add nothing to the verdict of a parser, and are doubtful where it did not understand the old text either", async () => {
    expect(await texts("a.ts", "f();\n", "f();\nif (a) {{{\n")).toEqual([
      expect.stringMatching(/^suspicious: syntax at line 2: the file parsed before/),
    ]);
    expect(await texts("a.c", "#define X\nint = f() {};\n", "#define X\nint = f() {;\n")).toEqual([
      "doubtful: unbalanced_braces: net +1",
    ]);
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

  it("doubts an else without any if above", async () => {
    expect(await texts("a.kt", "f()\n", "f()\nelse {\n}\n")).toEqual(["doubtful: orphan_else at line 2"]);
    expect(await texts("a.kt", "f()\n", "f()\nif (a) {\n}\nelse {\n}\n")).toEqual([]);
    expect(await texts("a.txt", "f()\n", "f()\nelse\n")).toEqual([]);
  });

  it("notes a lone brace that closes nothing, unless it was there before", async () => {
    expect(await texts("a.kt", KOTLIN, `${KOTLIN}}\n`)).toEqual([
      "suspicious: unbalanced_braces: net -1",
      "note: suspicious_extra_brace at line 4",
    ]);
    expect(await texts("a.kt", `${KOTLIN}}\n`, `// x\n${KOTLIN}}\n`)).toEqual([]);
    expect(await texts("a.kt", "val a = b }\n", `val a = b }\n${KOTLIN}`)).toEqual([]);
  });
});
