import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

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

  it("goes past lines of an outer block to another line of it, and not past those before its end", () => {
    const text = "def load():\n    if ready:\n        first_call(1)\n    second_call(2)\n    return row\n";
    expect(
      outcome(text, "        first_call(1)\n...\n    return row", "        first_call(1)\n...\n    return 1"),
    ).toBe(`elision: ${text.replace("return row", "return 1")}`);
    const braces = "if (ready) {\n  first_call(1, 2, 3);\n  second();\nother();\n}\n";
    expect(outcome(braces, "  first_call(1, 2, 3);\n...\n}\n", "  first_call(1, 2, 4);\n...\n}\n")).toBe(
      "old_text_not_found",
    );
  });

  it("goes past a block comment into the next block, when that is near", () => {
    const text = "const limit = 100;\n/**\n * Loads it.\n */\nfunction load() {\n  return row;\n}\n";
    expect(outcome(text, "const limit = 100;\n...\n  return row;", "const limit = 100;\n...\n  return 1;")).toBe(
      `elision: ${text.replace("return row", "return 1")}`,
    );
  });

  it("does not reach out of the section that was named last", () => {
    const text = "# The whole guide\n## Install\nunpack it\n## Usage\nrun the tool\n";
    const usage = "# The whole guide\n## Install\n...\nrun the tool";
    expect(outcome(text, usage, usage.replace("tool", "program"))).toBe("old_text_not_found");
    const install = "# The whole guide\n...\nrun the tool";
    expect(outcome(text, install, install.replace("tool", "program"))).toBe(
      `elision: ${text.replace("tool", "program")}`,
    );
  });

  it("does not go past one block into another", () => {
    const text = "first_limit = 100\ndef one():\n    run()\ndef two():\n    return row\n";
    const oldText = "first_limit = 100\n...\n    return row";
    expect(outcome(text, oldText, oldText.replace("row", "1"))).toBe("old_text_not_found");
    const near = text.replace("def one():\n    run()\n", "");
    expect(outcome(near, oldText, oldText.replace("row", "1"))).toBe(`elision: ${near.replace("row", "1")}`);
  });

  it("what is left out may be nothing, on either side of what changes", () => {
    const oldText = "  const row = get(id);\n...\n  check(row);\n...\n  return row;";
    const changed = (name: string) => outcome(FILE, oldText, oldText.replace(name, `${name}ed`));
    for (const name of ["get", "check"]) expect(changed(name)).toBe(`elision: ${FILE.replace(name, `${name}ed`)}`);
  });

  it("a part that goes leaves no empty line behind", () => {
    expect(outcome(FILE, "function load(id) {\n...\n  return row;\n", "function load(id) {\n...\n")).toBe(
      `elision: ${FILE.replace("  return row;\n", "")}`,
    );
  });

  it("one of several placeholders that differs is enough to refuse", () => {
    const oldText = "function load(id) {\n...\n  check(row);\n  // ... existing code ...\n}";
    const newText = oldText.replace("check", "test");
    expect(outcome(FILE, oldText, newText)).toBe(`elision: ${FILE.replace("check", "test")}`);
    expect(outcome(FILE, oldText, newText.replace("// ... existing code ...", "..."))).not.toMatch(/^elision/);
  });

  it("does not add what was added before", () => {
    const text = "one();\ntwo();\nthree();\nfour(4);\nfive(5);\n";
    const oldText = "one();\n...\nthree();\nfour(4);";
    const newText = "one();\n...\nthree();\nfour(4);\nfive(5);";
    expect(outcome(text, oldText, newText)).toBe("already_applied");
  });
});
