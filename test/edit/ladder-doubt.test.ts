// Texts that fit the file in one way too many: nothing is applied where the lines, or their depth, would be guessed.
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

const refused = (content: string, oldText: string, newText: string) => {
  const result = replaceText(content, oldText, newText, { seen: true });
  expect(result.ok ? result.text : result.ok).toBe(false);
};
const applied = (content: string, oldText: string, newText: string) => {
  const result = replaceText(content, oldText, newText, { seen: true });
  return result.ok ? result.text : result.message;
};
const text = (...lines: string[]) => `${lines.join("\n")}\n`;

describe("a line of old text that the file has, beside lines it has not", () => {
  const packages = text(
    "  {",
    '    "eslint-config-standard": "12.0.0",',
    '    "eslint-plugin-import": "2.17.1",',
    '    "eslint-plugin-node": "7.0.1",',
    '    "eslint-plugin-promise": "4.1.1",',
    '    "eslint-plugin-standard": "4.0.0",',
    '    "fast-url-parser": "1.1.3"',
    "  }",
  );

  it("is not taken for another one that is like it", () => {
    const before = ['        "eslint-config-standard": "12.0.0",'];
    const after = [
      "        ...",
      '        "eslint-plugin-promise": "4.1.1",',
      '        "eslint-plugin-standard": "4.0.0",',
      '        "fast-url-parser": "1.1.3"',
    ];
    refused(
      packages,
      [...before, ...after].join("\n"),
      [...before, '        "eslint-plugin-new": "1.0.0",', ...after].join("\n"),
    );
  });

  it("says that another place may be meant", () => {
    const image = (name: string) => `  background: url(data:image/png;base64,${name.repeat(20)});`;
    const rule = (name: string) => [`.hljs-${name} {`, image(name), "}", ""];
    const css = text(...rule("formula"), ...rule("deletion"), ...rule("addition"));
    const old = [image("deletion"), "}", "", "...", ".hljs-formula {"];
    refused(css, old.join("\n"), [...old.slice(0, 2), "/* added */", ...old.slice(2)].join("\n"));
  });
});

it("a last line that the file has in two gets no new lines behind its first half", () => {
  const source = text(
    "    getValidator(schema) {",
    "        // Check if schema has $id and is already compiled",
    "        const validator = '$id' in schema",
    "            ? (this.ajv.getSchema(schema.$id) ?? this.ajv.compile(schema))",
    "            : this.ajv.compile(schema);",
    "        return (input) => {",
    "            const valid = validator(input);",
  );
  const old = [
    "    getValidator(schema) {",
    "        // Check if schema has $id and is already compiled",
    "        const validator = '$id' in schema",
    "            ? (this.ajv.getSchema(schema.$id) ?? this.ajv.compile(schema))",
    "            : this.ajv.compile(schema); return (input) => {",
  ];
  refused(source, old.join("\n"), [...old, "        count();"].join("\n"));
});

describe("a depth that old text does not show", () => {
  const coffee = text(
    "class Animal",
    "  move: (meters) ->",
    "    for leg in [1..@legs]",
    "      console.log leg",
    "",
    "square = (x) -> x * x",
  );

  it("is not guessed between a shift and another unit", () => {
    refused(coffee, "  for leg in [1..@legs]", "  for leg in [1..@legs]\n   if cond\n    step()");
    const python = text(
      "def f(scheme, url):",
      "    if url:",
      "        if scheme:",
      '            url += "://"',
      "        done(url)",
    );
    refused(python, '      url += "://"', '      url += "://"\n    added()');
  });

  it("is taken where the steps of both are known", () => {
    const python = text("def f(a):", "    if a:", "        for b in a:", "            run(b)", "    return a");
    expect(applied(python, "    for b in a:", "    if a.all:\n        stop()\n    for b in a:")).toBe(
      text(
        "def f(a):",
        "    if a:",
        "        if a.all:",
        "            stop()",
        "        for b in a:",
        "            run(b)",
        "    return a",
      ),
    );
  });

  it("is not put between the levels of the file", () => {
    const css = text(
      ".hljs-type,",
      ".hljs-name,",
      ".hljs-strong {",
      "  font-weight: bold;",
      "}",
      "",
      ".x {",
      "  color: red;",
      "}",
    );
    const old = [".hljs-type,", ".hljs-name,", ".hljs-strong {", "    font-weight: bold;"];
    refused(css, [...old, "}"].join("\n"), [...old, "  color: blue;", "}"].join("\n"));
    const haskell = text(
      "area s = case s of",
      "  Circle r -> pi * r * r",
      "  Square a ->",
      "    let b = a",
      "    in b * b",
    );
    const arms = "Circle r -> pi * r * r\nSquare a ->";
    refused(haskell, arms, `${arms}\n trace a`);
  });

  it("does not go by a step that is no unit", () => {
    const given = ['<call name="alarm"/>', '<call name="pause"/>'];
    const calls = given.map((call) => `  ${call}`);
    const xml = text("<!-- The licence says:", "     do as you like -->", "<list>", ...calls, "</list>");
    expect(applied(xml, given.join("\n"), given.toSpliced(1, 0, "if (x) {", "    run();", "}").join("\n"))).toContain(
      "\n  if (x) {\n      run();\n  }\n",
    );
  });
});

describe("new lines before a first line that has only a part of its indentation", () => {
  const python = (y: string) => text("def f(a):", "    if a:", "        x = 1", y, "        z = 3");
  const rest = ["        y = 2", "        z = 3"];

  it.each(["        y = 2", "        y = 2  ", "        y  = 2"])("do not move that line, next to %j", (y) => {
    refused(python(y), ["    x = 1", ...rest].join("\n"), ["    added()", "    x = 1", ...rest].join("\n"));
  });

  it.each(["        y = 2", "        y = 2  ", "        y  = 2"])("share what is there, next to %j", (y) => {
    const wanted = ["added()", "x = 1", ...rest].join("\n");
    const whole = python(y).replace("        x", "        added()\n        x");
    expect(applied(python(y), ["x = 1", ...rest].join("\n"), wanted)).toBe(whole);
    expect(applied(python(y), "x = 1", "added()\nx = 1")).toBe(whole);
  });
});

describe("text that has lost its indentation", () => {
  it("of a nested block is refused, unless each line takes the place of one that opens a block where it does", () => {
    const nested = text("if (all) {", "  first(all);", "  if (one) {", "    second(one);", "  }", "}");
    const old = "first(all);\nif (one) {\nsecond(one);";
    expect(applied(nested, old, old.replace("second", "third"))).toBe(nested.replace("second", "third"));
    refused(nested, old, old.replace("second", "more();\nsecond"));
    refused(nested, old, old.replace("if (one) {", "more();"));
  });

  it("keeps lists and cases that are as deep as what opens them", () => {
    const yaml = text("jobs:", "  lint:", "    needs:", "    - build", "    steps:", "    - run: lint");
    expect(applied(yaml, "needs:\n- build", "needs:\n- setup\n- build")).toBe(
      text("jobs:", "  lint:", "    needs:", "    - setup", "    - build", "    steps:", "    - run: lint"),
    );
  });

  it("gets no new lines where levels have no marks", () => {
    const pug = text(
      "html",
      "  body",
      "    h1 Pug template",
      "    #container.col",
      "      p You are amazing",
      "      ul",
      "        li done",
    );
    const lines = ["body", "h1 Pug template", "#container.col", "p You are amazing"];
    refused(pug, lines.join("\n"), lines.toSpliced(2, 0, "div", "p added").join("\n"));
  });
});
