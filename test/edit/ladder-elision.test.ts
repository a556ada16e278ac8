import { describe, expect, it } from "vitest";
import { replaceText } from "../../src/edit/replace-text.ts";

function outcome(text: string, oldText: string, newText: string): string {
  const result = replaceText(text, oldText, newText);
  return result.ok ? `${result.strategy}: ${result.text}` : result.kind;
}

const FILE = ["function load(id) {", "  const row = get(id);", "  check(row);", "  return row;", "}", ""].join("\n");

describe("paired elision", () => {
  it.each(["...", "  // ... existing code ..."])("what both texts leave out with %s stays", (dots) => {
    const oldText = `function load(id) {\n${dots}\n  return row;\n}`;
    const newText = `function load(id) {\n${dots}\n  return row.value;\n}`;
    expect(outcome(FILE, oldText, newText)).toBe(`elision: ${FILE.replace("return row;", "return row.value;")}`);
  });

  it("changes on both sides of what is left out", () => {
    const oldText = "function load(id) {\n...\n  return row;\n}";
    const newText = "function load(key) {\n...\n  return null;\n}";
    expect(outcome(FILE, oldText, newText)).toBe(
      `elision: ${FILE.replace("load(id)", "load(key)").replace("return row;", "return null;")}`,
    );
  });

  it("a part that stays only has to be there", () => {
    const text = `if (a) {\n}\n${FILE}if (b) {\n}\n`;
    expect(outcome(text, "}\n...\n  check(row);\n  return row;", "}\n...\n  check(row);\n  return 1;")).toBe(
      `elision: ${text.replace("return row;", "return 1;")}`,
    );
  });

  it("a part that changes must be in one place", () => {
    const text = `${FILE}${FILE}`;
    expect(
      outcome(text, "function load(id) {\n...\n  return row;\n}", "function load(id) {\n...\n  return 1;\n}"),
    ).toBe("multiple_matches");
  });

  it("parts are not shifted: other indentation is another place", () => {
    expect(
      outcome(FILE, "function load(id) {\n...\n    return row;\n}", "function load(id) {\n...\n    return 1;\n}"),
    ).toBe("old_text_not_found");
  });

  it("needs the same placeholders in both texts", () => {
    expect(outcome(FILE, "function load(id) {\n...\n  return row;", "function load(id) {\n  return 1;")).toBe(
      "old_text_not_found",
    );
    expect(outcome(FILE, "function load(id) {\n...\n  return row;", "function load(id) {\n...\n...\n  return 1;")).toBe(
      "old_text_not_found",
    );
  });

  it("does not reach out of the block into the next one", () => {
    const filler = Array.from({ length: 12 }, (_, n) => `  step${n}();`).join("\n");
    const text = `function one() {\n${filler}\n  return a;\n}\n\nfunction two() {\n${filler}\n  return b;\n}\n`;
    expect(outcome(text, "function one() {\n...\n  return b;\n}", "function one() {\n...\n  return c;\n}")).toBe(
      "old_text_not_found",
    );
    expect(outcome(text, "function one() {\n...\n  return a;\n}", "function one() {\n...\n  return c;\n}")).toBe(
      `elision: ${text.replace("return a;", "return c;")}`,
    );
  });

  it("does not add what was added before", () => {
    const text = "one();\ntwo();\nthree();\nfour(4);\nfive(5);\n";
    const oldText = "one();\n...\nthree();\nfour(4);";
    const newText = "one();\n...\nthree();\nfour(4);\nfive(5);";
    expect(outcome(text, oldText, newText)).toBe("already_applied");
  });
});
