// Good code that a parser here does not know: never reason enough to refuse an edit.

import { describe, expect, it } from "vitest";
import { checkEdit, lint, syntaxErrors } from "../../src/check/index.ts";

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
    expect(await syntaxErrors(path, before)).toMatchObject({ errors: [] });
    expect(await suspicious(path, before, after)).toEqual([]);
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
    expect(await suspicious(path, before, after)).toMatchObject([{ check: "syntax" }]);
  });

  it("in Rust and CSS with its delimiters in order is doubtful", async () => {
    for (const [path, before, after] of [
      ["a.rs", RUST, RUST.replace("run()", "let x = ")],
      ["a.css", CSS, CSS.replace("color: red", "color red blue:")],
    ] as const) {
      expect(await checkEdit({ path, before, after })).toMatchObject([{ check: "syntax", severity: "doubtful" }]);
    }
  });
});

it("lint has no opinion on templates and on Flow", async () => {
  expect(await lint("a.yaml", "{% if x %}\n")).toBeNull();
  expect(await lint("a.js", "// @flow\ntype A = {| b: number |};\n")).toBeNull();
});

describe("a range in a media query", () => {
  it.each(["(width >= 600px)", "screen and (400px <= width <= 700px)", "(width>1px) and (not (height<2em))"])(
    "%s is no error",
    async (query) => {
      const css = `${CSS}@media ${query} {\n  a { color: blue; }\n}\n`;
      expect(await checkEdit({ path: "a.css", before: CSS, after: css })).toEqual([]);
      const broken = css.replace("blue; }", "blue;");
      expect(await checkEdit({ path: "a.css", before: CSS, after: broken })).not.toEqual([]);
    },
  );

  it("that is none is an error", async () => {
    const css = `${CSS}@media (width > ) {\n  a { color: blue; }\n}\n`;
    expect(await checkEdit({ path: "a.css", before: CSS, after: css })).not.toEqual([]);
  });
});

describe("what a grammar makes of a text in quotes", () => {
  it.each([
    "'}'",
    '"{"',
    String.raw`"\"{"`,
    String.raw`'\'('`,
    '"/* {"',
    String.raw`"a \
  {"`,
  ])("%s in CSS is no error", async (text) => {
    const css = CSS.replace("color: red", `content: ${text}`);
    expect(await syntaxErrors("a.css", css)).toMatchObject({ errors: [] });
    expect(await checkEdit({ path: "a.css", before: CSS, after: css })).toEqual([]);
  });

  it.each(['"', String.raw`"\"`, "'\""])("%s is not closed, which is one", async (text) => {
    const css = CSS.replace("color: red", `content: ${text}`);
    expect((await syntaxErrors("a.css", css))?.errors).toHaveLength(1);
  });
});
