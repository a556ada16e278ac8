// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of other languages has them
// Seed 004: "edit applies operations that produce sanity warnings (e.g., duplicate lines, unbalanced braces)": the file stays as it was.
import { anchors } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentWith } from "../support/agent.ts";
import { hash, text } from "./004-lines.ts";

type Operation = Readonly<Record<string, unknown>>;

async function refusedFor(path: string, before: string, operations: readonly Operation[]): Promise<string> {
  const { done, refused, content } = agentWith(anchors, { [path]: before });
  await done("read_file", { path, hashes: true });
  const failure = await refused("edit", { path, operations });
  expect(failure.details).toMatchObject({ error: "safety_check_failed", safety_status: "suspicious" });
  expect(failure.text).toMatch(/^Edit rejected, file unchanged\./);
  expect(await content(path)).toBe(before);
  return (failure.details.safety_warnings as string[]).join("\n");
}

async function statusOf(path: string, before: string, operations: readonly Operation[], more = {}) {
  const { done } = agentWith(anchors, { [path]: before });
  const { data } = await done("edit", { path, operations, ...more });
  return [data.safety_status, (data.safety_warnings as string[]).length] as const;
}

const replace = (line: string, content: string) => ({ op: "replace_line", hash: hash(line), content });
const insert = (line: string, content: string) => ({ op: "insert_after", hash: hash(line), content });
const remove = (line: string, more = {}) => ({ op: "delete_line", hash: hash(line), ...more });

describe("duplicate lines", () => {
  const LINES = ["alpha", "end", "omega"];

  it.each(["a.txt", "a.kt", "notes"])(
    "a new line that is the exact duplicate of its neighbour is refused in %s, short or long",
    async (path) => {
      expect(await refusedFor(path, text(...LINES), [insert("end", "end")])).toMatch(
        /identical lines at 2, 3|line 3 repeats/,
      );
      expect(
        await refusedFor(path, text(...LINES), [{ op: "insert_before", hash: hash("omega"), content: "x\nomega" }]),
      ).not.toBe("");
    },
  );

  it("two identical new neighbouring lines count", async () => {
    const found = await refusedFor("a.txt", text(...LINES), [replace("end", "new words here\nnew words here")]);
    expect(found).toContain("duplicate_line: identical lines at 2, 3");
  });

  it.each(["}", "});", "", "''"])("a low-entropy line, such as %j, may stand twice", async (line) => {
    const before = text("first of all", line, "last of all");
    const operation = { op: "insert_before", hash: hash("last of all"), content: line };
    expect((await statusOf("a.txt", before, [operation]))[0]).toBe("clean");
  });

  it("neighbours that were duplicates before are left alone", async () => {
    const before = text("row", "row", "other line");
    expect(
      (await statusOf("a.txt", before, [{ op: "insert_before", hash: hash("other line"), content: "row" }]))[0],
    ).not.toBe("suspicious");
    expect((await statusOf("a.txt", before, [replace("other line", "changed")]))[0]).toBe("clean");
  });
});

describe("safety_status", () => {
  it("is clean only when there is no warning at all", async () => {
    const before = text(...Array.from({ length: 30 }, (_, n) => `statement ${n};`));
    expect(await statusOf("a.txt", before, [replace("statement 4;", "one change")])).toEqual(["clean", 0]);
    const far = [replace("statement 4;", "the very same words"), replace("statement 20;", "the very same words")];
    expect(await statusOf("a.txt", before, far)).toEqual(["noted", 1]);
    const doubled = [insert("statement 4;", "statement 4;")];
    expect(await statusOf("a.txt", before, doubled, { safety_check: "warn" })).toEqual(["suspicious", 1]);
  });
});

describe("what only a grammar finds wrong", () => {
  it("is told and not refused: the grammar may be older than the language", async () => {
    const c = "int f(int a) {\n  return a;\n}\n";
    expect(await statusOf("a.c", c, [replace("return a;", "  return = a;")])).toEqual(["noted", 1]);
  });
});

describe("Python, by stet's own check of its layout", () => {
  const PY = "class A:\n    def f(self, x):\n        y = x + 1\n        return y\n\n    def g(self):\n        pass\n";

  it.each([
    ["one space too many", [replace("y = x + 1", "         y = x + 1")], "unexpected indent|unindent does not match"],
    ["one space too few", [replace("return y", "       return y")], "unindent does not match"],
    ["a tab among spaces", [replace("return y", "\treturn y")], "inconsistent use of tabs"],
    ["an indented line after a plain one", [insert("y = x + 1", "            z = y")], "unexpected indent"],
    ["an emptied body", [remove("pass")], "expected an indented block after line 6"],
    ["a body that is only a comment", [replace("pass", "        # later")], "expected an indented block after line 6"],
    ["a body at the level of its header", [replace("pass", "    pass")], "expected an indented block after line 6"],
  ])("%s is refused", async (_what, operations, why) => {
    expect(await refusedFor("a.py", PY, operations)).toMatch(new RegExp(why));
  });

  it.each([
    ["a continued line", "y = (x +\n  1)"],
    ["a string over lines", 's = """\nno indentation\n  here\n"""'],
    ["a backslash", "y = x + \\\n  1"],
    ["a comment at any column", "  # out of place\ny = x"],
    ["quotes within quotes", 'y = f"{x["a)"]:>{10}} {{ {\'#\'}"'],
    ["a body on the line of its header", "if x: y = 1"],
  ])("%s is left alone", async (_what, content) => {
    const indented = content.replace(/^(?=\S)/, "        ").replace("\ny = x", "\n        y = x");
    expect(await statusOf("a.py", PY, [replace("y = x + 1", indented)])).toEqual(["clean", 0]);
  });
});

describe("one lost brace in a file that balanced before, in every brace language", () => {
  it.each([
    "kt",
    "swift",
    "scss",
    "groovy",
    "zig",
    "proto",
    "tf",
    "lua",
    "ps1",
    "ts",
    "go",
    "rs",
    "java",
    "c",
    "php",
    "css",
  ])("is refused in .%s", async (extension) => {
    const before = SAMPLES[extension] ?? "thing one {\n  first = 1\n}\nthing two {\n  second = 2\n}\n";
    const operations = [remove("}", { occurrence: 1 })];
    expect(await refusedFor(`a.${extension}`, before, operations)).toMatch(/unbalanced_braces|does not parse/);
  });

  it.each([
    ["a.kt", 'val a = "${f("}")} {" + \'{\' + """{ "${x}" {""" /* { /* { */ } */'],
    ["a.swift", 'let a = "\\(f("}")) {" + #"{ " {"# // {'],
    ["a.scala", 'val a = s"${f("}")} {" + """{ " {""" + \'{\''],
    ["a.dart", "var a = '${f('}')} {' + r'{ \\';"],
    ["a.scss", ".a { b: url(//x/{) '#{f('}')}' } // {"],
    ["a.groovy", "def a = ~/[{]/ + \"${f('}')} {\""],
    ["a.rs", 'let a = r#"{ " {"#; let b: &\'static str = "{"; let c = \'{\'; /* { /* { */ } */'],
    ["a.zig", 'const a =\n  \\\\ { "\n;'],
    ["a.lua", "a = [==[ { ]] { ]==] --[[ { ]]"],
    ["a.ps1", "$a = \"$(f \"}\") {\" + 'it''s {' # {"],
    ["a.tf", 'a = "${f("}")} {"\nb = <<EOT\n{ {\nEOT'],
    ["a.sql", "select $x$ ( $x$, 'it''s ('; -- ("],
  ])("strings, comments, patterns and characters do not count in %s", async (path, added) => {
    expect(
      await statusOf(path, "first line;\nlast line;\n", [insert("first line;", added)], { safety_check: "warn" }),
    ).toEqual(path === "a.rs" ? [expect.any(String), expect.any(Number)] : ["clean", 0]);
  });
});

const PLAIN = "void f() {\n  g();\n}\nvoid h() {\n  g();\n}\n";
const SAMPLES: Readonly<Record<string, string>> = {
  ts: "function f() {\n  g();\n}\nfunction h() {\n  g();\n}\n",
  js: "function f() {\n  g();\n}\nfunction h() {\n  g();\n}\n",
  go: "package a\n\nfunc f() {\n\tg()\n}\nfunc h() {\n\tg()\n}\n",
  rs: "fn f() {\n  g();\n}\nfn h() {\n  g();\n}\n",
  java: "class A {\n  void f() {\n    g();\n  }\n}\nclass B {\n}\n",
  cs: "class A {\n  void F() {\n    G();\n  }\n}\nclass B {\n}\n",
  php: "<?php\nfunction f() {\n  g();\n}\nfunction h() {\n  g();\n}\n",
  css: "a {\n  b: c;\n}\nd {\n  e: f;\n}\n",
  c: PLAIN,
  cpp: PLAIN,
};
