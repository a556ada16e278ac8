import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

function outcome(text: string, oldText: string, newText: string): string {
  const result = replaceText(text, oldText, newText);
  return result.ok ? `${result.strategy}: ${result.text}` : result.kind;
}

describe("line numbers pasted with the text", () => {
  const text = "one();\ntwo();\nthree();\n";

  it.each([
    ["tabs", "     2\ttwo();\n     3\tthree();", "     2\t2();\n     3\tthree();"],
    ["colons", "2: two();\n3: three();", "2: 2();\n3: three();"],
    ["arrows", "2→two();\n3→three();", "2→2();\n3→three();"],
    ["bars", "2 | two();\n3 | three();", "2 | 2();\n3 | three();"],
    ["anchors", "2#a1b2c3 [high]|two();\n3#0a1b2c [med]|three();", "2();\nthree();"],
    ["in old text only", "2\ttwo();\n3\tthree();\n", "2();\nthree();\n"],
  ])("are stripped: %s", (_, oldText, newText) => {
    expect(outcome(text, oldText, newText)).toBe("line_numbers: one();\n2();\nthree();\n");
  });

  it("must be consecutive, and on all lines of new text or on none", () => {
    expect(outcome(text, "2\ttwo();\n4\tthree();", "x")).toBe("old_text_not_found");
    expect(outcome(text, "2\ttwo();\n3\tthree();", "2\t2();\nthree();")).toBe("old_text_not_found");
  });

  it("are text where the file has them", () => {
    expect(outcome("1: a\n2: b\n", "1: a\n2: b", "1: a\n2: c")).toBe("exact: 1: a\n2: c\n");
  });

  it("go together with other levels", () => {
    expect(outcome("  one();\n  two();\n", "1\tone();\n2\ttwo();", "1\tone();\n2\t2();")).toBe(
      "line_numbers+indentation:   one();\n  2();\n",
    );
  });
});

describe("one level of escaping", () => {
  it("too many: escaped quotes in both texts", () => {
    expect(outcome('say("a", b);\n', 'say(\\"a\\", b);', 'say(\\"c\\", b);')).toBe('escaping: say("c", b);\n');
  });

  it("too many: escaped newlines in both texts", () => {
    expect(outcome('one("x");\ntwo();\n', 'one(\\"x\\");\\ntwo();', 'one(\\"x\\");\\n2();')).toBe(
      'escaping: one("x");\n2();\n',
    );
  });

  it("is not undone where a bare quote shows that nothing was escaped", () => {
    expect(outcome('say("a", b);\n', 'say(\\"a\\", b);', 'say("c", b);')).toBe("old_text_not_found");
  });

  it("too many: HTML entities in both texts", () => {
    const text = "if (a < b && c) {\n  run();\n}\n";
    const old = "if (a &lt; b &amp;&amp; c) {\n  run();";
    expect(outcome(text, old, old.replace("run();", "run(&quot;d&quot; &lt; e);"))).toBe(
      'entities: if (a < b && c) {\n  run("d" < e);\n}\n',
    );
    expect(outcome(text, old, old.replace("run();", "run(d & e);"))).toBe("old_text_not_found");
    expect(outcome("a &lt; b\n", "a &lt; b", "a &gt; b")).toBe("exact: a &gt; b\n");
  });

  it("is no slip: an entity in a line that the file does not have refuses, with proof, too", () => {
    const text = "first(all);\nif (a < b) {\n  run(all, limits);\n}\nlast(all);\n";
    const old = text.replace("<", "&lt;").replace("all, limits", "all, limit");
    const result = replaceText(text, old, old.replace("last(all)", "last(all &amp;&amp; done)"), { seen: true });
    expect(result).toMatchObject({ ok: false, kind: "old_text_not_found" });
  });

  it("too few: a newline in the middle of a string may be meant", () => {
    expect(outcome('print("a\\nb");\n', 'print("a\nb");', 'print("a\nc");')).toBe("old_text_not_found");
  });
});
