import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

function outcome(text: string, oldText: string, newText: string, options = {}): string {
  const result = replaceText(text, oldText, newText, options);
  return result.ok ? `${result.strategy}: ${result.text}` : result.kind;
}

const filler = (line: (n: number) => string, count = 40) =>
  Array.from({ length: count }, (_, n) => `${line(n)}\n`).join("");

describe("what is left out does not reach into the neighbour", () => {
  it.each([
    [
      "function",
      "function alpha() {\n  foo();\n  return z;\n}\n\nfunction beta() {\n  bar();\n  return x;\n}\n",
      "function alpha() {\n  ...\n  return x;\n}",
      "return x",
    ],
    [
      "def",
      "def alpha():\n    foo()\n    return z_value\n\ndef beta():\n    bar()\n    return x_value\n",
      "def alpha():\n    ...\n    return x_value",
      "return x_value",
    ],
    [
      "empty body",
      "def alpha\nend\ndef beta\n  return x_value\nend\n",
      "def alpha\n  ...\n  return x_value\nend",
      "return x_value",
    ],
    [
      "CREATE TABLE",
      "CREATE TABLE users (\n  id int,\n  name text\n);\nCREATE TABLE posts (\n  id int,\n  title text\n);\n",
      "CREATE TABLE users (\n  ...\n  title text\n);",
      "title text",
    ],
    [
      "class",
      "class A {\n  one() {\n    return 1;\n  }\n}\n\nclass B {\n  two() {\n    return 2;\n  }\n}\n",
      "class A {\n  ...\n  two() {\n    return 2;",
      "return 2",
    ],
    [
      "[section]",
      `[server]\nhost = a\n${filler((n) => `key${n} = ${n}`)}[client]\nhost = b\nport_number = 80\n`,
      "[server]\n...\nport_number = 80",
      "= 80",
    ],
    [
      "section behind a part that stays",
      "[server]\nhost = a\nuser = x\n[client]\nport_number = 80\n",
      "[server]\n...\nuser = x\n...\nport_number = 80",
      "= 80",
    ],
    [
      "heading",
      "## Install\n\nRun the command once.\n\n## Usage\n\nRun the command twice.\n",
      "## Install\n...\nRun the command twice.",
      "twice",
    ],
    [
      "part that stays, found in the neighbour only",
      "function alpha() {\n  one();\n}\nfunction beta() {\n  shared();\n  last(1);\n}\n",
      "function alpha() {\n  ...\n  shared();\n  ...\n  last(1);",
      "last(1)",
    ],
    [
      "closing line",
      "function alpha() {\n  foo(1);\n}\nfunction beta() {\n}\nexport default a;\n",
      "function alpha() {\n  foo(1);\n  ...\n}\nexport default a;",
      "export default a",
    ],
  ])("%s", (_, text, oldText, changed) => {
    expect(outcome(text, oldText, oldText.replace(changed, `other ${changed}`))).toBe("old_text_not_found");
  });

  it("a deeper heading is part of the section", () => {
    const text = "## Install\n\n### Linux\n\nRun the command twice.\n";
    expect(outcome(text, "## Install\n...\nRun the command twice.", "## Install\n...\nRun it.")).toBe(
      "elision: ## Install\n\n### Linux\n\nRun it.\n",
    );
  });

  it("many equal parts in a file of equal lines do not take for ever", () => {
    const text = filler(() => "equal line", 20_000);
    const old = Array.from({ length: 40 }, () => `...\n${filler(() => "equal line", 100)}`).join("");
    expect(outcome(`${text}tail line\n`, `${old}...\ntail line`, `${old}...\nother line`)).toMatch(
      /^(elision: |old_text_not_found)/,
    );
  });
});

describe("old text that starts within the indentation", () => {
  const text = "def f(x):\n    if x:\n        return handle(x)\n";
  const oldText = "    return handle(x)\n";
  const newText = "    log(x)\n    return handle(x)\n";

  it.each([{}, { replaceAll: true }])("new lines take the file's indentation %o", (options) => {
    expect(outcome(text, oldText, newText, options)).toBe(
      "exact: def f(x):\n    if x:\n        log(x)\n        return handle(x)\n",
    );
  });

  it("an empty line counts as one", () => {
    expect(outcome(text, "    return handle(x)", "\n    return handle(x)")).toBe(
      "exact: def f(x):\n    if x:\n\n        return handle(x)\n",
    );
  });

  it("is taken as it is where it goes on into further lines, however short", () => {
    const python = "def f():\n    a()\nb\n";
    expect(outcome(python, " a()\nb", " a()\n    c()\nb")).toBe("exact: def f():\n    a()\n    c()\nb\n");
  });

  it("places that the bytes of old text are not at stay", () => {
    const three = "return 1;\n    return 1;\n        return 1;\n";
    expect(outcome(three, "    return 1;", "    log();\n    return 1;", { replaceAll: true })).toBe(
      "exact: return 1;\n    log();\n    return 1;\n        log();\n        return 1;\n",
    );
  });

  it("refuses where it is not whole lines", () => {
    expect(outcome(text, "    return handle", "    log(x)\n    return handle")).toBe("indent_inconsistent");
  });

  it("blanks alone are taken as they are", () => {
    expect(outcome("a\n    b\n", "   ", " x\n y")).toBe("multiple_matches");
    expect(outcome("a\n    \nb\n", "  \n", "x\n\n")).toBe("exact: a\n  x\n\nb\n");
    expect(outcome("a\n  \nb\n", " \n", " x\n y\n")).toBe("exact: a\n  x\n y\nb\n");
  });

  it("one line for one line is exact", () => {
    expect(outcome(text, "    return handle(x)", "    return other(x)")).toBe(
      "exact: def f(x):\n    if x:\n        return other(x)\n",
    );
  });
});

describe("one line without its indentation that becomes several", () => {
  const text = "function f(x) {\n    start(x);\n    if (x) {\n        stop(x);\n    }\n}\n";
  const warned = (oldText: string, newText: string, options = {}) => {
    const result = replaceText(text, oldText, newText, options);
    return result.ok ? `${result.text.split("\n").slice(3, -3).join("|")} ${result.warnings}` : result.kind;
  };

  it("gives its indentation to lines that have none", () => {
    expect(warned("stop(x);", "stop(x);\n\nend(x);")).toBe(
      "        stop(x);||        end(x); The new lines were indented like line 4.",
    );
    expect(outcome("  a();\n\tb();\n\ta();\n", "a();", "a();\nc();", { replaceAll: true })).toBe(
      "exact:   a();\n  c();\n\tb();\n\ta();\n\tc();\n",
    );
  });

  it.each([
    ["one of them has some that no bracket opens", "stop(x);", "stop(x);\nend(x\n  + 1);", {}],
    ["they are a text of several lines", "stop(x);", "stop(x);\nend(`\n  x\n`);", {}],
    ["they close a bracket that they do not open", "stop(x);", "stop(x);\n}\nend(x);", {}],
    ["it is a part of a line", "stop(x)", "stop(x);\nend(x)", {}],
    ["old text is to be taken to the letter", "stop(x);", "stop(x);\nend(x);", { fuzzyThreshold: 1 }],
  ])("is followed by them as they are, with a warning, where %s", (_name, oldText, newText, options) => {
    expect(warned(oldText, newText, options)).toMatch(/\|(?:if|end|\}).* start at column 0\.$/);
  });

  it.each([
    ["a child", "push:", "push:\n  branches: [main]", "push:|    branches: [main]"],
    ["a list", "push:", "push:\n  branches:\n    - main", "push:|    branches:|      - main"],
    ["an open bracket", "run: [", "run: [\n  a,", "run: [|    a,"],
    ["a bracket in a block", "push:", "push:\n  on: [\n    a\n  ]", "push:|    on: [|      a|    ]"],
    ["one more key with nothing in it", "push:", "push:\n  pull_request:", "push:|  pull_request:"],
    ["deeper as it is", "push:", "push:\n    tags: [x]", "push:|    tags: [x]"],
    ["one more case", "case 1:", "case 1:\n  case 2:\n    run();", "case 1:|  case 2:|    run();"],
  ])("at two spaces, what is deeper behind its opener stays deeper: %s", (_name, oldText, newText, expected) => {
    const text = `on:\n  ${expected.replaceAll("|", "\n")}\njobs:\n  x: 1\n`;
    expect(replaceText(`on:\n  ${oldText}\njobs:\n  x: 1\n`, oldText, newText)).toMatchObject({ ok: true, text });
  });

  it.each([
    ["a bracket opens", "stop(x);\nif (x) {\n    end(x);\n}", "stop(x);|    if (x) {|        end(x);|    }"],
    ["around it", "if (x) {\n    stop(x);\n}", "if (x) {|        stop(x);|    }"],
    ["with blank lines", "if (x) {\n\n    end(x);\n}\n\nstop();", "if (x) {||        end(x);|    }||    stop();"],
    [
      "that the file has, too",
      "switch (x) {\n    case 1:\n        a();\n    }",
      "switch (x) {|    case 1:|        a();|    }",
    ],
    ["as the file has it", "if (x) {\n        end(x);\n    }", "if (x) {|        end(x);|    }"],
  ])("takes lines along that have an indentation of their own: %s", (_name, newText, expected) => {
    const result = replaceText("f() {\n    stop(x);\n    if (y) {\n        a();\n    }\n}\n", "stop(x);", newText);
    expect(result).toMatchObject({
      text: `f() {\n    ${expected.replaceAll("|", "\n")}\n    if (y) {\n        a();\n    }\n}\n`,
    });
  });

  describe("in Python", () => {
    const python = (body: string) =>
      `class A:\n    def f(self, x):\n        ${body}\n\n    def g(self):\n        pass\n`;
    const edited = (body: string, oldText: string, newText: string, after: string) =>
      expect(replaceText(python(body), oldText, newText)).toMatchObject({ ok: true, text: python(after) });

    it.each([
      ["if x:\n    y = 1", "if x:\n            y = 1"],
      ["if x:\n    y = 1\nelse:\n    y = 2", "if x:\n            y = 1\n        else:\n            y = 2"],
      ["y = 1\nif x:\n    y = 2", "y = 1\n        if x:\n            y = 2"],
      ["if x:\n            y = 1\n        z()", "if x:\n            y = 1\n        z()"],
    ])("a block of its own goes deeper: %j", (newText, after) => {
      edited("y = 1\n        return y", "y = 1", newText, `${after}\n        return y`);
    });

    it("also at the end of a block, where its first line opens it", () => {
      edited("return x", "return x", "if x:\n    return x\nreturn 0", "if x:\n            return x\n        return 0");
    });

    it.each([
      ["what may stand beside the class", "return x", "return x\n\nif __name__ == '__main__':\n    main()"],
      ["what may split a function", "y()\n        z()", "y()\n\ndef h():", "y()"],
      ["a function beside it", "y()\n        z()", "y()\n\ndef h():\n        a()", "y()"],
      ["a branch that takes over what follows", "y()\n        z()", "y()\n    if x:", "y()"],
      ["a text of several lines", "y()\n        z()", 'y(\n"""\na\n  b\n""")', "y()"],
    ])("stays as it is: %s", (_name, body, newText, oldText = body) => {
      edited(body, oldText, newText, body.replace(oldText, newText));
    });
  });

  it("is not guessed where it is there twice", () => {
    const result = replaceText("  a(1);\n    a(1);\n", "a(1);", "a(1);\nb();");
    expect(result).toMatchObject({ ok: false, kind: "multiple_matches" });
    expect(result.ok ? "" : result.message).not.toContain("aside");
  });
});

describe("siblings are not slips", () => {
  const file = (word: string) => `start(now);\nset ${word} = 1;\ncheck(all);\nfinish(now);\n`;
  const edit = (wrote: string, has: string, options = {}) =>
    replaceText(file(has), file(wrote), file(wrote).replace("finish(now)", "finish(later)"), options);

  it.each([
    ["latitude", "altitude"],
    ["rotateLR", "rotateRL"],
    ["posXY", "posYX"],
    ["uint", "unit"],
    ["filed", "filled"],
    ["permisions", "permissions"],
  ])("%s for %s, without proof", (wrote, has) => {
    expect(edit(wrote, has)).toMatchObject({ ok: false, kind: "old_text_not_found" });
  });

  it.each([
    ["ELIXIR_IDENT_RE", "ELIXIR_IDENTs_RE", "a plural within a name"],
    ["aralığı", "aral2ığı", "a number within a word"],
    ["aralığı", "aralOtherığı", "a word within a word"],
    ["parseValue", "parseV2alue", "a number within a part of a name"],
  ])("%s for %s, with proof: %s", (wrote, has) => {
    expect(edit(wrote, has, { seen: true })).toMatchObject({ ok: false, kind: "old_text_not_found" });
    expect(edit(has, wrote, { seen: true })).toMatchObject({ ok: false, kind: "old_text_not_found" });
  });

  it("a doubled letter is one with proof", () => {
    expect(edit("permisions", "permissions", { seen: true })).toMatchObject({ ok: true });
  });

  it("letters exchanged inside a longer word are", () => {
    expect(edit("getPermisisons", "getPermissions")).toMatchObject({ ok: true, strategy: "spelling" });
  });
});

describe("line numbers say where", () => {
  it("text at another line is another place", () => {
    const text = "names:\nfoobar\nbarfoo\n\ntable:\n3\tfoobar\n4\tbarfoo\n";
    expect(outcome(text, "1\tfoobar\n2\tbarfoo", "1\tx\n2\ty")).toBe("old_text_not_found");
    expect(outcome(text, "2\tfoobar\n3\tbarfoo", "2\tx\n3\ty")).toBe(
      `line_numbers: ${text.replace("foobar\nbarfoo", "x\ny")}`,
    );
  });

  it("numbers with another separator are text of the new lines", () => {
    const text = "ports:\n  a: 1\nend: true\n";
    expect(outcome(text, "1\tports:\n2\t  a: 1", "80: http\n443: https")).toBe(
      "line_numbers: 80: http\n443: https\nend: true\n",
    );
  });

  it.each(["80: http\n443: https", "2: a\n1: b"])("numbers that may be either are refused: %j", (newText) => {
    expect(outcome("ports:\n  a: 1\nend: true\n", "1: ports:\n2:   a: 1", newText)).toBe("old_text_not_found");
  });
});

describe("code is not a gap", () => {
  it.each([
    "#ifdef DEBUG",
    "#main {",
    "#[derive(Debug)]",
    "* p = 1;",
    "/* v2 */ drop();",
    "/* a */ drop(); /* b */",
    ";[1, 2].forEach(run)",
    "## Heading",
    "# Heading\n",
    "* a bullet",
    "/*",
    "*/",
    "%include x",
    "<!--[if IE]>",
  ])("%j", (line) => {
    const text = `first();\n${line}\nsecond();\nthird();\nfourth();\n`;
    expect(outcome(text, "first();\nsecond();\nthird();\nfourth();", "first();\nsecond();\nthird();\n4th();")).toBe(
      "old_text_not_found",
    );
  });

  it.each(["// note", "# note", "-- note", ";; note", "/* note */", "<!-- note -->", "% note"])(
    "a comment is: %s",
    (line) => {
      const text = `first();\n${line}\nsecond();\nthird();\nfourth();\n`;
      expect(outcome(text, "first();\nsecond();\nthird();\nfourth();", "first();\nsecond();\nthird();\n4th();")).toBe(
        `gap: ${text.replace("fourth", "4th")}`,
      );
    },
  );

  it("nothing is removed right at a gap", () => {
    const text = "first();\n// about second\nsecond();\nthird();\nfourth();\n";
    expect(outcome(text, "first();\nsecond();\nthird();\nfourth();", "first();\nthird();\nfourth();")).toBe(
      "merge_conflict",
    );
  });
});
