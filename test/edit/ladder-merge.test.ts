import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

function edited(text: string, oldText: string, newText: string): string {
  const result = replaceText(text, oldText, newText);
  if (!result.ok) throw new Error(`${result.kind}: ${result.message}`);
  return result.text;
}

describe("three-way merge of lines", () => {
  it("lines that old and new text share keep the file's own bytes", () => {
    const text = "title = “Hello”  \nkeep = ‘as is’\t \nx = 1   \ny = 2\n";
    expect(
      edited(
        text,
        "title = \"Hello\"\nkeep = 'as is'\nx = 1\ny = 2",
        "title = \"Hello\"\nkeep = 'as is'\nx = 1\ny = 3",
      ),
    ).toBe("title = “Hello”  \nkeep = ‘as is’\t \nx = 1   \ny = 3\n");
  });

  it("does not touch kept lines: no splice covers them", () => {
    const result = replaceText("one  \ntwo\nthree  \n", "one\ntwo\nthree", "one\n2\nthree");
    expect(result.ok && result.splices).toEqual([{ start: 6, end: 10, text: "2\n" }]);
  });

  it("added lines take the ending of the line before", () => {
    expect(edited("one \r\ntwo\nthree\r\n", "one\ntwo\nthree", "one\nnew\ntwo\nthree")).toBe(
      "one \r\nnew\r\ntwo\nthree\r\n",
    );
  });

  it("the first line of a change takes the ending of the line it stands for", () => {
    expect(edited("first line \r\nsecond\n", "first line\nsecond", "1st\n2nd")).toBe("1st\r\n2nd\n");
  });

  it("removes whole lines", () => {
    expect(edited("keep1 \nremove this\nkeep2\n", "keep1\nremove this\nkeep2", "keep1\nkeep2")).toBe("keep1 \nkeep2\n");
    expect(edited("keep1\nremove this \nkeep2\n", "remove this\n", "")).toBe("keep1\nkeep2\n");
  });

  it("appends after the last line of a file without final newline", () => {
    expect(edited("first \nsecond", "first\nsecond", "first\nsecond\nthird")).toBe("first \nsecond\nthird");
  });

  it("blanks behind the last line of old text stay: they are outside the edit", () => {
    expect(edited("one();\ntwo();   \n", "one();\ntwo();", "one();\n2();")).toBe("one();\n2();   \n");
  });

  it("refuses when a line that differs could be several lines of the new text", () => {
    const text = "a() {\n  run(1)\n}   \nz()\n";
    const oldText = "a() {\n  run(1)\n}\nz()";
    const newText = "b() {\n  run(2)\n}\nc() {\n  run(3)\n}\nz()";
    expect(replaceText(text, oldText, newText)).toMatchObject({ ok: false, kind: "merge_conflict" });
  });

  it("warns when a final newline of old text is missing in new text", () => {
    const result = replaceText("a\nb\n", "a\n", "A");
    expect(result).toMatchObject({ ok: true, text: "Ab\n" });
    expect(result.ok && result.warnings).toHaveLength(1);
  });
});

describe("gaps: blank and comment lines that old text lacks", () => {
  const text = "first();\n\nsecond();\n// why\nthird();\nfourth();\n";

  it("stay where they are", () => {
    expect(edited(text, "first();\nsecond();\nthird();\nfourth();", "first();\nsecond();\nthird();\n4th();")).toBe(
      "first();\n\nsecond();\n// why\nthird();\n4th();\n",
    );
  });

  it("a place with too many of them is not changed, but it may be the one that is meant", () => {
    const oldText = "alpha_call();\nbeta_call();\ngamma_call();";
    const far = "alpha_call();\n// 1\n// 2\n// 3\nbeta_call();\ngamma_call();\n";
    const near = "alpha_call();\n// x\nbeta_call();\ngamma_call();\n";
    const changed = (file: string) => replaceText(file, oldText, oldText.replace("gamma", "delta"));
    expect(changed(near)).toMatchObject({ ok: true, strategy: "gap", text: near.replace("gamma", "delta") });
    expect(changed(far)).toMatchObject({ kind: "old_text_not_found" });
    expect(changed(`${far}\n${near}`)).toMatchObject({ kind: "multiple_matches" });
  });

  it("three blank lines in a row are few, four are too many", () => {
    const oldText = "alpha_call();\nbeta_call();\ngamma_call();";
    const file = (blanks: number) => `alpha_call();\n${"\n".repeat(blanks)}beta_call();\ngamma_call();\n`;
    const changed = (blanks: number) => replaceText(file(blanks), oldText, oldText.replace("gamma", "delta"));
    expect(changed(3)).toMatchObject({ ok: true, strategy: "gap", text: file(3).replace("gamma", "delta") });
    expect(changed(4)).toMatchObject({ kind: "old_text_not_found" });
  });

  it("stay next to a line that changes when the caller has seen them", () => {
    const oldText = "first();\nsecond();\nthird();\nfourth();";
    const result = replaceText(text, oldText, oldText.replace("second", "2nd"), { seen: true });
    expect(result).toMatchObject({ ok: true, strategy: "gap", text: text.replace("second", "2nd") });
  });

  it("are refused next to a line that changes: a comment may be about what goes", () => {
    for (const newText of ["first();\nsecond();\n3rd();\nfourth();", "first();\n2nd();\nthird();\nfourth();"]) {
      expect(replaceText(text, "first();\nsecond();\nthird();\nfourth();", newText)).toMatchObject({
        ok: false,
        kind: "merge_conflict",
      });
    }
  });

  it("blank lines that the file lacks are overlooked", () => {
    expect(
      edited("first();\nsecond();\nthird();\n", "first();\n\nsecond();\nthird();", "first();\n\nsecond();\n3rd();"),
    ).toBe("first();\nsecond();\n3rd();\n");
  });

  it.each([
    ["right where lines would be added", "first();\nsecond();\nnew();\nthird();\nfourth();", "line 4"],
    ["inside what would be replaced", "first();\nboth();\nfourth();", "lines 3-5"],
    ["behind a line that changes", "1st();\nsecond();\nthird();\nfourth();", "lines 1-2"],
    ["before a line that changes", "first();\nsecond();\n3rd();\nfourth();", "lines 4-5"],
  ])("are refused %s, with their lines", (_where, newText, lines) => {
    const result = replaceText(text, "first();\nsecond();\nthird();\nfourth();", newText);
    expect(result).toMatchObject({ kind: "merge_conflict", message: expect.stringContaining(` ${lines} as the file`) });
  });

  it("blank lines that old text has and new text has not go, and comments that it lacks stay", () => {
    const newText = "first();\nsecond();\nthird();\nfourth();";
    expect(edited(text, newText.replace("second", "\nsecond"), newText)).toBe(text.replace("\n\n", "\n"));
  });

  it("are refused where the blank lines around an insertion are not those of the file", () => {
    const file = "first();\n\n\nsecond();\nthird();\nfourth();\n";
    expect(
      replaceText(
        file,
        "first();\n\nsecond();\nthird();\nfourth();",
        "first();\n\nnew();\n\nsecond();\nthird();\nfourth();",
      ),
    ).toMatchObject({
      ok: false,
      kind: "merge_conflict",
    });
  });

  it("blank lines at the edges of old text are those of the file", () => {
    const file = "x();\n\nfirst();\n// why\nsecond();\nthird();\n\ny();\n";
    const inner = "first();\nsecond();\nthird();\n";
    expect(edited(file, `\n${inner}\n`, inner)).toBe("x();\nfirst();\n// why\nsecond();\nthird();\ny();\n");
  });

  it("a blank line that only old text has may go, beside a comment that it lacks", () => {
    const file = "first();\n// why\nsecond();\nthird();\n";
    expect(edited(file, "first();\n\nsecond();\nthird();", "first();\nsecond();\n3rd();")).toBe(
      file.replace("third", "3rd"),
    );
  });

  it("are not code: any other line in between is another place", () => {
    expect(replaceText("first();\nelse();\nsecond();\nthird();\n", "first();\nsecond();\nthird();", "x")).toMatchObject(
      {
        ok: false,
        kind: "old_text_not_found",
      },
    );
  });

  it("two such places are refused", () => {
    const twice = "first();\n\nsecond();\nthird();\n-\nfirst();\n// note\nsecond();\nthird();\n";
    expect(replaceText(twice, "first();\nsecond();\nthird();", "first();\nsecond();\n3rd();")).toMatchObject({
      ok: false,
      kind: "multiple_matches",
    });
  });
});
