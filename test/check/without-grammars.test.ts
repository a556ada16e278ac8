import { checkEdit, syntaxErrors } from "stet/check";
import { expect, it, vi } from "vitest";

vi.mock("web-tree-sitter", () => {
  throw new Error("not installed");
});

it("falls back to delimiters where the optional grammars are not installed", async () => {
  const before = "package a\n\nfunc f() {\n}\n";
  expect(await syntaxErrors("a.go", before)).toBeNull();
  expect(await checkEdit({ path: "a.go", before, after: `${before}func g() {\n\tif a {\n` })).toMatchObject([
    { check: "unbalanced_braces", severity: "suspicious", line: 6 },
  ]);
  expect(await checkEdit({ path: "a.go", before, after: `${before}var a = "{{{" // {{{\n` })).toEqual([]);
});
