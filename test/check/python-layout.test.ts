// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of other languages has them
// Python's layout: what its own tokenizer would refuse.
import { checkEdit } from "stet/check";
import { expect, it } from "vitest";

const BEFORE = "z = 0\n";
const warningsOf = (text: string) => checkEdit({ path: "a.py", before: BEFORE, after: BEFORE + text });
const MIXED = "inconsistent use of tabs and spaces in indentation";

it.each([
  ["a tab after spaces goes to the next eighth column", "if a:\n\tx = 1\n    \ty = 2\n", 3, MIXED],
  ["deeper by columns, not by characters", "if a:\n        if b:\n\t x = 1\n", 3, MIXED],
  ["an indent after nothing", "x = 1\n  y = 2\n", 2, "unexpected indent"],
  ["no body", "if a:\nx = 1\n", 2, "expected an indented block after line 2"],
  ["between levels", "if a:\n    x = 1\n  y = 2\n", 3, "unindent does not match any outer indentation level"],
  ["a closer alone", "x = 1)\n", 1, '")" closes nothing'],
  ["an opener alone", "x = [1,\n  2\n", 1, '"[" is never closed'],
  ["a string", "x = 'a\n", 1, "a string is not closed"],
])("finds %s", async (_name, text, line, message) => {
  const [first] = await warningsOf(text);
  expect(first).toMatchObject({ line: line + 1, severity: "suspicious", message: expect.stringContaining(message) });
});

it.each([
  ["comments and blank lines at any depth", "if a:\n  # b\n\n        # c\n    x = 1\n# d\n    y = 2\n"],
  ["brackets over lines", "x = (\n1,\n  2)\ny = 3\n"],
  ["strings with nothing in them", 'x = \'\' + "" + """"""\ny = 3\n'],
  ["CRLF with a backslash at the end of a line", "x = 1 + \\\r\n  2\r\ny = 3\r\n"],
  ["a field with the same quotes", 'x = f"{a["("]:>{width}}"\ny = 3\n'],
  ["three quotes in a field of three quotes over lines", 'x = f"""a\n{b("""(""")}"""\ny = 3\n'],
])("is not suspicious of %s", async (_name, text) => {
  expect((await warningsOf(text)).filter(({ severity }) => severity === "suspicious")).toEqual([]);
});
