import fc from "fast-check";
import { checkEdit } from "stet/check";
import { splitLines } from "stet/edit";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../support/any-character.ts";

const KNOWN = [
  "a.ts",
  "a.jsx",
  "a.json",
  "tsconfig.json",
  "a.jsonl",
  "a.yaml",
  "a.toml",
  "a.py",
  "a.go",
  "a.c",
  "a.rb",
];
const NO_PARSER = ["a.kt", "a.lua", "a.sql", "a.tf", "a.pl", "a.vue"];
const UNKNOWN = ["a", "a.xyz", "LICENSE", "a.md", "a.txt", "a.csv", "", "/", ".", "a."];

const fragment = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("{", "}", "(", ")", "[", "]", "if (a) {", "else {", "}", "return value;", "else"),
  },
  { weight: 3, arbitrary: fc.constantFrom("\n", "\n  ", "\r\n", "\r", "\n\n") },
  {
    weight: 3,
    arbitrary: fc.constantFrom("const name = 1;", "def f(x):", "key: value", '"a": 1,', "// ... existing code ..."),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('"', "'", "`", "/*", "*/", "//", "#", "--[[", "'''", '"""', "${", "<a>", "=begin"),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom("\0", "\uD800", "\uDC00", "\uFEFF", "\u2028", "x".repeat(5000)) },
);
const text = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(""));
const edit = fc.oneof(
  fc.record({ before: fc.option(text), after: fc.option(text) }),
  fc
    .tuple(text, text, text)
    .map(([head, tail, more]) => ({ before: `${head}\n${tail}`, after: `${head}\n${more}\n${tail}` })),
);

describe("checkEdit, for any texts", () => {
  it("never throws, and every warning is at a line of the new text, in order", async () => {
    const path = fc.constantFrom(...KNOWN, ...NO_PARSER, ...UNKNOWN);
    await fc.assert(
      fc.asyncProperty(path, edit, async (path, { before, after }) => {
        const warnings = await checkEdit({ path, before, after });
        const lines = splitLines(after ?? "").length;
        for (const { line } of warnings) expect(line >= 1 && line <= lines).toBe(true);
        expect(warnings.map(({ line }) => line)).toEqual(warnings.map(({ line }) => line).sort((a, b) => a - b));
      }),
      { numRuns: 150 },
    );
  });

  it("is never suspicious of a created file, of a deletion, or of a kind of file it does not know", async () => {
    const path = fc.constantFrom(...KNOWN, ...NO_PARSER);
    const suspicious = async (path: string, before: string | null, after: string | null): Promise<boolean> =>
      (await checkEdit({ path, before, after })).some((warning) => warning.severity === "suspicious");
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom(...UNKNOWN), edit, async (known, unknown, { before, after }) => {
        expect(await suspicious(known, null, after)).toBe(false);
        expect(await suspicious(known, before, null)).toBe(false);
        expect(await suspicious(unknown, before, after)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it("has nothing to say when nothing changed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...KNOWN, ...NO_PARSER), text, async (path, text) => {
        expect(await checkEdit({ path, before: text, after: text })).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
