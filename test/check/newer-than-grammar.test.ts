// Good code that a parser here does not know: never reason enough to refuse an edit.
import { checkEdit, lint } from "stet/check";
import { describe, expect, it } from "vitest";

const CSS = "a {\n  color: red;\n}\n";
const RUST = "fn main() {\n    run();\n}\n";
const C = "int f(int a) {\n  if (a) {\n    return 1;\n  }\n  return 0;\n}\n";
const YAML = "a: 1\nb: 2\n";
const JS = "const a = 1;\n";

const suspicious = async (path: string, before: string, after: string) =>
  (await checkEdit({ path, before, after })).filter((warning) => warning.severity === "suspicious");

describe("legitimate edits", () => {
  const guarded = (more: string) => C.replace("  if (a) {\n", `#if A\n  if (a) {\n${more}#else\n  if (!a) {\n#endif\n`);
  const nested = "# if A\n  if (a) {\n#  if B\n  g();\n#  else\n  h() {{{{\n#  endif\n# else\n  if (b) {\n#endif\n";
  it.each([
    ["a range in a media query", "a.css", CSS, `${CSS}@media (width >= 600px) {\n  a { color: blue; }\n}\n`],
    ["a nested selector", "a.css", CSS, `${CSS}.a {\n  .b & {\n    color: blue;\n  }\n}\n`],
    [
      "a nested container query",
      "a.css",
      CSS,
      `${CSS}.a {\n  @container (min-width: 1px) {\n    color: blue;\n  }\n}\n`,
    ],
    ["safe functions of an extern block", "a.rs", RUST, `${RUST}unsafe extern "C" {\n    safe fn x();\n}\n`],
    ["a brace in each branch of #if", "a.c", C, guarded("")],
    ["three branches", "a.h", C, guarded("#elif defined(B)\n  if (b) {\n")],
    ["branches in branches", "a.cc", C, C.replace("  if (a) {\n", nested)],
    ["a template statement", "a.yaml", YAML, `${YAML}{% if x %}\nc: 3\n{% endif %}\n`],
    ["a trimming template action", "a.yml", YAML, `${YAML}{{- if .x }}\nc: 3\n{{- end }}\n`],
    ["a template action on its own line", "a.yaml", YAML, `${YAML}{{ if .x }}\nc: 3\n{{ end }}\n`],
    ["types after // @flow", "a.js", JS, `// @flow\ntype A = {| b: number |};\n${JS}`],
    ["types after /* @flow */", "a.jsx", JS, `/* @flow strict */\n${JS.replace("a", "a: number")}`],
  ])("%s", async (_, path, before, after) => {
    expect(await suspicious(path, before, after)).toEqual([]);
  });
});

/** By file: what it has before, and good code to add to it that its grammar takes for an error. */
const NEWER: readonly (readonly [path: string, before: string, ...added: string[]])[] = [
  [
    "a.cpp",
    "int f(int a) { return a; }\n",
    "int g() { if consteval { return 1; } else { return 2; } }",
    "int g() { if !consteval { return 1; } return 2; }",
  ],
  [
    "a.c",
    "int f(int a) { return a; }\n",
    "void g(int x) { typeof(x) y = x; typeof_unqual(int (*)(int)) *p = nullptr; }",
    "int g(typeof(f(1)) b); unsigned _BitInt(3) y; _Atomic(int) z;",
  ],
  [
    "a.rs",
    RUST,
    'unsafe extern "C" { pub safe fn x(a: *const u8, ...) -> i32; unsafe fn y(); pub safe static A: u32; }',
  ],
  ["a.go", "package a\n\nfunc f() { g() }\n", "const (A = 1; B = 2)", "var (a, b = 1, h(2); c []int)"],
  [
    "a.java",
    "import a.B;\n",
    "import module java.base;",
    "class A extends B { A(int x) { if (x < 0) throw new E(); super(x); } }",
  ],
  [
    "a.cs",
    "class A { void F() { G(); } }\n",
    'class B { List<int> x = []; int[][] y = [[], [1], [.. x]]; D d = new() { ["a"] = [] }; }',
    "class B { int[] F() { G([], 1); var y = x ?? []; return [..a, 1]; } int[] H() => []; }",
  ],
  [
    "a.php",
    "<?php\nfunction f() { g(); }\n",
    "class A { public private(set) string $x; protected(set) int $y; function __construct(public private(set) int $q) {} }",
    "$x = clone($a, ['b' => 1]);",
  ],
  [
    "a.py",
    "def f():\n    g()\n",
    "class A[T = int]:\n    pass",
    "def g[T: (int, str) = int, *Ts = *tuple[int, list[int]]](x: T) -> T:\n    return x",
  ],
  ["a.rb", "def f\n  g\nend\n", 'def h(x) = puts "x", x', "x = a\n  && b\n  || c"],
  [
    "a.sh",
    "f() {\n  g\n}\n",
    `x=$\{ echo a; }\ny=$\{| REPLY=$\{z}; }`,
    "case $x in\n  (c) echo 2;&\n  *) echo 3;;&\nesac",
  ],
  [
    "a.css",
    CSS,
    '@import "a.css" layer(b) supports(display: grid);',
    "@container card (width > 400px) and style(--a: b) { a { b: c } }",
  ],
];

describe("newer than the grammar", () => {
  const cases = NEWER.flatMap(([path, before, ...added]) => added.map((text) => ({ path, before, text })));
  const found = async (path: string, before: string, after: string) =>
    (await checkEdit({ path, before, after })).filter(({ severity }) => severity !== "note");

  it.each(cases)("$path: $text", async ({ path, before, text }) => {
    const good = `${before}${text}\n`;
    expect(await found(path, before, good)).toEqual([]);
  });

  it.each(["/a(b|c\\(/", "#/a/{b}(/#", "n / (2) / m"])("Swift: %s", async (value) => {
    const swift = "func f() {\n  g()\n}\n";
    const good = `${swift}let r = ${value}\n`;
    expect(await found("a.swift", swift, good)).toEqual([]);
    expect(await found("a.swift", good, `${good}func h() {\n`)).toMatchObject([{ check: "unbalanced_braces" }]);
  });
});

describe("damage in the same files", () => {
  it.each([
    ["a.css", CSS, `${CSS}@media (width >= 600px) {\n  a { color: blue; \n}\n`],
    ["a.rs", RUST, RUST.replace("run();", "if a { run();")],
    ["a.c", C, C.replace("  if (a) {\n", "#if A\n  if (a) {{\n#else\n  if (!a) {\n#endif\n")],
    ["a.c", C, C.replace("  }\n", "")],
    ["a.yaml", YAML, `${YAML}c: [3\n`],
    ["a.yaml", YAML, `${YAML}c: "{{ x }}"\na: 3\n`],
    ["a.js", JS, JS.replace("1", "(1")],
  ])("%s is suspicious", async (path, before, after) => {
    expect(await suspicious(path, before, after)).toMatchObject([
      { check: /^(?:css|rs|c)$/.test(path.slice(2)) ? "unbalanced_braces" : "syntax" },
    ]);
  });
});

it("lint has no opinion on templates and on Flow", async () => {
  expect(await lint("a.yaml", "{% if x %}\n")).toBeNull();
  expect(await lint("a.js", "// @flow\ntype A = {| b: number |};\n")).toBeNull();
});
