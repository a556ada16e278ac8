import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

/** The result as "strategy: text", or the kind of the refusal. */
function outcome(text: string, oldText: string, newText: string, options = {}): string {
  const result = replaceText(text, oldText, newText, options);
  return result.ok ? `${result.strategy}: ${result.text}` : result.kind;
}

describe("levels of the ladder, in order", () => {
  it("exact: the bytes themselves, anywhere in a line", () => {
    expect(outcome("x = foo(1);\n", "foo(1)", "bar(2)")).toBe("exact: x = bar(2);\n");
  });

  it("exact comes first: other places that need a looser level do not count", () => {
    expect(outcome("  call(a);\ncall(a);  \n\tcall(a) ;\n", "call(a);  \n\t", "X\n\t")).toBe(
      "exact: \x20 call(a);\nX\n\tcall(a) ;\n",
    );
  });

  it("line endings: LF in old text, CRLF in the file", () => {
    expect(outcome("one\r\ntwo\r\nthree\r\n", "one\ntwo", "one\n2")).toBe("line_endings: one\r\n2\r\nthree\r\n");
  });

  it("trailing whitespace: blanks at line ends, in either text", () => {
    expect(outcome("first  \nsecond\t\nthird\n", "first\nsecond\nthird", "first\n2nd\nthird")).toBe(
      "trailing_whitespace: first  \n2nd\nthird\n",
    );
    expect(outcome("first\nsecond\n", "first  \nsecond", "first  \n2nd")).toBe("trailing_whitespace: first\n2nd\n");
  });

  it("trailing whitespace keeps the columns of a text that starts and ends within lines", () => {
    expect(outcome("call(foo(bar)) \nnext_line = 1\n", "bar))\nnext_line", "baz))\nother_line")).toBe(
      "trailing_whitespace: call(foo(baz))\nother_line = 1\n",
    );
  });

  it("blanks that end old text stand for the end of a line", () => {
    expect(outcome("let value = 1;\nlet values = 2;\n", "let value  ", "let item  ")).toBe("old_text_not_found");
    expect(outcome("start();\nlet value = 1;\n", "start();\nlet value  ", "x")).toBe("old_text_not_found");
  });

  it("unicode: look-alike quotes, dashes and spaces, composed or not", () => {
    expect(outcome("say “hi” – now\nend()\n", 'say "hi" - now\nend()', 'say "hi" - now\nstop()')).toBe(
      "unicode: say “hi” – now\nstop()\n",
    );
    expect(outcome("cafe\u0301 menu\nend\n", "café menu\nend", "café menu\nbar")).toBe(
      "unicode: cafe\u0301 menu\nbar\n",
    );
    expect(outcome("a\u00a0long line…\nkeep’s\n", "a long line...\nkeep's", "keep's")).toBe("unicode: keep’s\n");
  });

  it("unicode: a text that starts or ends within what one character stands for is not there", () => {
    expect(outcome("wait… for all of it\nend()\n", ".. for all of it", "? for all of it")).toBe("old_text_not_found");
    expect(outcome("call(1);\nwait… for all\n", "call(1);\nwait..", "call(2);\nwait..")).toBe("old_text_not_found");
    expect(outcome("wait…\ncall(1);\n", "..\ncall(1);", "..\ncall(2);")).toBe("old_text_not_found");
    expect(outcome("wait…\ncall(1);\n", "...\ncall(1);", "...\ncall(2);")).toBe("unicode: wait…\ncall(2);\n");
  });

  it("the end of the line before, at any level", () => {
    expect(outcome("one();\ntwo(1,  2);\nthree();\n", "\ntwo(1, 2);\n", "\ntwo(1, 3);\n")).toBe(
      "whitespace_collapse: one();\ntwo(1, 3);\nthree();\n",
    );
  });

  it("whitespace collapse: the amount of blank space within a line", () => {
    expect(outcome("x    = compute(a,\tb)\ny()\n", "x = compute(a, b)\ny()", "x = compute(a, b)\nz()")).toBe(
      "whitespace_collapse: x    = compute(a,\tb)\nz()\n",
    );
    expect(outcome("prefix compute(a,   b)\nsuffix\n", "compute(a, b)\nsuffix", "compute(a, b)\nend")).toBe(
      "whitespace_collapse: prefix compute(a,   b)\nend\n",
    );
  });

  it("indentation: one rule for all lines, new lines follow it", () => {
    expect(outcome("    if (a) {\n      b();\n    }\n", "if (a) {\n  b();\n}", "if (a) {\n  b();\n  c();\n}")).toBe(
      "indentation:     if (a) {\n      b();\n      c();\n    }\n",
    );
    expect(
      outcome("\tif (a) {\n\t\tb();\n\t}\n", "    if (a) {\n        b();\n    }", "    if (a) {\n        c();\n    }"),
    ).toBe("indentation: \tif (a) {\n\t\tc();\n\t}\n");
  });

  it("old text that ends in a newline matches a last line without one, which stays without", () => {
    expect(outcome("alpha\nbravo charlie", "bravo charlie\n", "bravo delta\n")).toMatch(/: alpha\nbravo delta$/);
  });

  it("text of a few characters is taken exactly or not at all", () => {
    expect(outcome("  }  \n", "\t}", "\t} // end")).toBe("old_text_not_found");
    expect(outcome("a; \nb\n", "a;\nb", "c")).toBe("old_text_not_found");
  });
});

describe("two places at any level are refused at once", () => {
  it.each([
    ["exact", "a();\nb();\na();\n", "a();"],
    ["line endings", "foo(1);\r\nbar(2);\r\n-\r\nfoo(1);\r\nbar(2);\r\n", "foo(1);\nbar(2);"],
    ["trailing whitespace", "foo(1);  \nbar(2);\n-\nfoo(1);\t\nbar(2);\n", "foo(1);\nbar(2);"],
    ["unicode", "say “hello”\nsay ”hello“\n", 'say "hello"'],
    ["whitespace", "let  x = 10;\nlet x  = 10;\n", "let x = 10;"],
    ["indentation", "\tflush();\n\treturn 0;\n-\n\t\tflush();\n\t\treturn 0;\n", "    flush();\n    return 0;"],
  ])("%s", (_, text, oldText) => {
    expect(outcome(text, oldText, "something else")).toBe("multiple_matches");
  });

  it("names the lines", () => {
    const result = replaceText("a();\nb();\na();\n", "a();", "c();");
    expect(result.ok ? "" : result.message).toBe(
      "The old text is in 2 places: lines 1 and 3. Add lines before or after it that only the right place has.",
    );
  });

  it("a looser level is not asked when a narrower one is ambiguous", () => {
    expect(outcome("call(x);\ncall(x);\n  call(x); \n", "call(x);\n", "call(y);\n")).toBe("multiple_matches");
  });
});

describe("replace all", () => {
  it("replaces every place of the first level that has any", () => {
    expect(outcome("a b a", "a", "c", { replaceAll: true })).toBe("exact: c b c");
    expect(outcome("foo(1);  \nbar();\nfoo(1);\t\nbar();\n", "foo(1);\nbar();", "x", { replaceAll: true })).toBe(
      "trailing_whitespace: x\nx\n",
    );
  });

  it("counts what it replaced, without overlaps", () => {
    expect(replaceText("aaaa", "aa", "b", { replaceAll: true })).toMatchObject({ text: "bb", occurrences: 2 });
  });

  it("is not for similar text", () => {
    const text = "one();\ntwo();\nthree();\n\n// note\n";
    expect(outcome(text, "one();\nTWO();\nthree();", "x", { replaceAll: true, seen: true })).toBe("old_text_not_found");
  });
});
