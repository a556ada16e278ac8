import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

function refused(text: string, oldText: string, newText: string, options = {}): { kind: string; message: string } {
  const result = replaceText(text, oldText, newText, options);
  if (result.ok) throw new Error(`applied as ${result.strategy}: ${result.text}`);
  return { kind: result.kind, message: result.message };
}

describe("arguments that no file could make right", () => {
  it("empty old text", () => {
    expect(refused("keep me\n", "", "gone\n").kind).toBe("empty_old_text");
    expect(refused("", "", "x").kind).toBe("empty_old_text");
  });

  it("old and new text that are the same, or differ in line endings that the file has as the new text", () => {
    expect(refused("a\n", "a", "a").kind).toBe("no_change");
    expect(refused("a\nb\n", "a\r\nb", "a\nb").kind).toBe("already_applied");
    expect(refused("c\r\nd\r\n", "a\r\nb", "a\nb").kind).toBe("old_text_not_found");
  });

  it("a result longer than any file", () => {
    const newText = "b".repeat(1_000_000);
    expect(refused("a\n".repeat(300), "a", newText, { replaceAll: true }).kind).toBe("file_too_large");
  });

  it("old text of nothing but blanks of another kind than the file has", () => {
    for (const blank of ["\u00a0", "\u2003", "\u3000", " "]) {
      for (const text of ["", "a\n\nb\n", "a\n   \nb\n"]) {
        expect(refused(text, blank.repeat(8), "x").kind, JSON.stringify([text, blank])).toBe("old_text_not_found");
      }
    }
  });
});

describe("omission placeholders in new text", () => {
  it("are refused when old text lacks them", () => {
    const { kind, message } = refused(
      "function a() {\n  one();\n}\n",
      "  one();",
      "  // ... existing code ...\n  two();",
    );
    expect(kind).toBe("omission_placeholder");
    expect(message).toMatch(/^Line 1 of the new text, `\/\/ \.\.\. existing code \.\.\.`/);
  });

  it("are text where old text has them, too", () => {
    const text = "// ... existing code ...\nlet a = 1;\n";
    expect(replaceText(text, "// ... existing code ...\nlet a = 1;", "// ... existing code ...\nlet a = 2;").ok).toBe(
      true,
    );
  });

  it.each([
    "// same as before",
    "// existing code",
    "// unchanged",
    "// omitted for brevity",
    "## Rest of the document",
  ])("%s for many lines is one, for a line it is a comment", (line) => {
    const text = "first(1);\nsecond(2);\nthird(3);\nfourth(4);\n";
    expect(refused(text, "first(1);\nsecond(2);\nthird(3);\n", `${line}\n`).kind).toBe("omission_placeholder");
    expect(replaceText(text, "first(1);\n", `${line}\n`).ok).toBe(true);
    expect(replaceText(text, "first(1);\n", `first(1);\n${line}\n`).ok).toBe(true);
    expect(replaceText(text, "first(1);\nsecond(2);\n", `first(1);\n${line}\n`).ok).toBe(true);
  });

  it("one inside a line of code is refused", () => {
    expect(refused("run(1);\n", "run(1);", "run(/* ... existing code ... */);").kind).toBe("omission_placeholder");
  });

  it("a bare ellipsis for many lines is one, for a line it is code", () => {
    const text = "def f():\n    a()\n    b()\n    c()\n    d()\n    e()\n";
    const body = "    a()\n    b()\n    c()\n    d()\n    e()";
    expect(refused(text, body, "    ...").kind).toBe("omission_placeholder");
    expect(replaceText("def f():\n    pass_value()\n", "    pass_value()", "    ...").ok).toBe(true);
  });
});

describe("edits that were made before", () => {
  it("old text is gone and new text is there, with a line that both have", () => {
    const { kind, message } = refused(
      "let limit = 20;\nrun(limit);\n",
      "let limit = 10;\nrun(limit);\n",
      "let limit = 20;\nrun(limit);\n",
    );
    expect(kind).toBe("already_applied");
    expect(message).toContain("lines 1-2");
  });

  it("new text that shares no line with old text may stand somewhere else", () => {
    const { kind, message } = refused("let limit = 20;\nrun(limit);\n", "let limit = 10;\n", "let limit = 20;\n");
    expect(kind).toBe("old_text_not_found");
    expect(message).toContain("Text equal to the new text is at line 1");
  });

  it("says what is true where old text is there", () => {
    const around = refused(
      "import a from 'a';\nimport b from 'b';\n",
      "import a from 'a';",
      "import a from 'a';\nimport b from 'b';",
    );
    expect(around.message).toContain("The lines around the old text already make it the new text, at lines 1-2.");
  });

  it("an insertion is not made twice", () => {
    const before = 'import a from "a";\nrun();\n';
    const oldText = 'import a from "a";';
    const newText = 'import a from "a";\nimport b from "b";';
    const once = replaceText(before, oldText, newText);
    expect(once.ok && once.text).toBe('import a from "a";\nimport b from "b";\nrun();\n');
    expect(refused(once.ok ? once.text : "", oldText, newText).kind).toBe("already_applied");
  });

  it("a short line may be wanted twice", () => {
    expect(replaceText("a {\n  }\n}\n", "  }", "  }\n}")).toMatchObject({ ok: true, text: "a {\n  }\n}\n}\n" });
  });
});

describe("words that old text cuts", () => {
  it.each([
    ["part of a word", "getUsers();\n", "getUser", "findUser", "findUsers();\n", 1],
    ["a letter without its accent", "un cafe\u0301 noir\n", "cafe", "tea", "un tea\u0301 noir\n", 1],
    ["half of a name in letters beyond the BMP", "a = 𝒳𝒴;\n", "a = 𝒳", "b = 𝒳", "b = 𝒳𝒴;\n", 1],
    ["lines that end inside a word", "go();\nbodys;\n", "go();\nbody", "go();\ntext", "go();\ntexts;\n", 2],
    ["lines that start inside a word", "rebuild();\nrun();\n", "build();\nrun();", "do();", "redo();\n", 1],
  ])("%s to the letter: replaced, with a warning", (_, text, oldText, newText, expected, line) => {
    for (const options of [{}, { fuzzyThreshold: 1 }, { replaceAll: true }]) {
      expect(replaceText(text, oldText, newText, options)).toMatchObject({
        text: expected,
        strategy: "exact",
        warnings: [`Line ${line}: the old text starts or ends inside a word; only the part given was replaced.`],
      });
    }
  });

  it("several lines with other blanks that end or start inside a word are refused", () => {
    const { kind, message } = refused("start();\nreturn  bodys;\n", "start();\nreturn body", "start();\nreturn null");
    expect(kind).toBe("mid_token");
    expect(message).toContain("`bodys`");
    expect(refused("rebuild( a );\nrun();\n", "build(  a );\nrun();", "x").kind).toBe("mid_token");
  });
});

describe("look-alike characters", () => {
  const long = "word ".repeat(60);

  it.each([
    ["the one that differs is named, however long the line", `${long}“hi” ${long}`, `${long}"hi" ${long}`],
    ["the reverse", `${long}"hi" ${long}`, `${long}“hi” ${long}`],
  ])("in a line that changes: %s", (_name, file, wrote) => {
    const { kind, message } = refused(`${file}\nlast\n`, `${wrote}\nlast`, `${wrote}!\nlast`);
    expect(kind).toBe("merge_conflict");
    expect(message).toMatch(/^Line 1 changes.*: the file has `….*hi.*…`, the old text `….*hi.*…` \(.*, . is U\+.*\)\./);
    expect(message).toMatch(/“ is U\+201C/);
    expect(message).not.toContain("U+0022");
  });

  it("in a line that stays: the change lands, and the file's characters stay", () => {
    for (const [file, wrote] of [
      ["“hi”", '"hi"'],
      ['"hi"', "“hi”"],
    ]) {
      for (const options of [{}, { seen: true }]) {
        const edit = [`She says ${wrote}.\ncount: 5`, `She says ${wrote}.\ncount: 6`] as const;
        expect(replaceText(`She says ${file}.\ncount: 5\n`, ...edit, options)).toMatchObject({
          text: `She says ${file}.\ncount: 6\n`,
          strategy: "unicode",
        });
      }
    }
  });

  it("accents are shown also where old text ends inside a word", () => {
    for (const [file, wrote] of [
      ["NFD", "NFC"],
      ["NFC", "NFD"],
    ]) {
      const { message } = refused("résumés\n".normalize(file), "résumé".normalize(wrote), "letter");
      expect(message).toContain("`re⟨U+0301⟩sume⟨U+0301⟩`");
    }
  });
});

describe("indentation that no rule explains", () => {
  it("is refused, with the line that differs and its blanks visible", () => {
    const { kind, message } = refused(
      "f() {\n\ta();\n\tb();\n}\n",
      "f() {\n  a();\n\tb();\n}",
      "f() {\n  c();\n\tb();\n}",
    );
    expect(kind).toBe("indent_inconsistent");
    expect(message).toContain("Line 2: the file has `→a();`, the old text `··a();` (· is a space, → a tab).");
  });

  it("a new line that does not fit the rule is refused", () => {
    const text = "class A {\n  one();\n  two();\n}\n";
    expect(refused(text, "    one();\n    two();", "    one();\n three();\n    two();").kind).toBe(
      "indent_inconsistent",
    );
  });

  it("new text that has the file's indentation already is refused", () => {
    expect(refused("  // note\n\n  function old() {}", "\nfunction old() {}", "\n  function renew() {}").kind).toBe(
      "indent_inconsistent",
    );
  });

  it("with the lines that it is about", () => {
    const text = "start();\n    first_step();\n    second_step();\n";
    const { message } = refused(text, "first_step();\nsecond_step();", "    first_step();\n    2nd();");
    expect(message).toContain("matches lines 2-3 with other indentation, but the new text is indented like the file");
  });
});
