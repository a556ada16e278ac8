import { syntaxErrors } from "stet/check";
import { describe, expect, it } from "vitest";

// [path, a text that parses, the same text damaged, the line where that shows]
const LANGUAGES: readonly (readonly [string, string, string, number])[] = [
  ["a.js", "const a = [1, 2];\nmodule.exports = a;\n", "const a = [1, 2;\nmodule.exports = a;\n", 1],
  ["a.jsx", "export const A = () => (\n  <p>hi</p>\n);\n", "export const A = () => (\n  <p>hi</div>\n);\n", 2],
  ["a.mjs", "export default await load();\n", "export default await load(;\n", 1],
  ["a.cjs", "if (done) return;\nrun();\n", "if (done return;\nrun();\n", 1],
  ["a.ts", "const n: number = <number>value;\n", "const n: = <number>value;\n", 1],
  ["a.mts", "import type { A } from './a.ts';\n", "import type { A from './a.ts';\n", 1],
  ["a.cts", "const a = require('a') as { b: 1 };\n", "const a = require('a') as { b: 1 ;;\n", 1],
  ["a.tsx", "const a = <T,>(x: T) => <b>{x}</b>;\n", "const a = <T,>(x: T) => <b>{x}</b;\n", 1],
  ["a.d.ts", "declare const a: string;\nexport interface B {}\n", "declare const a: string;\nexport interface {}\n", 2],
  ["a.json", '{\n  "a": [1, 2]\n}\n', '{\n  "a": [1, 2,]\n}\n', 2],
  ["a.jsonc", '{\n  // why\n  "a": 1,\n}\n', '{\n  // why\n  "a": 1\n  "b": 2\n}\n', 4],
  ["tsconfig.base.json", '{ "a": 1, } // end\n', '{ "a": 1, // end\n', 1],
  ["app/.vscode/launch.json", "[/* none */]\n", "[/* none */\n", 1],
  ["a.jsonl", '{"a":1}\n\n{"b":2}\n', '{"a":1}\n\n{"b":2\n', 3],
  ["a.yaml", "a: 1\nb:\n  - x\n---\nc: 2\n", "a: 1\nb:\n  - x\n---\nc: [2\n", 5],
  ["a.yml", "a: 1\n", "a: 1\na: 2\n", 2],
  ["a.toml", '[a]\nb = "c"\n', '[a]\nb = "c\n', 2],
  ["a.py", "def f(x):\n    return (x)\n", "def f(x):\n    return (x\n", 2],
  ["a.go", "package a\n\nfunc f() int {\n\treturn 1\n}\n", "package a\n\nfunc f() int {\n\treturn 1\n", 4],
  ["a.rs", "fn f() -> u8 {\n    let x = 1;\n    x\n}\n", "fn f() -> u8 {\n    let x = ;\n    x\n}\n", 2],
  ["A.java", "class A {\n  int f() { return 1; }\n}\n", "class A {\n  int f() { return 1; \n}\n", 3],
  ["a.c", "int f(int a) {\n  return a;\n}\n", "int f(int a {\n  return a;\n}\n", 1],
  ["a.cpp", "auto f = [](auto x) { return x; };\n", "auto f = [](auto x) { return x; ;\n", 1],
  ["A.cs", "class A {\n  int F() => 1;\n}\n", "class A {\n  int F( => 1;\n}\n", 2],
  ["a.rb", "def f\n  [1, 2]\nend\n", "def f\n  [1, 2\nend\n", 1],
  ["a.php", "<?php\nfunction f($a) { return $a; }\n", "<?php\nfunction f($a { return $a; }\n", 2],
  ["a.sh", 'if [ -n "$1" ]; then\n  echo "$1"\nfi\n', 'if [ -n "$1" ]; then\n  echo "$1"\n', 2],
];

describe("syntaxErrors", () => {
  it.each(LANGUAGES)("%s: accepts good text", async (path, good) => {
    expect(await syntaxErrors(path, good)).toMatchObject({ errors: [] });
  });

  it.each(LANGUAGES)("%s: says where damaged text is broken", async (path, _, damaged, line) => {
    const report = await syntaxErrors(path, damaged);
    expect(report?.errors[0]?.message).toMatch(/\S/);
    expect(report?.errors[0]?.line).toBe(line);
  });

  it.each(["a.txt", "a.md", "Makefile", "a", "a.kt", "a.ps1", "a.css", "a.html", ""])(
    "has no parser for %j",
    async (path) => {
      expect(await syntaxErrors(path, "((((")).toBeNull();
    },
  );

  it("keeps strict JSON strict and reads a byte order mark as none", async () => {
    expect((await syntaxErrors("a.json", '{ "a": 1 } // no'))?.errors[0]?.message).toBe("invalid comment token");
    expect(await syntaxErrors("a.json", '\uFEFF{ "a": 1 }')).toMatchObject({ errors: [] });
    expect(await syntaxErrors("a.ts", "\uFEFFlet a = 1;")).toMatchObject({ errors: [] });
  });

  it("accepts what JavaScript files of every flavour hold", async () => {
    const flavours = ["with (a) {}", "#!/usr/bin/env node\nreturn 1;", "await x;", "let await = 010;", "<p>{a}</p>;"];
    for (const text of flavours) expect(await syntaxErrors("a.js", text), text).toMatchObject({ errors: [] });
  });

  it("does not take a name declared twice for bad grammar", async () => {
    expect(await syntaxErrors("a.js", "let a;\nlet a;\n")).toEqual({ parser: "oxc", errors: [] });
  });

  it("allows several merge keys and unknown tags in YAML", async () => {
    const text = "a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n  c: !Ref d\n";
    expect(await syntaxErrors("a.yml", text)).toMatchObject({ errors: [] });
    expect((await syntaxErrors("a.yml", `${text}  c: e\n`))?.errors).toMatchObject([{ line: 6, column: 3 }]);
  });

  it("counts lines as the editing engines do: at LF and CRLF, not at a lone CR", async () => {
    expect((await syntaxErrors("a.py", "a = 1\r\nb = 2\r\nc = (\r\n"))?.errors[0]?.line).toBe(3);
    expect((await syntaxErrors("a.ts", "let a = 1\rlet b = 2\nlet = = 3\r"))?.errors[0]?.line).toBe(2);
  });
});
