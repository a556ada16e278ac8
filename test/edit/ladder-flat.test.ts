// Old and new text without indentation: what is kept keeps the file's, and new lines get it where brackets tell it.
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

const FILE = `class Shop {
    total(rows) {
        let result = 0;
        for (const row of rows) {
            result += row.price;
        }
        return result;
    }
}
`;
const FLAT = FILE.split("\n")
  .slice(1, 8)
  .map((line) => line.trim())
  .join("\n");

function outcome(from: string, to: string, file = FILE): string {
  const result = replaceText(file, FLAT, FLAT.replace(from, to));
  return result.ok ? `${result.strategy}: ${result.text}` : result.kind;
}
const applied = (from: string, to: string): string => `indentation: ${FILE.replace(from, to)}`;

describe("new lines", () => {
  it("with a blank line among them", () => {
    expect(outcome("let result = 0;\n", "let result = 0;\n\nlet count = 0;\n")).toBe(
      applied("let result = 0;\n", "let result = 0;\n\n        let count = 0;\n"),
    );
    expect(outcome("let result = 0;\n", "let result = 0;\nlet a = 0;\n\nlet b = 0;\n")).toBe(
      applied("let result = 0;\n", "let result = 0;\n        let a = 0;\n\n        let b = 0;\n"),
    );
  });

  it("in place of as many that are built alike, at each one's level", () => {
    expect(
      outcome("for (const row of rows) {\nresult += row.price;", "for (const one of rows) {\nresult += one.price;"),
    ).toBe(`indentation: ${FILE.replace("const row", "const one").replace("row.price", "one.price")}`);
  });

  it("in place of as many that are built otherwise are refused where no bracket tells their level", () => {
    expect(outcome("result += row.price;", "if (row.paid)")).toBe("indent_inconsistent");
  });

  it.each([
    ["that leave something open", "let result = 0;\nif (!rows)\nreturn 0;\n"],
    ["that go on with the line before", "let result = 0;\n+ 1;\n"],
    ["that do not come back to the level", "let result = 0;\nif (!rows) {\n"],
    ["that close more than they open", "let result = 0;\n}\n"],
    ["that are indented", "let result = 0;\n  let count = 0;\n"],
    ["of which one is indented", "let result = 0;\nlet a = 0;\n  let b = 0;\n"],
  ])("%s are refused", (_name, added) => {
    expect(outcome("let result = 0;\n", added)).toBe("indent_inconsistent");
  });
});

it("lines in place of as many are compared each with its own", () => {
  const file = FILE.replace("            result +=", "            if (row.paid)\n                result +=");
  const old = FLAT.replace("result +=", "if (row.paid)\nresult +=");
  const changed = (text: string) => text.replace("row.paid", "row.due").replace("row.price", "row.cost");
  expect(replaceText(file, old, changed(old))).toMatchObject({ ok: true, text: changed(file) });
});

describe("a text is flat", () => {
  const edit = (file: string, old: string, added: string) => {
    const result = replaceText(file, old, old.replace("\n", `\n${added}\n`));
    return result.ok ? result.text : result.kind;
  };

  it("where the file has two depths and the text one", () => {
    expect(edit("if (a) {\n  b(all.limits);\n}\n", "if (a) {\nb(all.limits);\n}", "c();")).toBe(
      "if (a) {\n  c();\n  b(all.limits);\n}\n",
    );
  });

  it("and not where it has two depths itself", () => {
    const file = "f {\n  if (a) {\n    b(all.limits);\n  }\n}\n";
    expect(edit(file, "if (a) {\n  b(all.limits);\n}", "  c();")).toBe(file.replace("    b", "    c();\n    b"));
  });

  it.each([
    ["twenty", "b(all.limits);", "  c();\n  "],
    ["nineteen", "b(all.limit);", undefined],
  ])("with %s characters or more", (_count, line, indented) => {
    const file = `if(a){\n  ${line}\n`;
    expect(edit(file, `if(a){\n${line}`, "c();")).toBe(
      indented === undefined ? "indent_inconsistent" : file.replace("  ", indented),
    );
  });

  it("when its last line but one opens a bracket", () => {
    const old = "const limits = compute(all);\nrun(limits);";
    const file = old.replaceAll(/^/gm, "    ");
    expect(replaceText(file, old, "const limits = compute(all);\nif (all) {\nrun(limits);")).toMatchObject({
      ok: false,
      kind: "indent_inconsistent",
    });
  });
});

it("a block whose first line opens a bracket, in place of a line", () => {
  const file = "    const limits = compute(all);\n    run(limits);\n";
  const result = replaceText(
    file,
    "const limits = compute(all);\nrun(limits);",
    "if (all) {\nrun(compute(all));\n}\nrun(limits);",
  );
  expect(result.ok ? result.text : result.kind).toBe("indent_inconsistent");
  const deeper = `function f() {\n${file}}\n`;
  const known = replaceText(
    deeper,
    "const limits = compute(all);\nrun(limits);",
    "if (all) {\nrun(compute(all));\n}\nrun(limits);",
  );
  expect(known).toMatchObject({
    ok: true,
    text: "function f() {\n    if (all) {\n        run(compute(all));\n    }\n    run(limits);\n}\n",
  });
});

it("lines that are indented further than the file's have lost nothing: they move as they are", () => {
  const moved = (spaces: string) =>
    ["start(all);", "stop(all, limits);"].map((line) => `${spaces}${line}`) as [string, string];
  const added = (spaces: string) => ["} finally {", "again(", "all);"].map((line) => `${spaces}${line}`);
  const given = (spaces: string): [string, string] => {
    const [first, last] = moved(spaces);
    return [`${first}\n${last}`, [first, ...added(spaces), last].join("\n")];
  };
  const file = (text: string) => `try {\n  run();\n}\n${text}\n`;
  const [before, after] = given("");
  for (const spaces of ["    ", "\t"]) {
    expect(replaceText(file(before), ...given(spaces))).toMatchObject({ ok: true, text: file(after) });
  }
  expect(replaceText(file(given("  ")[0]), ...given(""))).toMatchObject({ ok: false, kind: "indent_inconsistent" });
  // A tab is four spaces.
  expect(replaceText(file(given("    ")[0]), ...given("\t"))).toMatchObject({ ok: true, text: file(given("    ")[1]) });
});

it("an old text whose lines are all indented alike is as flat", () => {
  const old = FLAT.replaceAll(/^/gm, "  ");
  const changed = (line: string) =>
    replaceText(FILE, old, old.replace("  let result = 0;\n", `  let result = 0;\n  ${line}\n`));
  expect(changed("let count = 0;")).toMatchObject({
    ok: true,
    text: FILE.replace("= 0;\n", "= 0;\n        let count = 0;\n"),
  });
  expect(changed("let a = 0;\n\n  let b = 0;")).toMatchObject({
    ok: true,
    text: FILE.replace("= 0;\n", "= 0;\n        let a = 0;\n\n        let b = 0;\n"),
  });
  expect(changed(".with(count);")).toMatchObject({ ok: false, kind: "indent_inconsistent" });
});
