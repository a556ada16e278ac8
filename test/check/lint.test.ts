import { lint } from "stet/check";
import { describe, expect, it } from "vitest";

describe("lint", () => {
  it("gives line, column, severity, message, code and source", async () => {
    expect(await lint("a.json", '{\n  "a": 1,\n}\n')).toContainEqual({
      line: 3,
      column: 1,
      severity: "error",
      message: "property name expected",
      code: "PropertyNameExpected",
      source: "json",
    });
    expect(await lint("a.toml", "a = 1\nb = \n")).toMatchObject([{ line: 2, severity: "error", source: "toml" }]);
    expect(await lint("a.yaml", "a: 1\nb: [\n")).toMatchObject([
      { severity: "error", source: "yaml", code: "BAD_INDENT" },
    ]);
    expect(await lint("a.ts", "const a: = 1;\n")).toMatchObject([{ line: 1, column: 10, source: "typescript" }]);
  });

  it("tells warnings from errors", async () => {
    expect(await lint("a.yml", "a: !Custom b\n")).toMatchObject([
      { line: 1, column: 4, severity: "warning", code: "TAG_RESOLVE_FAILED" },
    ]);
  });

  it("knows names declared twice, although the text parses", async () => {
    expect(await lint("a.js", "let a;\nlet a;\n")).toMatchObject([{ severity: "error", source: "javascript" }]);
  });

  it("is empty for good text and null for what it does not know", async () => {
    expect(await lint("a.ts", "export const a = 1;\n")).toEqual([]);
    expect(await lint("a.py", "def (:\n")).toBeNull();
    expect(await lint("a.txt", "x")).toBeNull();
  });
});
