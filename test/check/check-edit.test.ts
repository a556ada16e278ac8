import { checkEdit, syntaxErrors, type Warning } from "stet/check";
import { describe, expect, it } from "vitest";

const check = async (path: string, before: string | null, after: string | null): Promise<string[]> =>
  (await checkEdit({ path, before, after })).map(short);

const short = ({ severity, check, line }: Warning): string => `${severity} ${check} ${line}`;

const TS = "export function area(width: number, height: number): number {\n  return width * height;\n}\n";

describe("a file that parsed and no longer does", () => {
  it.each([
    ["a.ts", TS, TS.replace("height;", "(height;"), 2],
    ["a.py", "def f(x):\n    return x\n", "def f(x):\n    return [x\n", 2],
    ["a.json", '{\n  "a": 1\n}\n', '{\n  "a": 1\n  "b": 2\n}\n', 3],
    ["a.yaml", "a: 1\nb: 2\n", "a: 1\nb: 2\na: 3\n", 3],
    ["a.toml", "a = 1\n", "a = 1\na = 2\n", 2],
  ])("%s is suspicious", async (path, before, after, line) => {
    // A parser that is still being loaded is not waited for.
    await expect.poll(() => check(path, before, after)).toEqual([`suspicious syntax ${line}`]);
  });

  it("by a grammar is a note: it may be older than the language, or misled by macros", async () => {
    const go = "package a\n\nvar A = 1\n";
    await expect.poll(() => check("a.go", go, go.replace("=", "= ="))).toEqual(["note syntax 3"]);
    const c = "int f(int a) {\n  return a;\n}\n";
    await expect.poll(() => check("a.c", c, c.replace("return", "MACRO return"))).toEqual(["note syntax 2"]);
    expect(await check("a.c", c, c.replace("return a;", "if (a) { return a;"))).toEqual([
      "suspicious unbalanced_braces 1",
    ]);
  });

  it("shows at the first line that was edited within what does not parse", async () => {
    const lines = ["package a", "", "var x = f(", "\t1,", ")"];
    const shown = (...after: string[]) => check("a.go", `${lines.join("\n")}\n`, `${after.join("\n")}\n`);
    expect(await shown(...lines.with(4, ") = ="))).toEqual(["note syntax 5"]);
  });

  it("says what the parser says", async () => {
    const [warning] = await checkEdit({ path: "a.json", before: "[1]", after: "[1" });
    expect(warning?.message).toBe(
      "the file parsed before this edit and does not parse after it: close bracket expected (json)",
    );
  });

  it("is shown at the edited line when the parser loses its way far above", async () => {
    const before = "def f\n  g\n  if a\n    b\n  end\nend\n";
    const after = before.replace("  end\n", "");
    expect((await syntaxErrors("a.rb", after))?.errors).toMatchObject([{ line: 1 }]);
    expect(await check("a.rb", before, after)).toEqual(["note syntax 5"]);
  });
});

describe("a file that parses", () => {
  it.each([
    ["a.ts", TS, TS.replace("width * height", "height * width")],
    ["a.ts", TS, `${TS}const brackets = "{{{((([[[";\n// }}}\n`],
    ["a.py", "x = 1\n", "x = '((('  # [[[[\n"],
    ["a.json", '{"a": 1}', '{"a": "}}}}"}'],
    ["docs/tsconfig.json", "{}", "{\n  // why\n}"],
  ])("%s: no warning, whatever its delimiters seem to say", async (path, before, after) => {
    expect(await check(path, before, after)).toEqual([]);
  });

  it("gets a note when a name is now declared twice: the next edit may remove the other one", async () => {
    expect(await check("a.ts", "const a = 1;\n", "const a = 1;\nlet a = 2;\n")).toEqual(["note syntax 1"]);
    expect(await check("a.ts", "let a;\nlet a;\n", "let a;\nlet a;\nlet b;\n")).toEqual([]);
  });
});

describe("a file that was broken before", () => {
  it.each([
    ["chart/templates/a.yaml", "{{- if .Values.a }}\na: {{ .Values.b }}\n{{- end }}\n", "a: 1", "a: {{ .Values.c }}"],
    ["a.ts", "let = ;\n", ";", ";\nfunction ( {{{{"],
    ["a.py", "def f(:\n", "\n", "\n  ((((\n"],
    ["a.json", "{ broken\n", "broken", "broken: [[[["],
  ])("%s is never suspicious", async (path, before, from, to) => {
    const warnings = await checkEdit({ path, before, after: before.replace(from, to) });
    expect(warnings.filter((warning) => warning.severity === "suspicious")).toEqual([]);
  });
});

describe("creation, deletion, no change", () => {
  it("notes a new file that does not parse", async () => {
    expect(await check("a.json", null, "{ a }")).toEqual(["note syntax 1"]);
    expect(await check("a.ts", "", "let = ;")).toEqual(["note syntax 1"]);
    expect(await check("a.kt", null, "fun f() {{{")).toEqual(["note unbalanced_braces 1"]);
    expect(await check("a.ts", null, "// ... existing code ...\n")).toEqual(["note omission_placeholder 1"]);
  });

  it("has nothing to say about a good new file, a deletion, an emptied file or none of these", async () => {
    expect(await check("a.json", null, "{}")).toEqual([]);
    expect(await check("a.json", "{}", null)).toEqual([]);
    expect(await check("a.json", "{}", "\n")).toEqual([]);
    expect(await check("a.json", "{ broken", "{ broken")).toEqual([]);
    expect(await check("a.json", null, null)).toEqual([]);
  });
});

describe("omission placeholders", () => {
  const code = "a();\nb();\nc();\n";

  it("in code are suspicious when the old text lacked them", async () => {
    const after = "a();\n// ... existing code ...\n";
    expect(await check("a.js", code, after)).toEqual(["suspicious omission_placeholder 2"]);
    expect(await check("a.js", `${code}// ... existing code ...\n`, after)).toEqual([]);
  });

  it("elsewhere are a note: a manual may quote one", async () => {
    expect(await check("a.md", code, "a();\n// ... existing code ...\n")).toEqual(["note omission_placeholder 2"]);
    expect(await check("notes", code, "a();\n// ... existing code ...\n")).toEqual(["note omission_placeholder 2"]);
  });
});

describe("identical new lines", () => {
  const messages = async (before: string, after: string) =>
    (await checkEdit({ path: "a.txt", before, after })).map(({ message }) => message);

  it("are counted up to ten", async () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, n) => `other ${n} words\nsame words here\n`).join("");
    expect(await messages("start\n", `start\n${lines(10)}`)).toEqual([
      "identical lines at 3, 5, 7, 9, 11, 13, 15, 17, 19, 21",
    ]);
    expect(await messages("start\n", `start\n${lines(11)}`)).toEqual([
      "identical lines at 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, …",
    ]);
  });

  it("are no news where the old text has them, however it indents them", async () => {
    const added = "same words here\nother words\nsame words here\n";
    expect(await messages("start\n", `start\n${added}`)).toHaveLength(1);
    expect(await messages("    same words here\nstart\n", `    same words here\nstart\n${added}`)).toEqual([]);
  });
});
