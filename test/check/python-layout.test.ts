// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of other languages has them
// Python's layout: what its own tokenizer would refuse, and the words for it.
import { expect, it } from "vitest";
import { pythonLayout, withoutBreaks } from "../../src/check/parsers/python-layout.ts";

const said = (text: string): string | undefined => {
  const [first] = pythonLayout(text) ?? [];
  return first && `${first.line}:${first.column} ${first.message}`;
};

it.each([
  ["a tab after spaces goes to the next eighth column", "if a:\n\tx = 1\n    \ty = 2\n", MIXED(3, 6)],
  ["two tabs are sixteen columns", "if a:\n\t\tx = 1\n                y = 2\n", MIXED(3, 17)],
  ["deeper by columns, not by characters", "if a:\n        if b:\n\t x = 1\n", MIXED(3, 3)],
  ["an indent after nothing", "x = 1\n  y = 2\n", "2:3 unexpected indent"],
  ["an indent after an f-string", 'x = f"{a}"\n  y = 2\n', "2:3 unexpected indent"],
  ["no body", "if a:\nx = 1\n", "2:1 expected an indented block after line 1"],
  ["no body at the end", "if a:\n    if b:\n", "2:1 expected an indented block after line 2"],
  ["between levels", "if a:\n    x = 1\n  y = 2\n", "3:3 unindent does not match any outer indentation level"],
  ["a closer alone", "x = 1)\n", '1:6 ")" closes nothing'],
  ["another closer", "x = (1]\n", '1:7 "]" does not close "("'],
  ["an opener alone", "x = [1,\n  2\n", '1:5 "[" is never closed'],
  ["a string", "x = 'a\n", "1:5 a string is not closed"],
])("finds %s", (_name, text, expected) => {
  expect(said(text)).toBe(expected);
});

function MIXED(line: number, column: number): string {
  return `${line}:${column} inconsistent use of tabs and spaces in indentation`;
}

it.each([
  ["a form feed before the line", "if a:\n    x = 1\n\fy = 2\n"],
  ["comments and blank lines at any depth", "if a:\n  # b\n\n        # c\n    x = 1\n# d\n    y = 2\n"],
  ["brackets over lines", "x = (\n1,\n  2)\ny = 3\n"],
  ["CRLF with a backslash at the end of a line", "x = 1 + \\\r\n  2\r\ny = 3\r\n"],
  ["CRLF with a backslash in a string", "x = 'a\\\r\nb'\r\ny = 3\r\n"],
  ["a field with the same quotes", 'x = f"{a["("]:>{width}}"\ny = 3\n'],
  ["a name in braces", 'x = f"\\N{DASH}{a}"\ny = 3\n'],
  ["braces twice", 'x = f"{{ {a} }}"\ny = 3\n'],
  ["a raw string with a field behind a backslash", 'x = rf"\\{a["("]}"\ny = 3\n'],
  ["an f-string at the very beginning", 'f"{a["("]}"\ny = 3\n'],
  ["an escaped quote before a field", 'x = f"\\"{a["("]}"\ny = 3\n'],
  ["a field between braces that stand for themselves", 'x = f"{{{a["("]}}}"\ny = 3\n'],
  ["three quotes in a field of three quotes over lines", 'x = f"""a\n{b("""(""")}"""\ny = 3\n'],
  ["three quotes", 'x = """a\n  "b"\n"""\ny = 3\n'],
])("accepts %s", (_name, text) => {
  expect(pythonLayout(text)).toEqual([]);
});

it("says nothing of a string with code in it that may go on", () => {
  expect(pythonLayout('x = f"{a\n  y = 2\n')).toBeNull();
  expect(pythonLayout('x = f"a\ny = b"\n')).toBeNull();
});

it("takes breaks in brackets out, at the same offsets", () => {
  expect(withoutBreaks("x = (1, # one\n  2)\ny = 3 # three\n")).toBe(`x = (1,${" ".repeat(7)}  2)\ny = 3 # three\n`);
  expect(withoutBreaks("x = (1,\r\n  2\n")).toBe("x = (1,\r\n  2\n");
});
