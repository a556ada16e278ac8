import { checkEdit, syntaxErrors } from "stet/check";
import { describe, expect, it } from "vitest";

const PARSED = ["a.tsx", "a.json", "a.yaml", "a.toml", "a.py", "a.cpp"];

describe("text that breaks parsers", () => {
  it.each([...PARSED, "a.kt", "a.txt"])("deep nesting in %s has no verdict and no exception", async (path) => {
    for (const bracket of ["(", '{"a":']) {
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

  it.each(["a.tsx", "a.py"])("text over the size limit of %s is not parsed", async (path) => {
    expect(await syntaxErrors(path, `${" ".repeat(9 * 1024 * 1024)}(`)).toBeNull();
  });

  it.each([...PARSED, "a.lua"])("odd characters and long lines in %s", async (path) => {
    const odd = ["\0", "\uD800", "\uFFFE", "\uFEFF\uFEFF", "\r", "\u2028", "a".repeat(100_000), '"'.repeat(20_000)];
    for (const text of odd) {
      const warnings = await checkEdit({ path, before: "a = 1\n", after: `a = 1\n${text}\n` });
      expect(warnings).toBeInstanceOf(Array);
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
    ["a.kt", "code in strings in code that nothing closes", '"${""${', "x\n"],
    ["a.html", "tags that nothing ends", '<a "<a\'" "\'"', "x\n"],
    ["a.py", "strings with fields that nothing closes", "f'''{'''#}\n", "x\n"],
  ];
  it.each(units)("in %s, %s", async (path, _, unit, before) => {
    const text = (part: string) => part.repeat(Math.ceil(400_000 / part.length));
    const old = before === "x\n" ? before : text(before);
    expect(await checkEdit({ path, before: old, after: text(unit) })).toBeInstanceOf(Array);
  });
});
