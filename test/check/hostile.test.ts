import { describe, expect, it } from "vitest";
import { checkEdit, syntaxErrors } from "../../src/check/index.ts";

const PARSED = ["a.tsx", "a.json", "a.jsonc", "a.jsonl", "a.yaml", "a.toml", "a.py", "a.cpp", "a.java", "a.css"];

describe("text that breaks parsers", () => {
  it.each([...PARSED, "a.kt", "a.txt"])("deep nesting in %s has no verdict and no exception", async (path) => {
    for (const bracket of ["(", "[", "{", '{"a":', "[{"]) {
      const text = bracket.repeat(100_000);
      expect(await syntaxErrors(path, text)).toBeNull();
      expect(await checkEdit({ path, before: "x", after: text })).toBeInstanceOf(Array);
    }
  });

  it("a parser that crashes takes nobody along: the next text gets its verdict", async () => {
    // Nested without a single bracket, deep enough for any native stack.
    const nested = `x = ${"a => ".repeat(390_000)}1;`;
    const answers = await Promise.all([
      syntaxErrors("a.ts", "let a = 1;"),
      syntaxErrors("a.ts", nested),
      syntaxErrors("a.ts", "let = ;"),
    ]);
    expect(answers.map((report) => report?.errors.length)).toEqual([0, undefined, 1]);
  });

  it.each(PARSED)("text over the size limit of %s is not parsed", async (path) => {
    expect(await syntaxErrors(path, `${" ".repeat(9 * 1024 * 1024)}(`)).toBeNull();
  });

  it.each([...PARSED, "a.rb", "a.sh", "a.lua", "a.md"])("odd characters and long lines in %s", async (path) => {
    const odd = ["\0", "\uD800", "\uFFFE", "\uFEFF\uFEFF", "\r", "\u2028", "a".repeat(1_000_000), '"'.repeat(20_000)];
    for (const text of odd) {
      const warnings = await checkEdit({ path, before: "a = 1\n", after: `a = 1\n${text}\n` });
      expect(warnings).toBeInstanceOf(Array);
    }
  });

  it("long strings, long comments and many lines without a parser", async () => {
    const texts = [
      `"${"\\n".repeat(500_000)}`,
      `"${"\\n".repeat(4_000_000)}`,
      `/*${"a".repeat(4_000_000)}`,
      "x y\n".repeat(200_000),
    ];
    for (const text of texts) {
      expect(await checkEdit({ path: "a.kt", before: "x\n", after: `x\n${text}` })).toBeInstanceOf(Array);
    }
  });

  /** Each of them would take minutes if what was guessed wrong were gone over again, or each line compared with all. */
  const units: readonly (readonly [path: string, what: string, after: string, before: string])[] = [
    [
      "a.txt",
      "a line that the old text has elsewhere, again and again",
      "alpha beta gamma\n",
      "alpha beta gamma\nof\n",
    ],
    ["a.jl", "code in strings in code that nothing closes", '<T>{a = 1\n"#\\\nR"x(f\'\'\'$(\\\n<p]]"""', "x\n"],
    ["a.kt", "code in strings in code that nothing closes", '"${""${', "x\n"],
    ["a.html", "tags that nothing ends", '<a "<a\'" "\'"', "x\n"],
    ["a.py", "strings with fields that nothing closes", "f'''{'''#}\n", "x\n"],
  ];
  it.each(units)("in %s, %s", { timeout: 20_000 }, async (path, _, unit, before) => {
    const text = (part: string) => part.repeat(Math.ceil(400_000 / part.length));
    const old = before === "x\n" ? before : text(before);
    const start = process.cpuUsage();
    expect(await checkEdit({ path, before: old, after: text(unit) })).toBeInstanceOf(Array);
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(10);
  });
});
